import type { BoundCookie } from "../chromium/index.ts";
import { classify, type Cookie, type Unlabelled } from "../cookies/index.ts";
import { cookieWarning, type ReadWarning } from "./warning.ts";

interface LabelOptions {
  readonly now: number;
  /** What the browser's own store says is bound to the device. */
  readonly bound?: readonly BoundCookie[];
}

/** Leaves out what has expired, and says of each cookie how far it can travel; of a bound one, why not. */
export function labelled(
  cookies: readonly Unlabelled[],
  { now, bound = [] }: LabelOptions,
): { cookies: Cookie[]; warnings: ReadWarning[] } {
  const boundBy = new Map(bound.map((one) => [`${one.domain} ${one.path} ${one.name}`, one.site]));
  const deviceBound = ({ domain, hostOnly, path, name }: Unlabelled) => {
    const site = boundBy.get(`${hostOnly ? "" : "."}${domain} ${path} ${name}`);
    return site === undefined ? undefined : `${site} renews it with a key held by the device`;
  };
  const kept: Cookie[] = [];
  const reasons = new Map<string, Cookie[]>();
  for (const cookie of cookies) {
    if (cookie.expires !== null && cookie.expires <= now) continue;
    const { kind, reason } = classify(cookie, boundBy.size === 0 ? {} : { deviceBound });
    const whole = { ...cookie, kind };
    kept.push(whole);
    if (reason !== undefined) reasons.getOrInsertComputed(reason, () => []).push(whole);
  }
  return {
    cookies: kept,
    warnings: [...reasons].map(([reason, those]) => cookieWarning("DEVICE_BOUND", those, reason)),
  };
}
