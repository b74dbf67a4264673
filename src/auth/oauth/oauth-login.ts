import { z } from "zod";
import { DeputyError, Secret } from "../../kernel/index.ts";
import { asJson } from "../as-json.ts";
import { secretOrNull, splitScopes, type Tokens } from "./token-answer.ts";

/** What a vault row of type `oauth` holds, in one form whoever wrote it. */
export interface OAuthLogin {
  readonly accessToken: Secret | null;
  readonly refreshToken: Secret | null;
  readonly tokenType: string;
  /** Milliseconds since 1970; null: unknown, so that only a refusal tells. */
  readonly expiresAt: number | null;
  /** Granted or at least asked for; null: unknown. */
  readonly scopes: readonly string[] | null;
  readonly tokenUrl: string | null;
  readonly service: string | null;
  readonly clientId: string | null;
  readonly clientSecret: Secret | null;
  /** Whatever else the row holds, as JSON; it is kept. */
  readonly rest: Secret;
}

const text = z.string().min(1).nullish();

const stored = z.looseObject({
  access_token: text,
  refresh_token: text,
  token_type: text,
  expires_at: z.number().nullish(),
  expires_in: z.number().nullish(),
  scope: z.string().nullish(),
  scopes: z.array(z.string()).nullish(),
  token_url: text,
  service: text,
  client_id: text,
  client_secret: text,
});

/** As seconds, this is the year 5138; as milliseconds, 1973. */
const SECONDS_BELOW = 1e11;

/** `updatedAt` dates an `expires_in` that somebody stored by hand as a service gave it. */
export function readOAuthLogin(value: Secret, updatedAt: number): OAuthLogin {
  const parsed = stored.safeParse(asJson(value.reveal()));
  if (!parsed.success) {
    throw new DeputyError("VAULT_DAMAGED", "A row of type oauth holds something else", {
      hint: "Remove it and log in again: deputy vault list shows which.",
    });
  }
  const { access_token, refresh_token, token_type, expires_at, expires_in, ...others } = parsed.data;
  const { scope, scopes, token_url, service, client_id, client_secret, ...rest } = others;
  return {
    accessToken: secretOrNull(access_token),
    refreshToken: secretOrNull(refresh_token),
    tokenType: token_type ?? "Bearer",
    expiresAt: expiry(expires_at, expires_in, updatedAt),
    scopes: scopes ?? (typeof scope === "string" ? splitScopes(scope) : null),
    tokenUrl: token_url ?? null,
    service: service ?? null,
    clientId: client_id ?? null,
    clientSecret: secretOrNull(client_secret),
    rest: Secret.fromText(JSON.stringify(rest)),
  };
}

export function writeOAuthLogin(login: OAuthLogin): Secret {
  const rest: unknown = JSON.parse(login.rest.reveal());
  const fields = {
    ...(rest as Record<string, unknown>),
    access_token: login.accessToken?.reveal(),
    refresh_token: login.refreshToken?.reveal(),
    token_type: login.tokenType,
    expires_at: login.expiresAt ?? undefined,
    scope: login.scopes?.join(" "),
    token_url: login.tokenUrl ?? undefined,
    service: login.service ?? undefined,
    client_id: login.clientId ?? undefined,
    client_secret: login.clientSecret?.reveal(),
  };
  return Secret.fromText(JSON.stringify(fields));
}

/** A first login. `asked` counts as granted beside what the answer says: many services rename or leave out scopes. */
export function loginOf(
  tokens: Tokens,
  from: { tokenUrl: string; service: string | null; clientId: string; asked: readonly string[] },
): OAuthLogin {
  return {
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken,
    tokenType: tokens.tokenType,
    expiresAt: tokens.expiresAt,
    scopes: [...new Set([...(tokens.scopes ?? []), ...from.asked])],
    tokenUrl: from.tokenUrl,
    service: from.service,
    clientId: from.clientId,
    clientSecret: null, // the owner's client has a row of its own
    rest: Secret.fromText("{}"),
  };
}

/** The login after a refresh: what the answer leaves out stays as it was, the refresh token above all. */
export function refreshed(login: OAuthLogin, tokens: Tokens): OAuthLogin {
  return {
    ...login,
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken ?? login.refreshToken,
    tokenType: tokens.tokenType,
    expiresAt: tokens.expiresAt,
  };
}

function expiry(at: number | null | undefined, within: number | null | undefined, since: number) {
  if (typeof at === "number") return at < SECONDS_BELOW ? at * 1000 : at;
  return typeof within === "number" ? since + within * 1000 : null;
}
