import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { DeputyError } from "../kernel/index.ts";
import type { RowFilter } from "../chromium/index.ts";
import type { CookieQuery } from "./cookie-reader.ts";

/**
 * A query as the hosts browsers file cookies under: host-only as `www.example.com`, domain cookies with a leading
 * dot. RFC 6265 5.1.3: a host matches its own domain and every parent's, and an address only itself.
 */
export function rowFilter(query: CookieQuery): RowFilter {
  if (query.host !== undefined) return { hostKeys: hostKeys(canonical(query.host)) };
  if (query.under === undefined) return {};
  const under = canonical(query.under);
  return isAddress(under) ? { hostKeys: hostKeys(under) } : { under };
}

/** Whether a filed host is among those asked for: for stores that are no database. */
export function isWanted(filter: RowFilter, hostKey: string): boolean {
  if (filter.hostKeys !== undefined) return filter.hostKeys.includes(hostKey);
  if (filter.under === undefined) return true;
  return hostKey === filter.under || hostKey.endsWith(`.${filter.under}`);
}

function hostKeys(host: string): string[] {
  if (isAddress(host)) return [host];
  const labels = host.split(".");
  return [host, ...labels.map((_, i) => `.${labels.slice(i).join(".")}`)];
}

function isAddress(host: string): boolean {
  return host.startsWith("[") || isIP(host) !== 0;
}

function canonical(host: string): string {
  const bare = host.replace(/^\./, "").replace(/\.$/, "");
  const address = bare.replace(/^\[|\]$/g, "");
  if (isIP(address) === 6) return new URL(`http://[${address}]/`).hostname;
  // Node would decode escapes and stop at a slash, and so find a host in what is none.
  const ascii = /[\s%/?#@:\\*[\]]/.test(bare) ? "" : domainToASCII(bare).toLowerCase();
  if (ascii === "")
    throw new DeputyError("BAD_INPUT", "Cannot look for cookies: that is not a host name", {
      hint: "Give a host such as www.example.com.",
    });
  return ascii;
}
