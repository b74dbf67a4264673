import { z } from "zod";
import { type HeaderPair, type Http, readText } from "../../http/index.ts";
import { type Clock, DeputyError, type Identity, Secret } from "../../kernel/index.ts";
import { asJson } from "../as-json.ts";
import { bareLease, USER_AGENT } from "./bare-lease.ts";
import type { OAuthClient } from "./client-store.ts";
import { endpointUrl, type OAuthService } from "./service-lookup.ts";
import { readTokens, type Tokens } from "./token-answer.ts";
import { type Refusal, refusalOf } from "./token-refusal.ts";

/** `dead`: what was shown is spent, expired or revoked, and will never be accepted again. */
export type TokenOutcome =
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  | { readonly kind: "dead"; readonly reason: string };

export interface DeviceStart {
  readonly deviceCode: Secret;
  readonly userCode: string;
  readonly verificationUrl: string;
  /** With the code in it already. */
  readonly completeUrl: string | null;
  readonly expiresAt: number;
  readonly intervalMs: number;
}

export type DevicePoll =
  | TokenOutcome
  | { readonly kind: "pending" }
  | { readonly kind: "slow-down" }
  | { readonly kind: "denied" | "expired"; readonly reason: string };

/** Who asks, of whom. */
export interface Asking {
  readonly service: OAuthService;
  readonly client: OAuthClient;
  readonly signal?: AbortSignal | undefined;
}

/** The requests of RFC 6749, 7636 and 8628 to an authorization server itself. No error quotes what was sent or answered. */
export interface TokenEndpoint {
  exchange(
    ask: Asking & { code: Secret; redirectUri: string; verifier: Secret | null },
  ): Promise<TokenOutcome>;
  refresh(ask: Asking & { refreshToken: Secret; identity: Identity }): Promise<TokenOutcome>;
  startDevice(ask: Asking & { scopes: readonly string[] }): Promise<DeviceStart>;
  pollDevice(ask: Asking & { deviceCode: Secret }): Promise<DevicePoll>;
}

/** Within which a token request ends, one way or the other. */
export const ANSWER_MS = 20_000;
const MOST_BYTES = 256 * 1024;
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

// RFC 8628 3.2: "If no value is provided, clients MUST use 5 as the default."
const deviceAnswer = z
  .looseObject({
    device_code: z.string().min(1),
    user_code: z.string().min(1),
    verification_uri: z.string().optional(),
    verification_url: z.string().optional(), // Google's name for it
    verification_uri_complete: z.string().nullish(),
    expires_in: z.coerce.number().positive().catch(900),
    interval: z.coerce.number().positive().catch(5),
  })
  .transform(({ verification_uri, verification_url, ...rest }) => ({
    ...rest,
    verification_uri: verification_uri ?? verification_url ?? "",
  }));

export function createTokenEndpoint({ http, clock }: { http: Http; clock: Clock }): TokenEndpoint {
  async function post(
    url: URL,
    { service, client, signal }: Asking,
    fields: Record<string, string>,
    identity: Identity | null,
  ): Promise<{ status: number; answer: unknown }> {
    const { headers, extra } = clientProof(service, client);
    const all = { ...fields, ...extra };
    const body = service.body === "json" ? JSON.stringify(all) : new URLSearchParams(all).toString();
    const type = service.body === "json" ? "application/json" : "application/x-www-form-urlencoded";
    const response = await http.send(
      bareLease(url, { identity }),
      {
        method: "POST",
        url: url.href,
        // GitHub answers with a form unless asked for JSON.
        headers: [["Content-Type", type], ["Accept", "application/json"], USER_AGENT, ...headers],
        body: Buffer.from(body),
        timeoutMs: ANSWER_MS,
        maxBytes: MOST_BYTES,
        redirect: "error", // nobody has a reason to send a secret on
      },
      signal,
    );
    const text = await readText(response);
    const answer = /^\s*[[{]/.test(text) ? asJson(text) : Object.fromEntries(new URLSearchParams(text));
    return { status: response.status, answer };
  }

  async function askForTokens(
    url: string,
    ask: Asking,
    fields: Record<string, string>,
    identity: Identity | null = null,
  ): Promise<{ kind: "tokens"; tokens: Tokens } | Refusal> {
    const { status, answer } = await post(endpointUrl(url), ask, fields, identity);
    const tokens = status < 300 ? readTokens(answer, clock.now(), ask.service.tokensIn) : undefined;
    if (tokens !== undefined) return { kind: "tokens", tokens };
    return refusalOf(status, answer, new URL(url).host);
  }

  return {
    async exchange({ code, redirectUri, verifier, ...ask }) {
      const fields = {
        grant_type: "authorization_code",
        code: code.reveal(),
        redirect_uri: redirectUri,
        ...(verifier === null ? {} : { code_verifier: verifier.reveal() }),
      };
      return asOutcome(await askForTokens(ask.service.tokenUrl, ask, fields), ask.service);
    },

    async refresh({ refreshToken, identity, ...ask }) {
      const fields = { grant_type: "refresh_token", refresh_token: refreshToken.reveal() };
      const url = ask.service.refreshUrl ?? ask.service.tokenUrl;
      const found = await askForTokens(url, ask, fields, identity);
      // Auth0, and with it Atlassian, says this of a refresh token that has ended.
      if (found.kind === "client" && found.reason === "unauthorized_client")
        return { kind: "dead", reason: found.reason };
      return asOutcome(found, ask.service);
    },

    async startDevice({ scopes, ...ask }) {
      const { service, client } = ask;
      if (service.deviceUrl === null) {
        throw new DeputyError("UNSUPPORTED", `${nameOf(service)} has no login by code`, {
          hint: "Leave out --device.",
        });
      }
      const fields = { client_id: client.clientId, scope: scopes.join(service.scopeSeparator) };
      // The secret is for the token endpoint; only those who want it in a header want it here as well.
      const bare = service.clientAuth === "post" ? { ...client, clientSecret: null } : client;
      const url = endpointUrl(service.deviceUrl);
      const { status, answer } = await post(url, { ...ask, client: bare }, fields, null);
      const parsed = deviceAnswer.safeParse(answer);
      if (!parsed.success || status >= 300) {
        asOutcome(refusalOf(status, answer, url.host), service);
        throw new DeputyError("PROTOCOL", `${nameOf(service)} gives no device code`);
      }
      const { device_code, user_code, verification_uri, verification_uri_complete, ...times } = parsed.data;
      return {
        deviceCode: Secret.fromText(device_code),
        userCode: user_code,
        verificationUrl: endpointUrl(verification_uri).href,
        completeUrl: verification_uri_complete ? endpointUrl(verification_uri_complete).href : null,
        expiresAt: clock.now() + times.expires_in * 1000,
        intervalMs: times.interval * 1000,
      };
    },

    async pollDevice({ deviceCode, ...ask }) {
      const fields = { grant_type: DEVICE_GRANT, device_code: deviceCode.reveal() };
      const found = await askForTokens(ask.service.tokenUrl, ask, fields);
      if (found.kind !== "device") return asOutcome(found, ask.service);
      switch (found.reason) {
        case "authorization_pending":
          return { kind: "pending" };
        case "slow_down":
          return { kind: "slow-down" };
        case "expired_token":
          return { kind: "expired", reason: found.reason };
        default:
          return { kind: "denied", reason: found.reason };
      }
    },
  };
}

/** RFC 6749 2.3.1: in a header where the service wants it, else in the body. */
function clientProof(
  { clientAuth }: OAuthService,
  { clientId, clientSecret }: OAuthClient,
): { headers: HeaderPair[]; extra: Record<string, string> } {
  if (clientAuth === "basic-always" || (clientAuth === "basic" && clientSecret !== null)) {
    const pair = [clientId, clientSecret?.reveal() ?? ""].map(encodeURIComponent).join(":");
    return { headers: [["Authorization", `Basic ${Buffer.from(pair).toString("base64")}`]], extra: {} };
  }
  const secret = clientSecret?.reveal();
  return {
    headers: [],
    extra: { client_id: clientId, ...(secret === undefined ? {} : { client_secret: secret }) },
  };
}

function asOutcome(found: { kind: "tokens"; tokens: Tokens } | Refusal, service: OAuthService): TokenOutcome {
  switch (found.kind) {
    case "tokens":
      return found;
    case "client":
      throw new DeputyError(
        "BAD_INPUT",
        `${nameOf(service)} does not know this client id and secret (${found.reason})`,
        { hint: `Store the right ones: deputy vault set ${service.domain} @client --type oauth_client` },
      );
    case "dead":
    case "device":
      return { kind: "dead", reason: found.reason };
  }
}

function nameOf({ name, domain }: OAuthService): string {
  return name ?? domain;
}
