import type { Http } from "../../http/index.ts";
import { type Clock, DeputyError } from "../../kernel/index.ts";
import { rowKey, type Vault } from "../../vault/index.ts";
import type { Connection, OAuthAuth } from "../connection.ts";
import { startAuthorizationFlow } from "../oauth/authorization-flow.ts";
import { createClientStore, type OAuthClient } from "../oauth/client-store.ts";
import { startDeviceFlow } from "../oauth/device-flow.ts";
import type { FlowOutcome } from "../oauth/flow-outcome.ts";
import { loginOf } from "../oauth/oauth-login.ts";
import { createOAuthStore } from "../oauth/oauth-store.ts";
import { type OAuthService, oauthService } from "../oauth/service-lookup.ts";
import { createTokenEndpoint } from "../oauth/token-endpoint.ts";
import { whoIsIt } from "../oauth/who-is-it.ts";
import { type SignedIn, UNNAMED } from "./signed-in.ts";

interface Parts {
  readonly vault: Vault;
  readonly clock: Clock;
  readonly http: Http;
}

/** What the person has to do now. */
export type OAuthStep =
  | {
      readonly kind: "open";
      readonly url: string;
      readonly redirectUri: string;
      /** False: the browser cannot come back here, and the person pastes the address it ended at. */
      readonly listens: boolean;
      readonly paste: (
        address: string,
      ) => { readonly kind: "accepted" } | { readonly kind: "refused"; readonly reason: string };
    }
  | { readonly kind: "code"; readonly url: string; readonly code: string };

interface Given {
  readonly account?: string | undefined;
  /** The owner's client, where they have just registered one. It is kept. */
  readonly client?: OAuthClient | undefined;
  /** With a code typed on another device instead of a browser here. */
  readonly device: boolean;
  readonly onStep: (step: OAuthStep) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Whether the owner has to register a client first, and where. */
export function oauthNeeds(
  vault: Vault,
  auth: OAuthAuth,
): { service: OAuthService; client: OAuthClient | undefined } {
  const service = oauthService(auth);
  return { service, client: createClientStore({ vault }).find(service, auth.clientId) };
}

export async function signInWithOAuth(
  parts: Parts,
  connection: Connection,
  auth: OAuthAuth,
  given: Given,
): Promise<SignedIn> {
  const { vault, clock, http } = parts;
  const clients = createClientStore({ vault });
  const service = oauthService(auth);
  if (given.client !== undefined) clients.put(service, given.client);
  const client = clients.find(service, auth.clientId);
  // A login by code is made for programs that can keep no secret.
  if (client === undefined || (service.secret === "needed" && client.clientSecret === null && !given.device))
    throw noClient(service);

  const logins = createOAuthStore({ vault, clock });
  const scopes = [...new Set([...auth.scopes, ...scopesSoFar()])];
  const outcome = await flow(parts, service, client, scopes, given);
  if (outcome.kind !== "tokens") throw refused(service, outcome);

  const { tokens } = outcome;
  const who = await whoIsIt({ http, service, client, tokens, signal: given.signal });
  const { account } = given;
  if (account !== undefined && who !== undefined && who !== account) {
    throw new DeputyError("CONFLICT", `You logged in as ${who}, not as ${account}`, {
      hint: `Nothing was stored. Choose the other account in the browser, or leave out --account.`,
    });
  }
  const key = rowKey(connection.domain, account ?? who ?? UNNAMED, "oauth");
  const { tokenUrl, name } = service;
  const asked = [...scopes, ...service.scopes];
  logins.put(key, loginOf(tokens, { tokenUrl, service: name, clientId: client.clientId, asked }), "login");
  const identity = { domain: key.domain, identifier: key.identifier };
  return { identity, display: who ?? null, checked: who !== undefined, source: "login" };

  /** Another skill's scopes of the same login are asked for again: a token for fewer would lock it out. */
  function scopesSoFar(): readonly string[] {
    const known = logins.accounts(connection.domain).filter((one) => one === (given.account ?? one));
    const [only] = known;
    if (only === undefined || known.length > 1) return [];
    return logins.find({ domain: connection.domain, identifier: only })?.login.scopes ?? [];
  }
}

async function flow(
  { http, clock }: Parts,
  service: OAuthService,
  client: OAuthClient,
  scopes: readonly string[],
  { device, account, onStep, signal }: Given,
): Promise<FlowOutcome> {
  const endpoint = createTokenEndpoint({ http, clock });
  if (device || (service.authUrl === null && service.deviceUrl !== null)) {
    const started = await startDeviceFlow({ endpoint, clock, service, client, scopes, signal });
    onStep({ kind: "code", url: started.verificationUrl, code: started.userCode });
    return started.wait(signal);
  }
  await using started = await startAuthorizationFlow({
    endpoint,
    service,
    client,
    scopes,
    loginHint: account,
    signal,
  });
  const { url, redirectUri, listens } = started;
  onStep({ kind: "open", url, redirectUri, listens, paste: (address) => started.acceptRedirect(address) });
  return await started.finished;
}

function noClient(service: OAuthService): DeputyError {
  const name = service.name ?? service.domain;
  const where = service.helpUrl === null ? "" : ` at ${service.helpUrl}`;
  return new DeputyError(
    "LOGIN_NEEDED",
    `${name} wants to know which program asks: there is no client id yet`,
    {
      hint: `Register one${where}, then run this in a terminal: it asks for the id and the secret.`,
    },
  );
}

function refused(
  service: OAuthService,
  { kind, reason }: Exclude<FlowOutcome, { kind: "tokens" }>,
): DeputyError {
  const name = service.name ?? service.domain;
  if (kind === "expired") {
    return new DeputyError("TIMEOUT", `The code for ${name} was not used in time`, {
      hint: "Begin the login again, and type the new code.",
    });
  }
  return new DeputyError("LOGIN_NEEDED", `${name} did not let us in: ${reason}`, {
    hint: "Nothing was stored.",
  });
}
