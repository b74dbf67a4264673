import { classify } from "./classify.ts";
import type { Cookie, PartitionKey, Priority, SameSite } from "./cookie.ts";
import { cookieDomain } from "./cookie-domain.ts";
import { cookieExpiry } from "./cookie-expiry.ts";
import { cookiePath } from "./cookie-path.ts";
import { prefixRefusal } from "./cookie-prefix.ts";
import { isAddress } from "./host.ts";
import type { Origin } from "./origin.ts";
import type { RefusalReason } from "./refusal.ts";
import { parseSetCookie } from "./set-cookie.ts";

export interface CookieSetting {
  /** False for a script. */
  readonly http: boolean;
  readonly now: number;
  /** The partition of the page the header arrived in; null where partitions are not wanted. */
  readonly partitionKey: PartitionKey | null;
}

/** The cookie a Set-Cookie header from `origin` asks for (RFC 6265bis 5.7), or why it may not ask for it. */
export function createCookie(header: string, origin: Origin, setting: CookieSetting): Cookie | RefusalReason {
  const parsed = parseSetCookie(header);
  if (typeof parsed === "string") return parsed;
  const { name, value, attributes } = parsed;
  const domain = cookieDomain(attributes.get("domain") ?? "", origin.host);
  if (typeof domain === "string") return domain;
  const secure = attributes.has("secure");
  const httpOnly = attributes.has("httponly");
  const prefix = prefixRefusal({
    name,
    value,
    secure: secure && origin.secure,
    httpOnly,
    hostBound: isHostBound(attributes, origin.host),
  });
  if (prefix !== undefined) return prefix;

  const partitioned = attributes.has("partitioned");
  const sameSite = oneOf<SameSite>(attributes.get("samesite"), ["none", "lax", "strict"]) ?? "unset";
  // CHIPS: "If the cookie's Partitioned attribute is set and its secure-only-flag is not, abort".
  if (partitioned && !(secure && origin.secure)) return "partitioned-not-secure";
  // Stored without its partition it would follow the user from site to site.
  if (partitioned && setting.partitionKey === null) return "partitioned-nowhere";
  // RFC 6265bis 5.7: "If … scheme component of the request-uri does not denote a `secure` protocol … and the
  // cookie's secure-only-flag is true, then abort". Chromium counts loopback as secure.
  if (secure && !origin.secure) return "secure-from-insecure";
  // "If the cookie was received from a `non-HTTP` API and the cookie's http-only-flag is true, abort".
  if (httpOnly && !setting.http) return "httponly-from-script";
  // "If the cookie's same-site-flag is `None`, abort … unless the cookie's secure-only-flag is true".
  if (sameSite === "none" && !secure) return "samesite-none-not-secure";

  // Chromium's CanonicalCookie::Create files a Secure cookie from loopback as if it came over https, and from
  // https's own port where it came from http's. A script's cookie keeps the origin of its page.
  const filedSecure = origin.encrypted || (secure && setting.http);
  const cookie = {
    name,
    value,
    ...domain,
    path: cookiePath(attributes.get("path") ?? "", origin.path),
    expires: cookieExpiry(attributes, setting.now),
    secure,
    httpOnly,
    sameSite,
    partitionKey: partitioned ? setting.partitionKey : null,
    sourceScheme: filedSecure ? ("secure" as const) : ("nonsecure" as const),
    sourcePort: filedSecure && !origin.encrypted && origin.port === 80 ? 443 : origin.port,
    priority: oneOf<Priority>(attributes.get("priority"), ["low", "medium", "high"]) ?? "medium",
    created: setting.now,
    updated: setting.now,
  };
  return { ...cookie, kind: classify(cookie).kind };
}

/** The Path must be written out: a default path that happens to be "/" does not count. */
function isHostBound(attributes: ReadonlyMap<string, string>, host: string): boolean {
  const domain = attributes.get("domain") ?? "";
  return attributes.get("path") === "/" && (domain === "" || (isAddress(host) && domain === host));
}

function oneOf<T extends string>(text: string | undefined, allowed: readonly T[]): T | undefined {
  return allowed.find((one) => one === text?.toLowerCase());
}
