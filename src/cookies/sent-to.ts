import type { Cookie } from "./cookie.ts";
import { pathMatches } from "./cookie-path.ts";
import { domainMatches } from "./host.ts";
import type { Origin } from "./origin.ts";

/** RFC 6265bis 5.8.3: what "all of the following requirements" ask of a cookie, apart from SameSite and partition. */
export function isSentTo(cookie: Cookie, origin: Origin, access: { http: boolean; now: number }): boolean {
  return (
    reaches(cookie, origin.host) &&
    pathMatches(origin.path, cookie.path) &&
    (origin.secure || !cookie.secure) &&
    (access.http || !cookie.httpOnly) &&
    isUsable(cookie, access.now)
  );
}

/** Host-only: "the canonicalized host … is identical to the cookie's domain", else it domain-matches. */
export function reaches(cookie: Cookie, host: string): boolean {
  return cookie.hostOnly ? host === cookie.domain : domainMatches(host, cookie.domain);
}

/** Not expired, and fit for a header. */
export function isUsable(cookie: Cookie, now: number): boolean {
  const expired = cookie.expires !== null && cookie.expires <= now;
  return !expired && fitsHeader(cookie);
}

/** Without characters that would end the header: records may come from a hostile file. */
export function fitsHeader({ name, value }: Pick<Cookie, "name" | "value">): boolean {
  return !UNFIT.test(name) && !UNFIT.test(value);
}

const UNFIT = /[\x00-\x1f\x7f;]/;

/** "Cookies with longer paths are listed before cookies with shorter paths", then the earlier created first. */
export function sendingOrder(a: Cookie, b: Cookie): number {
  return b.path.length - a.path.length || a.created - b.created;
}
