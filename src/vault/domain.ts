import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { getDomain } from "tldts";
import { DeputyError } from "../kernel/index.ts";

/**
 * The identity namespace a host, URL or bare word belongs to: its registrable domain, so that `api.exa.ai`,
 * `dashboard.exa.ai` and `.exa.ai` are one login. IPs, localhost, bare words and public suffixes stand for
 * themselves.
 */
export function foldDomain(text: string): string {
  const host = hostOf(text.trim());
  if (isIP(host) !== 0) return host;
  // Private suffixes count: without them strangers on github.io would become one identity.
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}

interface DomainSource {
  readonly domain?: string | undefined;
  readonly authDomain?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly skillId: string;
}

/** The domain a connection's credentials are kept under. Its name plays no part: that is a local label. */
export function connectionDomain(connection: DomainSource): string {
  return foldDomain(connection.domain ?? connection.authDomain ?? connection.baseUrl ?? connection.skillId);
}

function hostOf(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    if (!URL.canParse(text)) throw notADomain("it is not a complete URL");
    return canonical(new URL(text).hostname.replace(/\.$/, ""));
  }
  if (/[/\\?#@\s]/.test(text)) throw notADomain("it has characters no host name has");
  return canonical(text.replace(/^\.+/, "").replace(/\.$/, ""));
}

/** Lower case, punycode, IPs in their usual spelling (`0x7f.1` is 127.0.0.1). */
function canonical(host: string): string {
  const bare = host.replace(/^\[|\]$/g, "");
  if (bare === "") throw notADomain("it is empty");
  if (isIP(bare) === 6) return new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const ascii = domainToASCII(bare);
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(ascii) || ascii.length > 253 || bare.includes("%")) {
    throw notADomain("it is not a host name");
  }
  return ascii;
}

function notADomain(why: string): DeputyError {
  return new DeputyError("BAD_INPUT", `Cannot use that as a domain: ${why}`, {
    hint: "Give a host such as exa.ai or a URL such as https://exa.ai/",
  });
}
