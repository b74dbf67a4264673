import type { RefusalReason } from "./refusal.ts";

/** RFC 6265bis 4.1.3 and draft "HTTP cookie prefixes"; the longer of two that match comes first. */
const PREFIXES = [
  { prefix: "__secure-", host: false, http: false },
  { prefix: "__host-http-", host: true, http: true },
  { prefix: "__http-", host: false, http: true },
  { prefix: "__host-", host: true, http: false },
];

/** What a prefix can promise. */
export interface PrefixPromises {
  readonly name: string;
  readonly value: string;
  /** Secure, and set by a secure origin. */
  readonly secure: boolean;
  readonly httpOnly: boolean;
  /** Without a Domain, and with "/" as its Path. */
  readonly hostBound: boolean;
}

/**
 * RFC 6265bis 5.7: "If the cookie-name begins with a case-insensitive match for the string `__Secure-`, abort …
 * unless the cookie's secure-only-flag is true", and so on for the others.
 */
export function prefixRefusal(cookie: PrefixPromises): RefusalReason | undefined {
  if (cookie.name === "") {
    // "If the cookie-name is empty and … the cookie-value begins with …": a server would read it as a name.
    return prefixOf(cookie.value) === undefined ? undefined : "prefix-hidden";
  }
  const rule = prefixOf(cookie.name);
  if (rule === undefined) return undefined;
  const kept = cookie.secure && (!rule.http || cookie.httpOnly) && (!rule.host || cookie.hostBound);
  return kept ? undefined : "prefix-broken";
}

function prefixOf(text: string): (typeof PREFIXES)[number] | undefined {
  if (!text.startsWith("__")) return undefined;
  const start = text.slice(0, 12).toLowerCase();
  return PREFIXES.find(({ prefix }) => start.startsWith(prefix));
}
