import { getDomain } from "tldts";

/**
 * The public suffix plus one label, or null where there is none: public suffixes, single labels, addresses.
 * Private suffixes count (github.io), or strangers who share a host would share cookies.
 */
export function registrableDomain(host: string): string | null {
  if (host.startsWith(".")) return null;
  // A trailing dot makes another host, so it makes another site: `example.com.` is not `example.com`.
  const root = host.endsWith(".") ? "." : "";
  const name = host.slice(0, host.length - root.length).toLowerCase();
  const domain = getDomain(name, {
    allowPrivateDomains: true,
    extractHostname: false,
    validateHostname: false,
  });
  return domain === null || domain === "" ? null : domain + root;
}
