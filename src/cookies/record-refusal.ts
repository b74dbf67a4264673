import type { Cookie } from "./cookie.ts";
import { prefixRefusal } from "./cookie-prefix.ts";
import type { RefusalReason } from "./refusal.ts";
import { pairRefusal } from "./set-cookie.ts";

/**
 * Why a browser would not take over a finished record, or undefined. Chromium refuses a whole batch for one such
 * cookie (CanonicalCookie::CreateSanitizedCookie), so ask before handing it one.
 */
export function recordRefusal(cookie: Cookie, now = Date.now()): RefusalReason | undefined {
  const { name, value, secure, httpOnly, path, expires } = cookie;
  const hostBound = cookie.hostOnly && path === "/";
  if (!isHeaderText(name, value)) return "not-a-header";
  if (cookie.sameSite === "none" && !secure) return "samesite-none-not-secure";
  if (cookie.partitionKey !== null && !secure) return "partitioned-not-secure";
  if (expires !== null && expires <= now) return "expired";
  return pairRefusal(name, value) ?? prefixRefusal({ name, value, secure, httpOnly, hostBound });
}

/** What a Set-Cookie header would give back as it was: no outer space, no `;`, no `=` in the name. */
export function isHeaderText(name: string, value: string): boolean {
  return !/[;=]/.test(name) && !value.includes(";") && !hasOuterSpace(name) && !hasOuterSpace(value);
}

function hasOuterSpace(text: string): boolean {
  return isSpace(text.at(0)) || isSpace(text.at(-1));
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t";
}
