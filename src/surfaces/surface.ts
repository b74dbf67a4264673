import { type Cookie, type CookieChange, cookieKey } from "../cookies/index.ts";
import type { DeputyError } from "../kernel/index.ts";

/** In the order they are run. */
export const SURFACES = ["chromium", "sidecar", "files", "live"] as const;
export type SurfaceId = (typeof SURFACES)[number];

export type Deletion = Extract<CookieChange, { kind: "delete" }>;

/** A cookie that is not there, and why. Never its value. */
export interface Refusal {
  readonly name: string;
  readonly domain: string;
  readonly reason: string;
}

/** Every wanted cookie is delivered, unchanged or refused; `deleted` counts those of `gone` that were there. */
export interface Delivery {
  readonly surface: SurfaceId;
  /** The file, profile or address it went to. */
  readonly target: string;
  readonly delivered: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly refused: readonly Refusal[];
  /** How many of the refused only wait: for a browser to exit. */
  readonly queued?: number;
  readonly error?: DeputyError;
}

/** A place where other programs look for logins. */
export interface Surface {
  readonly id: SurfaceId;
  readonly target: string;
  /** Whose cookies it is for; absent: everybody's. It is handed no others. */
  readonly wants?: (host: string) => boolean;
  /**
   * Puts `want` there and takes `gone` away; what else is there stays. A reader sees the state before or the one
   * after. Throws only DeputyError, and then nothing was changed.
   */
  deliver(want: readonly Cookie[], gone: readonly Deletion[]): Promise<Delivery>;
}

export function refuse({ name, domain }: Pick<Cookie, "name" | "domain">, reason: string): Refusal {
  return { name, domain, reason };
}

/** One cookie an identity, the newest: two of one name and place would replace one another in any order. */
export function newestOfEach(cookies: readonly Cookie[]): { unique: Cookie[]; refused: Refusal[] } {
  const byKey = new Map<string, Cookie>();
  const refused: Refusal[] = [];
  for (const cookie of cookies) {
    const key = cookieKey(cookie);
    const other = byKey.get(key);
    const [newer, older] =
      other !== undefined && other.updated > cookie.updated ? [other, cookie] : [cookie, other];
    byKey.set(key, newer);
    if (older !== undefined)
      refused.push(refuse(older, "a newer cookie of the same name and place was given"));
  }
  return { unique: [...byKey.values()], refused };
}

/** What a surface that failed as a whole has to say. */
export function failedDelivery(
  { id, target }: Pick<Surface, "id" | "target">,
  want: readonly Cookie[],
  error: DeputyError,
): Delivery {
  const refused = want.map((cookie) => refuse(cookie, error.message));
  return { surface: id, target, delivered: 0, unchanged: 0, deleted: 0, refused, error };
}
