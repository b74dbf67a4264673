import { type Clock, DeputyError, type Identity, type Secret } from "../../kernel/index.ts";
import { maskValue, type Row, type RowMeta, type Vault } from "../../vault/index.ts";
import { accountsOf } from "../accounts-of.ts";
import { type OAuthLogin, readOAuthLogin, writeOAuthLogin } from "./oauth-login.ts";

export interface StoredLogin {
  readonly login: OAuthLogin;
  readonly version: number;
  readonly meta: RowMeta;
}

/** OAuth logins in the vault. */
export interface OAuthStore {
  accounts(domain: string): string[];
  find(identity: Identity): StoredLogin | undefined;
  /** A login by a person: it takes the place of whatever is there. */
  put(identity: Identity, login: OAuthLogin, source: string): void;
  /**
   * Puts `next` where `spent` was. Where somebody else has put another login there meanwhile, or removed it, theirs
   * stays; a change of the row that kept the spent tokens does not cost us the new ones.
   */
  replace(identity: Identity, spent: OAuthLogin, next: OAuthLogin): void;
}

/** More tries than writers one row could have at the same moment. */
const TRIES = 100;

export function createOAuthStore({ vault, clock }: { vault: Vault; clock: Clock }): OAuthStore {
  const keyOf = ({ domain, identifier }: Identity) => ({ domain, identifier, itemType: "oauth" });
  const maskOf = ({ accessToken, refreshToken }: OAuthLogin) =>
    maskValue((accessToken ?? refreshToken)?.reveal() ?? "");

  function find(identity: Identity): StoredLogin | undefined {
    const row = vault.find(keyOf(identity));
    return row && { login: readAndDispose(row), version: row.version, meta: row.meta };
  }

  return {
    find,
    accounts: (domain) => accountsOf(vault, domain, "oauth"),
    put(identity, login, source) {
      using value = writeOAuthLogin(login);
      const label = find(identity)?.meta.label ?? null;
      vault.put(keyOf(identity), value, { source, label, masked: maskOf(login), lastVerified: clock.now() });
    },
    replace(identity, spent, next) {
      using value = writeOAuthLogin(next);
      for (let tries = 0; tries < TRIES; tries++) {
        const row = find(identity);
        if (row === undefined || !isSameLogin(row.login, spent)) return;
        const { source, label, obtainedAt } = row.meta;
        const meta = { source, label, obtainedAt, lastVerified: clock.now(), masked: maskOf(next) };
        if (vault.put(keyOf(identity), value, meta, row.version).kind === "stored") return;
      }
      throw new DeputyError(
        "CONFLICT",
        `The login of ${identity.identifier} at ${identity.domain} never stood still`,
        { hint: "Something writes it without pause. Try again." },
      );
    },
  };
}

function readAndDispose({ value, meta }: Row): OAuthLogin {
  using held = value;
  return readOAuthLogin(held, meta.updatedAt);
}

function isSameLogin(a: OAuthLogin, b: OAuthLogin): boolean {
  return isSame(a.refreshToken, b.refreshToken) && isSame(a.accessToken, b.accessToken);
}

export function isSame(a: Secret | null, b: Secret | null): boolean {
  return a === null || b === null ? a === b : a.bytes().equals(b.bytes());
}
