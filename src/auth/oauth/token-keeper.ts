import type { Http } from "../../http/index.ts";
import { type Clock, DeputyError, type Identity, type Secret } from "../../kernel/index.ts";
import type { Vault } from "../../vault/index.ts";
import type { OAuthClient } from "./client-store.ts";
import type { OAuthLogin } from "./oauth-login.ts";
import { createOAuthStore, isSame, type StoredLogin } from "./oauth-store.ts";
import { refreshInTurn } from "./refresh-in-turn.ts";
import { described, findService, type OAuthService } from "./service-lookup.ts";
import { SharedWork } from "./shared-work.ts";
import { createTokenEndpoint } from "./token-endpoint.ts";

export interface TokenKeeperParts {
  readonly vault: Vault;
  readonly clock: Clock;
  readonly http: Http;
  /** The owner's client at a service; with `clientId` that very one. */
  readonly clientFor: (service: OAuthService, clientId: string | null) => OAuthClient | undefined;
  /** How long a killed process can keep the others from refreshing. */
  readonly leaseMs?: number;
}

export interface Wanted {
  readonly scopes?: readonly string[];
  /** The access token a 401 has just refused: it is not given again. */
  readonly failed?: Secret | undefined;
  /** For rows that were stored by hand and do not say where they are refreshed. */
  readonly service?: OAuthService | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Fresh =
  | { readonly kind: "token"; readonly login: OAuthLogin & { readonly accessToken: Secret } }
  /** There is no such login. */
  | { readonly kind: "none" }
  /** It has ended, and nothing is there to renew it with. */
  | { readonly kind: "expired-without-refresh" }
  /** The service refuses to renew it, for good. */
  | { readonly kind: "dead"; readonly reason: string }
  /** It never was for these. */
  | { readonly kind: "lacks-scopes"; readonly missing: readonly string[] };

/** Gives tokens that are good, refreshing them before they end, once for all who ask in whatever process. */
export interface TokenKeeper {
  fresh(identity: Identity, wanted?: Wanted): Promise<Fresh>;
}

const EARLY_MS = 60_000;
/** A refusal is not asked for again meanwhile; after that the owner may have mended the client. */
const DEAD_MS = 60_000;
const ROUNDS = 5;

export function createTokenKeeper(parts: TokenKeeperParts): TokenKeeper {
  const { vault, clock, http, clientFor, leaseMs = 10_000 } = parts;
  const endpoint = createTokenEndpoint({ http, clock });
  const store = createOAuthStore({ vault, clock });
  const shared = new SharedWork<string, "refreshed" | "changed">();
  const dead = new Map<string, { token: Secret; reason: string; until: number }>();

  function serviceOf({ service, tokenUrl }: OAuthLogin, declared: OAuthService | undefined, domain: string) {
    const named = service === null ? undefined : findService(service);
    if (tokenUrl !== null) return named?.tokenUrl === tokenUrl ? named : described(tokenUrl);
    if (named !== undefined) return named;
    // A manifest must not decide where a token goes that was stored for another domain.
    return declared !== undefined && (declared.name !== null || declared.domain === domain)
      ? declared
      : undefined;
  }

  function knownDead(key: string, { refreshToken }: OAuthLogin): string | undefined {
    const found = dead.get(key);
    return found !== undefined && found.until > clock.now() && isSame(found.token, refreshToken)
      ? found.reason
      : undefined;
  }

  async function refresh(
    identity: Identity,
    row: StoredLogin,
    wanted: Wanted,
  ): Promise<Fresh | "refreshed" | "changed"> {
    const key = `${identity.domain}\0${identity.identifier}`;
    const { refreshToken, clientId, clientSecret } = row.login;
    const service = serviceOf(row.login, wanted.service, identity.domain);
    if (refreshToken === null || service === undefined) return { kind: "expired-without-refresh" };
    const known = knownDead(key, row.login);
    if (known !== undefined) return { kind: "dead", reason: known };
    const client =
      clientId !== null && clientSecret !== null ? { clientId, clientSecret } : clientFor(service, clientId);
    if (client === undefined) {
      throw new DeputyError(
        "LOGIN_NEEDED",
        `Cannot renew the login of ${identity.identifier} at ${identity.domain}: its client id is not known`,
        { hint: `Log in again: deputy login ${identity.domain}` },
      );
    }
    const work = { identity, row, service, client, vault, store, endpoint, leaseMs };
    const done = await shared.join(
      key,
      async (signal) => {
        const found = await refreshInTurn({ ...work, signal });
        if (typeof found === "string") return found;
        dead.set(key, { token: refreshToken, reason: found.dead, until: clock.now() + DEAD_MS });
        return "changed";
      },
      wanted.signal,
    );
    const refused = knownDead(key, row.login);
    return refused === undefined ? done : { kind: "dead", reason: refused };
  }

  return {
    async fresh(identity, wanted = {}) {
      const { failed = null } = wanted;
      let renewed = false;
      for (let round = 0; round < ROUNDS; round++) {
        const row = store.find(identity);
        if (row === undefined) return { kind: "none" };
        const missing = missingScopes(row.login, wanted.scopes);
        if (missing.length > 0) return { kind: "lacks-scopes", missing };
        const now = clock.now();
        // Renewed, it is as good as it gets, even where the service gave the same token again or a very short one.
        const good = renewed
          ? !isOver(row.login, now)
          : !isEnding(row, now) && !isSame(row.login.accessToken, failed);
        if (good && hasToken(row.login)) return { kind: "token", login: row.login };
        const found = await refresh(identity, row, wanted).catch((error: unknown) => {
          if (isPassing(error)) return error;
          throw error;
        });
        if (found === "refreshed") renewed = true;
        if (typeof found === "string") continue;
        // It could not be renewed, but has not ended yet.
        if (hasToken(row.login) && !isOver(row.login, clock.now()) && !isSame(row.login.accessToken, failed))
          return { kind: "token", login: row.login };
        if (found instanceof DeputyError) throw found;
        return found;
      }
      throw new DeputyError(
        "CONFLICT",
        `The login of ${identity.identifier} at ${identity.domain} ends as soon as it is renewed`,
        { hint: "Is this machine's clock right?" },
      );
    },
  };
}

function hasToken(login: OAuthLogin): login is OAuthLogin & { readonly accessToken: Secret } {
  return login.accessToken !== null;
}

function isOver(login: OAuthLogin, now: number): boolean {
  return !hasToken(login) || (login.expiresAt !== null && login.expiresAt <= now);
}

/** A minute early, and for tokens that live for less than two, in the second half of their life. */
function isEnding({ login, meta }: StoredLogin, now: number): boolean {
  if (login.expiresAt === null) return !hasToken(login);
  const early = Math.min(EARLY_MS, Math.max(0, login.expiresAt - meta.updatedAt) / 2);
  return isOver(login, now + early);
}

function isPassing(error: unknown): error is DeputyError {
  return error instanceof DeputyError && (error.code === "NETWORK_FAILED" || error.code === "TIMEOUT");
}

function missingScopes({ scopes }: OAuthLogin, wanted: readonly string[] = []): string[] {
  return scopes === null ? [] : wanted.filter((scope) => !scopes.includes(scope));
}
