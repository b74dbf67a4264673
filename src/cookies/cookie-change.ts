import type { Cookie } from "./cookie.ts";

/** What tells one cookie from another: RFC 6265bis 5.7, "same name, domain, host-only-flag, and path", per partition. */
export type CookieIdentity = Pick<Cookie, "name" | "domain" | "hostOnly" | "path" | "partitionKey">;

/** One line of a delta. A deletion is a fact with a time, so that a sink can tell it from a cookie it never had. */
export type CookieChange =
  | { readonly kind: "set"; readonly cookie: Cookie }
  | ({ readonly kind: "delete"; readonly at: number } & CookieIdentity);

/** Equal for cookies that replace one another. Not for people. */
export function cookieKey({ name, domain, hostOnly, path, partitionKey }: CookieIdentity): string {
  const partition =
    partitionKey === null ? null : [partitionKey.topLevelSite, partitionKey.crossSiteAncestor];
  return JSON.stringify([name, domain, hostOnly, path, partition]);
}
