import { DeputyError } from "../../kernel/index.ts";
import { foldDomain } from "../../vault/index.ts";
import { services } from "./services.ts";

/** Where an account's name can be learned with a token. */
export interface WhoIs {
  readonly url: string;
  /** Sent as JSON by POST; without one it is a GET. */
  readonly post?: unknown;
}

/** All one must know of an authorization server. */
export interface OAuthService {
  /** Null for one a connection describes by its addresses. */
  readonly name: string | null;
  /** Whom the owner's client is registered with: its row is kept under this domain. */
  readonly domain: string;
  readonly authUrl: string | null;
  readonly tokenUrl: string;
  /** Where it is another than tokenUrl. */
  readonly refreshUrl: string | null;
  readonly deviceUrl: string | null;
  readonly pkce: boolean;
  readonly secret: "needed" | "optional";
  /** RFC 6749 2.3.1. `basic-always`: a client without a secret shows an empty one. */
  readonly clientAuth: "post" | "basic" | "basic-always";
  readonly body: "form" | "json";
  readonly authParams: Readonly<Record<string, string>>;
  /** Asked for besides those a connection wants: without them no refresh token, or no name, is given. */
  readonly scopes: readonly string[];
  readonly scopeParam: "scope" | "user_scope";
  readonly scopeSeparator: " " | ",";
  /**
   * What may be registered as the address the browser returns to: loopback with any port (RFC 8252 7.3), loopback
   * with one port, or nothing this program can listen on, so that the person carries the address over.
   */
  readonly redirect: "any-port" | "fixed-port" | "paste";
  readonly redirectHost: "127.0.0.1" | "localhost";
  /** A part of the token answer that holds the tokens where the top does not. */
  readonly tokensIn: string | null;
  readonly whoIs: WhoIs | null;
  /** Paths whose values, joined by `@`, name the account: in the id_token, the token answer or what whoIs says. */
  readonly identifier: readonly (readonly string[])[];
  /** Where a person registers a client. */
  readonly helpUrl: string | null;
}

/** As a connection declares it. */
export interface DeclaredService {
  readonly service: string | null;
  readonly authUrl: string | null;
  readonly tokenUrl: string | null;
  readonly deviceUrl: string | null;
  readonly authParams: Readonly<Record<string, string>>;
}

/**
 * The service a connection means. A named one's addresses are fixed: a manifest that could bend them would have the
 * owner's client secret and refresh tokens sent elsewhere.
 */
export function oauthService(declared: DeclaredService): OAuthService {
  const { service: name, authUrl, tokenUrl, deviceUrl, authParams } = declared;
  if (name === null) {
    if (tokenUrl === null) throw unusable("it names neither a service nor a token_url");
    const service = described(tokenUrl);
    if (service.name !== null) return asKnown(service, declared);
    // The client secret is shown to both.
    if (deviceUrl !== null && foldDomain(deviceUrl) !== foldDomain(tokenUrl))
      throw unusable("its device_url is at another domain than its token_url");
    return { ...service, ...checked({ authUrl, deviceUrl }), authParams };
  }
  const known = findService(name);
  if (known === undefined) {
    throw unusable(
      `there is no service "${name}"`,
      `Known are ${services.map((one) => one.name).join(", ")}.`,
    );
  }
  return asKnown(known, declared);
}

/** By its name or by its token address: its other addresses are fixed too, for its client secret goes to them. */
function asKnown(known: OAuthService, declared: DeclaredService): OAuthService {
  for (const [given, ours] of [
    [declared.authUrl, known.authUrl],
    [declared.tokenUrl, known.tokenUrl],
    [declared.deviceUrl, known.deviceUrl],
  ]) {
    if (given === null || given === ours) continue;
    const hint =
      declared.service === null
        ? `Write \`service: ${known.name}\` and leave the addresses out.`
        : "Leave out `service` to give others.";
    throw unusable(`${known.name} has addresses of its own`, hint);
  }
  return { ...known, authParams: { ...known.authParams, ...declared.authParams } };
}

export function findService(name: string): OAuthService | undefined {
  return services.find((one) => one.name === name);
}

/** A server of which only the token address is known: the table's where it is there, else one that keeps to the RFCs. */
export function described(tokenUrl: string): OAuthService {
  const known = services.find((one) => one.tokenUrl === tokenUrl);
  if (known !== undefined) return known;
  const { hostname } = endpointUrl(tokenUrl);
  const folded = foldDomain(hostname);
  return {
    name: null,
    // Somewhere at a known service's domain others' programs may run: the client the owner has there is not for them.
    domain: services.some(({ domain }) => domain === folded) ? hostname : folded,
    authUrl: null,
    tokenUrl,
    refreshUrl: null,
    deviceUrl: null,
    pkce: true,
    secret: "optional",
    clientAuth: "post",
    body: "form",
    authParams: {},
    scopes: [],
    scopeParam: "scope",
    scopeSeparator: " ",
    redirect: "any-port",
    redirectHost: "127.0.0.1",
    tokensIn: null,
    whoIs: null,
    identifier: [["email"], ["preferred_username"], ["sub"]],
    helpUrl: null,
  };
}

function checked<T extends Record<string, string | null>>(urls: T): T {
  for (const url of Object.values(urls)) if (url !== null) endpointUrl(url);
  return urls;
}

/** RFC 6749 3.1 and 3.2 require TLS; only this machine itself may do without. */
export function endpointUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const local = ["127.0.0.1", "[::1]", "localhost"].includes(url?.hostname ?? "");
  if (url?.protocol === "https:" || (url?.protocol === "http:" && local)) return url;
  throw unusable("its addresses must begin with https://");
}

function unusable(why: string, hint?: string): DeputyError {
  return new DeputyError("BAD_INPUT", `Cannot use this OAuth connection: ${why}`, { hint });
}
