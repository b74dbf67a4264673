import { parseCookieDate } from "./cookie-date.ts";

/** RFC 6265bis 5.5: "The user agent MUST limit the maximum age of a cookie … 400 days". */
const MAX_AGE = 400 * 24 * 60 * 60 * 1000;
const INT64_MAX = 2n ** 63n - 1n;
/** Before every clock, so that the cookie counts as expired. */
const LONG_AGO = Number.NEGATIVE_INFINITY;

/** When a cookie set now ends, in ms since 1970; null for the end of the session. */
export function cookieExpiry(attributes: ReadonlyMap<string, string>, now: number): number | null {
  // RFC 6265bis 5.7: Max-Age has precedence over Expires; one that cannot be read is as good as absent.
  const expires = fromMaxAge(attributes.get("max-age"), now) ?? fromExpires(attributes.get("expires"));
  return expires === undefined ? null : latestExpiry(expires, now);
}

/** No cookie lives longer than Chromium lets it. */
export function latestExpiry(expires: number, now: number): number {
  return Math.min(expires, now + MAX_AGE);
}

function fromMaxAge(text: string | undefined, now: number): number | undefined {
  const match = /^([+-]?)(\d+)(.*)$/s.exec(text ?? "");
  if (match === null) return undefined;
  const [, sign, digits = "", rest] = match;
  const seconds = BigInt(digits);
  // Chromium's StringToInt64 stops at the first overflow, so what follows the digits no longer matters then.
  if (rest !== "" && seconds < INT64_MAX) return undefined;
  // "If delta-seconds is less than or equal to zero (0), let expiry-time be the earliest representable date".
  return sign === "-" || seconds === 0n ? LONG_AGO : now + Number(seconds) * 1000;
}

function fromExpires(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseCookieDate(text, 99_999);
}
