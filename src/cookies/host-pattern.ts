import { DeputyError } from "../kernel/index.ts";
import { canonicalHost, isAddress } from "./host.ts";
import { registrableDomain } from "./registrable-domain.ts";

/**
 * Whether a host falls under a pattern: `example.com` is it and everything below it, `*.example.com` only what is
 * below, `airbnb.*` that name before any public suffix (and below), `*` every host. A part of a label never matches.
 */
export function hostMatches(pattern: string, host: string): boolean {
  if (pattern === "*") return true;
  if (pattern.endsWith(".*")) {
    const name = pattern.slice(0, -2);
    const site = registrableDomain(host);
    return site !== null && site.slice(0, site.indexOf(".")) === name;
  }
  if (pattern.startsWith("*.")) return host.endsWith(pattern.slice(1)) && !isAddress(host);
  return host === pattern || (host.endsWith(`.${pattern}`) && !isAddress(host));
}

/** A pattern as it is compared: lower case, punycode, without a leading dot. */
export function parseHostPattern(text: string): string {
  const written = text.trim().toLowerCase();
  if (written === "*") return written;
  const [, below = "", host = "", suffixes = ""] = /^(\*\.)?(.*?)(\.\*)?$/.exec(written) ?? [];
  const canonical = host.includes("*") ? undefined : canonicalHost(host);
  const sound =
    canonical !== undefined &&
    !canonical.endsWith(".") &&
    !(below !== "" && suffixes !== "") &&
    !(suffixes !== "" && canonical.includes("."));
  if (!sound)
    throw new DeputyError("BAD_INPUT", "Cannot use the pattern: it is not a host", {
      hint: "Write example.com, *.example.com, example.* or *.",
    });
  return `${below}${canonical}${suffixes}`;
}
