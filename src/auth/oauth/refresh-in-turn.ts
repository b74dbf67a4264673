import { setTimeout } from "node:timers/promises";
import { DeputyError, type Identity } from "../../kernel/index.ts";
import type { Vault, VaultLease } from "../../vault/index.ts";
import type { OAuthClient } from "./client-store.ts";
import { refreshed } from "./oauth-login.ts";
import type { OAuthStore, StoredLogin } from "./oauth-store.ts";
import type { OAuthService } from "./service-lookup.ts";
import { ANSWER_MS, type TokenEndpoint } from "./token-endpoint.ts";

export interface RefreshParts {
  readonly identity: Identity;
  /** As it was when a refresh seemed needed. */
  readonly row: StoredLogin;
  readonly service: OAuthService;
  readonly client: OAuthClient;
  readonly vault: Pick<Vault, "lease">;
  readonly store: OAuthStore;
  readonly endpoint: TokenEndpoint;
  readonly leaseMs: number;
  /** Ends the waiting for others. Once the token is spent there is no way back. */
  readonly signal: AbortSignal;
}

/**
 * Spends the refresh token, unless another process has done so meanwhile: a token spent twice is refused, and many
 * services then end the whole login. `changed`: somebody else wrote the row, and it must be looked at anew.
 * Taking the lease writes to the vault, so that a full disk is met before the token is spent rather than after.
 */
export async function refreshInTurn(parts: RefreshParts): Promise<Refreshed> {
  const { identity, row, service, client, store, endpoint } = parts;
  using lease = await takeTurn(parts);
  if (lease === undefined || store.find(identity)?.version !== row.version) return "changed";
  const { refreshToken } = row.login;
  if (refreshToken === null) throw new TypeError("There is no refresh token to spend");
  using _ = kept(lease, parts.leaseMs);
  const outcome = await endpoint.refresh({ service, client, refreshToken, identity });
  if (outcome.kind === "tokens") {
    store.replace(identity, row.login, refreshed(row.login, outcome.tokens));
    return "refreshed";
  }
  // Whoever logged in anew while we were refused has put a row that is not dead.
  return store.find(identity)?.version === row.version ? { dead: outcome.reason } : "changed";
}

/** Held while this process lives, so that a lease can be short and a killed process is not waited for long. */
function kept(lease: VaultLease, ms: number): Disposable {
  const timer = setInterval(() => {
    try {
      lease.renew(ms);
    } catch {} // the vault cannot be written just now; the answer is on its way whatever becomes of the lease
  }, ms / 3);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

export type Refreshed = "refreshed" | "changed" | { readonly dead: string };

/** Undefined when the one who had it changed the row: there is nothing left to do. */
async function takeTurn(parts: RefreshParts): Promise<VaultLease | undefined> {
  const { identity, row, vault, store, leaseMs, signal } = parts;
  const patience = performance.now() + leaseMs + 2 * ANSWER_MS;
  for (;;) {
    if (signal.aborted) throw new DeputyError("CANCELLED", "The request was given up");
    const lease = vault.lease(identity, "refresh", leaseMs);
    if (lease !== undefined) return lease;
    if (performance.now() > patience) {
      throw new DeputyError(
        "TIMEOUT",
        `Another process renews the login of ${identity.identifier} at ${identity.domain} and does not finish`,
        { hint: "Try again." },
      );
    }
    await setTimeout(20 + Math.random() * 30);
    if (store.find(identity)?.version !== row.version) return undefined;
  }
}
