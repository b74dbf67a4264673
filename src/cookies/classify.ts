import type { CookieKind, Unlabelled } from "./cookie.ts";
import { deviceBoundByName } from "./device-bound.ts";

/** Says why a cookie is probably tied to one machine, or undefined. */
export type DeviceBoundTest = (cookie: Unlabelled) => string | undefined;

export interface Label {
  readonly kind: CookieKind;
  /** Only for `device-bound-suspect`. */
  readonly reason?: string;
}

/**
 * How far a cookie can travel. What the browser's own store of bound sessions says (`deviceBound`) comes before
 * names we know; the obstacle that is hardest to get past decides.
 */
export function classify(cookie: Unlabelled, { deviceBound }: { deviceBound?: DeviceBoundTest } = {}): Label {
  const reason = deviceBound?.(cookie) ?? deviceBoundByName(cookie);
  if (reason !== undefined) return { kind: "device-bound-suspect", reason };
  if (cookie.partitionKey !== null) return { kind: "partitioned" };
  return { kind: cookie.expires === null ? "session" : "portable" };
}

/** Why a cookie that seems bound to its device does not go elsewhere unless that was asked for. */
export function boundReason(cookie: Unlabelled): string {
  const why = classify(cookie).reason ?? "the browser it came from renews it with a key held by the device";
  return `probably refused elsewhere: ${why}`;
}
