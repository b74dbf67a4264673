import type { RefusalReason } from "./refusal.ts";
import type { SetCookie } from "./set-cookie.ts";

/** RFC 6265bis 4.1.3 and draft "HTTP cookie prefixes"; the longer of two that match comes first. */
const PREFIXES = [
  { prefix: "__secure-", host: false, http: false },
  { prefix: "__host-http-", host: true, http: true },
  { prefix: "__http-", host: false, http: true },
  { prefix: "__host-", host: true, http: false },
];

/**
 * RFC 6265bis 5.7: "If the cookie-name begins with a case-insensitive match for the string `__Secure-`, abort …
 * unless the cookie's secure-only-flag is true", and so on for the others.
 */
export function prefixRefusal(
  { name, value, attributes }: SetCookie,
  origin: { host: string; secure: boolean; address: boolean },
): RefusalReason | undefined {
  if (name === "") {
    // "If the cookie-name is empty and either the cookie-value begins with …": a server would read it as a name.
    return prefixOf(value) === undefined ? undefined : "prefix-hidden";
  }
  const rule = prefixOf(name);
  if (rule === undefined) return undefined;
  const secure = attributes.has("secure") && origin.secure;
  const domain = attributes.get("domain") ?? "";
  const own = domain === "" || (origin.address && domain === origin.host);
  // The Path must be written out: a default path that happens to be "/" does not count.
  const hostBound = own && attributes.get("path") === "/";
  const kept = secure && (!rule.http || attributes.has("httponly")) && (!rule.host || hostBound);
  return kept ? undefined : "prefix-broken";
}

function prefixOf(text: string): (typeof PREFIXES)[number] | undefined {
  const start = text.slice(0, 12).toLowerCase();
  return PREFIXES.find(({ prefix }) => start.startsWith(prefix));
}
