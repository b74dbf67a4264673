import { isDeepStrictEqual } from "node:util";
import type { CookieChange } from "../cookies/index.ts";
import { BoundedMap, type Clock, DeputyError, type Identity } from "../kernel/index.ts";
import type { NewRow, Row, Vault } from "../vault/index.ts";
import { accountsOf } from "./accounts-of.ts";
import { type CookieLogin, mergeChanges, newestAt, readLogin, writeLogin } from "./cookie-login.ts";

/** Cookie logins in the vault. */
export interface LoginStore {
  accounts(domain: string): string[];
  find(identity: Identity): CookieLogin | undefined;
  /**
   * Puts a whole login in place of what is there, unless that is newer. `refused` is what the service has just refused:
   * however new, it makes way. Gives what is there now.
   */
  replace(identity: Identity, login: CookieLogin, source: string, refused?: CookieLogin): CookieLogin;
  /** Takes in what a service changed, cookie by cookie; other processes may do the same at the same time. */
  merge(identity: Identity, changes: readonly CookieChange[], source: string): CookieLogin;
  /** The same for many, all of them in one write. What `durable` means is the vault's to say. */
  mergeAll(logins: readonly ChangedLogin[], source: string, options?: { readonly durable?: boolean }): void;
  remove(identity: Identity): void;
  /** Gives an account its own name. Where there is one of that name, the newer login stays. */
  rename(identity: Identity, to: string): void;
}

/** What changed of one login. */
interface ChangedLogin extends Identity {
  readonly changes: readonly CookieChange[];
}

interface Update {
  readonly identity: Identity;
  readonly change: (login: CookieLogin) => CookieLogin;
}

const NOTHING: CookieLogin = { cookies: [], gone: [] };

/** More tries than processes that could write one identity's row at the same moment. */
const TRIES = 100;
const MOST_KNOWN = 500;

export function createLoginStore({ vault, clock }: { vault: Vault; clock: Clock }): LoginStore {
  const keyOf = ({ domain, identifier }: Identity) => ({ domain, identifier, itemType: "cookies" });
  /** What was read last: a row is opened and proven each time, but read again only when it is another version. */
  const known = new BoundedMap<string, { readonly version: number; readonly login: CookieLogin }>(MOST_KNOWN);

  /** Compare and swap: what others wrote between our reading and our writing is never lost. */
  function updateAll(
    updates: readonly Update[],
    source: string,
    options: { readonly durable?: boolean } = {},
  ): Map<Update, CookieLogin> {
    const done = new Map<Update, CookieLogin>();
    let waiting = updates;
    for (let tries = 0; tries < TRIES && waiting.length > 0; tries++) {
      using values = new DisposableStack();
      const drafts = waiting.map((update) => draft(update, source, values));
      const puts = vault.putAll(
        drafts.map(({ row }) => row),
        options,
      );
      for (const [i, { update, after }] of drafts.entries()) {
        const put = puts[i];
        if (put?.kind !== "stored") continue;
        done.set(update, after);
        known.set(nameOf(update.identity), { version: put.version, login: after });
      }
      waiting = waiting.filter((update) => !done.has(update));
    }
    const [still] = waiting;
    if (still === undefined) return done;
    throw new DeputyError(
      "CONFLICT",
      `The login of ${still.identity.identifier} at ${still.identity.domain} never stood still`,
      {
        hint: "Something writes it without pause. Try again.",
      },
    );
  }

  function draft(update: Update, source: string, values: DisposableStack) {
    const key = keyOf(update.identity);
    const found = vault.find(key);
    const after = update.change(found === undefined ? NOTHING : readAndDispose(found));
    const { label = null, obtainedAt = clock.now(), lastVerified = null } = found?.meta ?? {};
    const masked = after.cookies.length === 1 ? "1 cookie" : `${after.cookies.length} cookies`;
    const meta = { source, masked, label, obtainedAt, lastVerified };
    const row: NewRow = { key, value: values.use(writeLogin(after)), meta, expect: found?.version ?? 0 };
    return { update, after, row };
  }

  function update(identity: Identity, source: string, change: Update["change"]): CookieLogin {
    const one = { identity, change };
    return updateAll([one], source).get(one) ?? NOTHING;
  }

  function readAndDispose({ key, version, value }: Row): CookieLogin {
    using held = value;
    const before = known.get(nameOf(key));
    if (before?.version === version) return before.login;
    const login = readLogin(held, clock.now());
    known.set(nameOf(key), { version, login });
    return login;
  }

  return {
    accounts: (domain) => accountsOf(vault, domain, "cookies"),
    find(identity) {
      const row = vault.find(keyOf(identity));
      if (row !== undefined) return readAndDispose(row);
      known.delete(nameOf(identity));
      return undefined;
    },
    replace: (identity, login, source, refused) =>
      update(identity, source, (before) => {
        const makesWay = refused !== undefined && isDeepStrictEqual(before, refused);
        return makesWay || newestAt(before) <= newestAt(login) ? login : before;
      }),
    remove(identity) {
      vault.remove(keyOf(identity));
      known.delete(nameOf(identity));
    },
    rename(identity, to) {
      if (identity.identifier === to) return;
      const { domain, identifier } = identity;
      const taken = vault.keysOf(domain).some((key) => key.identifier === to);
      if (!taken) return void vault.renameAccount(domain, identifier, to);
      const row = vault.find(keyOf(identity));
      if (row === undefined) return undefined;
      const login = readAndDispose(row);
      update({ domain, identifier: to }, row.meta.source, (there) =>
        newestAt(there) > newestAt(login) ? there : login,
      );
      vault.remove(keyOf(identity));
      return undefined;
    },
    merge: (identity, changes, source) => update(identity, source, (login) => mergeChanges(login, changes)),
    mergeAll(logins, source, options) {
      const updates = Array.from(Map.groupBy(logins, nameOf).values(), (same): Update[] => {
        const [identity] = same;
        const changes = same.flatMap((one) => one.changes);
        return identity === undefined ? [] : [{ identity, change: (login) => mergeChanges(login, changes) }];
      });
      updateAll(updates.flat(), source, options);
    },
  };
}

function nameOf({ domain, identifier }: Identity): string {
  return `${domain}\0${identifier}`;
}
