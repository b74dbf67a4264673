import { registrableDomain } from "./registrable-domain.ts";

/** Whether a canonical URL host is a numeric address. */
export function isAddress(host: string): boolean {
  return host.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

/** Hosts whose traffic never leaves the machine: Chromium treats http to them as trustworthy. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost") || host === "[::1]") return true;
  return isAddress(host) && host.startsWith("127.");
}

/** RFC 6265bis 5.1.3: the host is the domain, or "the last character of the string that is not included … is `.`". */
export function domainMatches(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && !isAddress(host));
}

/** What Chromium counts and looks cookies up by: the registrable domain, or the host where there is none. */
export function siteOf(host: string): string {
  return registrableDomain(host) ?? host;
}
