import type { Cookie, CookieIdentity } from "../cookies/index.ts";
import type { SqlValue } from "../platform/index.ts";
import { toWebKitTime } from "./webkit-time.ts";

// net/cookies/cookie_constants.h: CookieSameSite, CookiePriority, CookieSourceScheme.
const SAME_SITE = { unset: -1, none: 0, lax: 1, strict: 2 } as const;
const PRIORITY = { low: 0, medium: 1, high: 2 } as const;
const SOURCE_SCHEME = { unset: 0, nonsecure: 1, secure: 2 } as const;

/** A cookie and all that its row is made of. `sealed` and `value` are two places for the same thing. */
export interface Filled {
  readonly cookie: Cookie;
  readonly hostKey: string;
  readonly value: string;
  readonly sealed: Uint8Array;
}

/** How a column is filled, by every name it had. */
export const FILL: Readonly<Record<string, (row: Filled) => SqlValue>> = {
  creation_utc: ({ cookie }) => toWebKitTime(cookie.created),
  host_key: ({ hostKey }) => hostKey,
  top_frame_site_key: ({ cookie }) => cookie.partitionKey?.topLevelSite ?? "",
  name: ({ cookie }) => cookie.name,
  value: ({ value }) => value,
  encrypted_value: ({ sealed }) => sealed,
  path: ({ cookie }) => cookie.path,
  expires_utc: ({ cookie }) => (cookie.expires === null ? 0n : toWebKitTime(cookie.expires)),
  is_secure: ({ cookie }) => Number(cookie.secure),
  secure: ({ cookie }) => Number(cookie.secure),
  is_httponly: ({ cookie }) => Number(cookie.httpOnly),
  httponly: ({ cookie }) => Number(cookie.httpOnly),
  last_access_utc: ({ cookie }) => toWebKitTime(cookie.updated),
  has_expires: ({ cookie }) => Number(cookie.expires !== null),
  is_persistent: ({ cookie }) => Number(cookie.expires !== null),
  persistent: ({ cookie }) => Number(cookie.expires !== null),
  priority: ({ cookie }) => PRIORITY[cookie.priority],
  samesite: ({ cookie }) => SAME_SITE[cookie.sameSite],
  source_scheme: ({ cookie }) => SOURCE_SCHEME[cookie.sourceScheme],
  source_port: ({ cookie }) => cookie.sourcePort,
  is_same_party: () => 0,
  last_update_utc: ({ cookie }) => toWebKitTime(cookie.updated),
  // net/cookies/cookie_constants.h, CookieSourceType: 1 is HTTP.
  source_type: () => 1,
  has_cross_site_ancestor: ({ cookie }) => crossSiteAncestor(cookie),
};

export function hostKeyOf({ hostOnly, domain }: Pick<CookieIdentity, "hostOnly" | "domain">): string {
  return hostOnly ? domain : `.${domain}`;
}

/** Chromium 156 writes 1 for cookies without a partition. */
export function crossSiteAncestor({ partitionKey }: Pick<CookieIdentity, "partitionKey">): number {
  return Number(partitionKey?.crossSiteAncestor ?? true);
}
