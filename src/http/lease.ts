import type { CookieChange, Jar } from "../cookies/index.ts";
import type { Identity, Secret } from "../kernel/index.ts";
import type { Hop } from "./hop.ts";

/** A page opened by a person, a script's request on that page, or a program's request with nothing added. */
export type Mode = "browser" | "fetch" | "api";

/** Where a lease may go. */
export interface EgressRules {
  /**
   * The service's registrable domain, or its address or single-label host. Cookies never leave it, and a lease with a
   * jar may contact its other hosts. Null: base_url's origin and `hosts` only, and no cookies.
   */
  readonly domain: string | null;
  /**
   * Further origins, as `host` (https), `host:port` or a whole origin; keys and tokens may go there too. `any` is the
   * open web, for a lease that holds nothing.
   */
  readonly hosts: readonly string[] | "any";
}

/** A key or token, which alone knows where in a request it belongs. */
export interface Credential {
  /** Called only for a hop whose origin may have it, and anew for each hop. */
  apply(hop: Hop): Hop;
}

/**
 * What one run may use, made by auth/ and bound to the run. Nothing in a request can name another identity, because
 * nothing in a request names one.
 */
export interface Lease {
  readonly identity: Identity | null;
  readonly mode: Mode;
  readonly baseUrl: URL | null;
  readonly jar: Jar | null;
  /** The jar began empty and is nobody's, as in a private window: each cookie goes back to the site that set it. */
  readonly passing?: true;
  readonly credential: Credential | null;
  readonly egress: EgressRules;
  /** Values that are masked wherever a server echoes them. */
  readonly secrets: readonly Secret[];
  /** The same, for this request: what its templates made of secrets, however short. */
  readonly written?: readonly Secret[] | undefined;
  /** Told before the response is handed on, so that a caller that throws keeps what arrived. */
  onJarChange(changes: readonly CookieChange[]): void | Promise<void>;
}
