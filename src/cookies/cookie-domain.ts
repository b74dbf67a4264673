import { canonicalHost, isAddress } from "./host.ts";
import type { RefusalReason } from "./refusal.ts";
import { registrableDomain } from "./registrable-domain.ts";

export interface CookieDomain {
  readonly domain: string;
  readonly hostOnly: boolean;
}

/** Whom a cookie set by `host` belongs to, given its Domain attribute (empty when there is none). */
export function cookieDomain(attribute: string, host: string): CookieDomain | RefusalReason {
  if (host.endsWith("..")) return "domain-invalid";
  if (attribute === "") return { domain: host, hostOnly: true };

  const named = attribute.toLowerCase().replace(/^\./, "");
  if (isAddress(host)) return named === host ? { domain: host, hostOnly: true } : "domain-of-address";

  const domain = canonicalHost(attribute);
  if (domain === undefined) return "domain-invalid";

  const site = registrableDomain(host);
  if (site === null) {
    // RFC 6265bis 5.7: "If the domain-attribute is identical to the canonicalized request-host: Let the
    // domain-attribute be the empty string" (that is, host-only), else a public suffix is refused.
    return named === host ? { domain: host, hostOnly: true } : "domain-public-suffix";
  }
  const other = registrableDomain(domain);
  if (other === null) return "domain-public-suffix";
  // RFC 6265bis 5.7: "If the canonicalized request-host does not domain-match the domain-attribute: abort".
  if (other !== site || (host !== domain && !host.endsWith(`.${domain}`))) return "domain-mismatch";
  return { domain, hostOnly: false };
}
