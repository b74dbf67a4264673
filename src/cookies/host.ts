import { registrableDomain } from "./registrable-domain.ts";

/** What a URL leaves as it is: nothing to fold, to decode or to check as punycode, and no number at the end. */
const CANONICAL = /^(?:[a-z0-9_-]+\.)*[a-z][a-z0-9_-]*$/;

/**
 * A host as a URL would write it, lower case and punycode, without one leading dot; undefined where the text is not
 * a host alone. Escapes are refused because they would be decoded, tabs because they would be dropped.
 */
export function canonicalHost(text: string): string | undefined {
  const host = text.startsWith(".") ? text.slice(1) : text;
  if (CANONICAL.test(host) && !host.includes("--")) return host; // parsing a URL costs ten times as much
  const isPlain = /^\[[\da-f:.]+\]$/i.test(host) || !/[%/?#@:\\[\]\s\x00-\x1f]/.test(host);
  return isPlain && URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : undefined;
}

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
