import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { DeputyError, Secret } from "../../kernel/index.ts";
import type { FlowOutcome } from "./flow-outcome.ts";
import { listenForRedirect, type RedirectServer } from "./redirect-server.ts";
import { endpointUrl, type OAuthService } from "./service-lookup.ts";
import type { Asking, TokenEndpoint } from "./token-endpoint.ts";

export interface AuthorizationFlowParts extends Asking {
  readonly endpoint: TokenEndpoint;
  readonly scopes: readonly string[];
  /** The account, where one is named already: services that know `login_hint` choose it. */
  readonly loginHint?: string | undefined;
  /** Instead of a free one, or of FIXED_PORT where the service wants one that was registered. */
  readonly port?: number | undefined;
  /** Where nothing can listen: the address registered with the service, to be pasted back. */
  readonly redirectUri?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Dispose it when it is no longer waited for: the port is free then. */
export interface AuthorizationFlow extends AsyncDisposable {
  /** To be opened in the person's browser. */
  readonly url: string;
  /** What the service must have registered for the client. */
  readonly redirectUri: string;
  /** False: the browser cannot come back here, and the person must paste. */
  readonly listens: boolean;
  /** The address a browser ended at, pasted by a person whose browser is on another machine. */
  acceptRedirect(
    address: string,
  ): { readonly kind: "accepted" } | { readonly kind: "refused"; readonly reason: string };
  /** TIMEOUT after `timeoutMs`, CANCELLED when it was given up. */
  readonly finished: Promise<FlowOutcome>;
}

const FIXED_PORT = 8914;
const PATH = "/callback";
const TIMEOUT_MS = 5 * 60_000;

/** Authorization code with PKCE and state, on a loopback redirect (RFC 6749 4.1, 7636, 8252). */
export async function startAuthorizationFlow(parts: AuthorizationFlowParts): Promise<AuthorizationFlow> {
  const { endpoint, service, client, signal, timeoutMs = TIMEOUT_MS } = parts;
  if (service.authUrl === null) {
    throw new DeputyError("UNSUPPORTED", `${service.name ?? service.domain} names no page to log in at`, {
      hint: "The connection needs an auth_url, or a service Deputy knows.",
    });
  }
  const authUrl = endpointUrl(service.authUrl);
  const state = randomBytes(32).toString("base64url");
  const verifier = service.pkce ? Secret.fromText(randomBytes(32).toString("base64url")) : null;
  const arrived = Promise.withResolvers<URLSearchParams>();
  let taken = false;
  const accept = (params: URLSearchParams): boolean => {
    if (taken || !isSame(params.get("state"), state) || !(params.has("code") || params.has("error")))
      return false;
    taken = true;
    arrived.resolve(params);
    return true;
  };

  const server = await listen(parts, accept);
  const redirectUri = parts.redirectUri ?? redirectUriOf(service, server?.port);
  const ended = new AbortController();
  const giveUp = () => {
    arrived.reject(new DeputyError("CANCELLED", "The login was given up"));
    ended.abort();
  };
  const timer = setTimeout(
    () =>
      arrived.reject(
        new DeputyError(
          "TIMEOUT",
          `Nobody finished the login within ${Math.round(timeoutMs / 1000)} seconds`,
          {
            hint: "Begin it again when you are at the browser.",
          },
        ),
      ),
    timeoutMs,
  );
  if (signal?.aborted === true) giveUp();
  signal?.addEventListener("abort", giveUp, { once: true });

  async function finish(): Promise<FlowOutcome> {
    try {
      const params = await arrived.promise;
      const code = params.get("code");
      if (code === null) return { kind: "denied", reason: reasonOf(params.get("error")) };
      using secret = Secret.fromText(code);
      return await endpoint.exchange({
        service,
        client,
        code: secret,
        redirectUri,
        verifier,
        signal: ended.signal,
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      verifier?.[Symbol.dispose]();
      await server?.[Symbol.asyncDispose]();
    }
  }

  const finished = finish();
  finished.catch(() => {}); // whoever waits for it gets the error; disposing alone must not raise it
  return {
    url: loginPage(authUrl, parts, { state, redirectUri, verifier }),
    redirectUri,
    listens: server !== undefined,
    finished,
    acceptRedirect(address) {
      const url = URL.canParse(address.trim()) ? new URL(address.trim()) : undefined;
      if (url === undefined) return { kind: "refused", reason: "it is not a whole address" };
      if (`${url.origin}${url.pathname}` !== redirectUri)
        return { kind: "refused", reason: `it does not begin with ${redirectUri}` };
      return accept(url.searchParams)
        ? { kind: "accepted" }
        : { kind: "refused", reason: "it is not the answer to the login that was begun" };
    },
    async [Symbol.asyncDispose]() {
      giveUp();
      await finished.catch(() => {});
    },
  };
}

async function listen(
  { service, port, redirectUri }: AuthorizationFlowParts,
  accept: (params: URLSearchParams) => boolean,
): Promise<RedirectServer | undefined> {
  if (redirectUri !== undefined || service.redirect === "paste") return undefined;
  const wanted = port ?? (service.redirect === "fixed-port" ? FIXED_PORT : 0);
  return listenForRedirect({ host: service.redirectHost, path: PATH, port: wanted, accept });
}

/** Where nothing listens the browser shows an error page, and its address is what counts. */
function redirectUriOf({ redirectHost }: OAuthService, port: number | undefined): string {
  return port === undefined ? `https://localhost${PATH}` : `http://${redirectHost}:${port}${PATH}`;
}

function loginPage(
  authUrl: URL,
  { service, client, scopes, loginHint }: AuthorizationFlowParts,
  { state, redirectUri, verifier }: { state: string; redirectUri: string; verifier: Secret | null },
): string {
  const wanted = [...new Set([...service.scopes, ...scopes])].join(service.scopeSeparator);
  const url = new URL(authUrl);
  const params = {
    ...service.authParams,
    ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    ...(wanted === "" ? {} : { [service.scopeParam]: wanted }),
    ...(verifier === null ? {} : { code_challenge: challengeOf(verifier), code_challenge_method: "S256" }),
    // Last: nothing a manifest says may replace these.
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: redirectUri,
    state,
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}

// RFC 7636 4.2: code_challenge = BASE64URL-ENCODE(SHA256(ASCII(code_verifier)))
function challengeOf(verifier: Secret): string {
  return createHash("sha256").update(verifier.bytes()).digest("base64url");
}

function isSame(given: string | null, state: string): boolean {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(state)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A service's word for why, if it is one: the page it sent may say anything. */
function reasonOf(error: string | null): string {
  return error !== null && /^[a-z_]{1,40}$/.test(error) ? error : "refused";
}
