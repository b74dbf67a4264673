import { registrableDomain } from "../cookies/index.ts";
import { DeputyError } from "../kernel/index.ts";
import type { Lease } from "./lease.ts";

/** What may go to a URL that may be contacted. */
export interface Passage {
  readonly cookies: boolean;
  readonly credential: boolean;
}

/** Decides for each hop anew where a lease may go. Throws DENIED; nothing was sent then. */
export class Egress {
  readonly #lease: Lease;
  readonly #origins: ReadonlySet<string>;

  constructor(lease: Lease) {
    const { baseUrl, egress } = lease;
    const holdsJar = lease.jar !== null && lease.passing !== true;
    const holds = lease.identity !== null || lease.credential !== null || holdsJar;
    if (egress.hosts === "any" && holds)
      throw new TypeError("A lease that holds an identity cannot go anywhere");
    this.#lease = lease;
    const listed = egress.hosts === "any" ? [] : egress.hosts.map(originOf);
    this.#origins = new Set(baseUrl === null ? listed : [baseUrl.origin, ...listed]);
  }

  passage(url: URL): Passage {
    const inDomain = this.#isInDomain(url.hostname);
    const passing = this.#lease.passing === true;
    if (this.#origins.has(url.origin)) return { cookies: inDomain || passing, credential: true };
    if (inDomain && this.#lease.jar !== null && this.#isLikeBase(url))
      return { cookies: true, credential: false };
    if (this.#lease.egress.hosts === "any" && isWebPort(url)) return { cookies: passing, credential: false };
    throw new DeputyError("DENIED", `Cannot contact ${url.host}: this connection does not cover it`, {
      hint: "List the host under `hosts:` of the connection; the owner is asked again then",
    });
  }

  #isInDomain(host: string): boolean {
    const { domain } = this.#lease.egress;
    return domain !== null && (registrableDomain(host) ?? host) === domain;
  }

  /** A domain's other hosts, but no lesser protection than base_url's and no service on a port of its own. */
  #isLikeBase(url: URL): boolean {
    const { baseUrl } = this.#lease;
    if (url.protocol === "http:" && baseUrl?.protocol !== "http:") return false;
    if (url.port === baseUrl?.port) return true;
    return url.port === "" && registrableDomain(url.hostname) !== null;
  }
}

/** `host` and `host:port` mean https. */
function originOf(listed: string): string {
  const text = listed.includes("://") ? listed : `https://${listed}`;
  if (!URL.canParse(text)) throw new TypeError(`Not a host: ${listed}`);
  return new URL(text).origin;
}

/** Below 1024 only the web's own ports: mail, shells and databases read requests as commands. */
function isWebPort({ port }: URL): boolean {
  return port === "" || port === "80" || port === "443" || Number(port) >= 1024;
}
