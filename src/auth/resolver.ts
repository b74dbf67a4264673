import type { CookieChange } from "../cookies/index.ts";
import type { Clock, Identity } from "../kernel/index.ts";
import {
  betweenBrowsers,
  byFreshness,
  type Candidate,
  type Considered,
  type CookieProvider,
  explain,
} from "./candidate.ts";
import { type CookieLogin, mergeChanges, newestAt, withoutExpired } from "./cookie-login.ts";
import type { LoginStore } from "./login-store.ts";

/** Whose login these cookies are: an account, `dead` when the service does not take them, undefined when unknowable. */
export type Identify = (login: CookieLogin) => Promise<{ readonly identifier: string } | "dead" | undefined>;

export interface Wanted {
  readonly domain: string;
  /** The cookies that carry the login: a hint for choosing, never a filter. */
  readonly names?: readonly string[] | undefined;
  readonly account?: string | undefined;
  /** Only this provider, live ones included. */
  readonly provider?: string | undefined;
  /** Providers that have just failed. */
  readonly exclude?: readonly string[] | undefined;
  /** Absent: an account is named after where it came from. */
  readonly identify?: Identify | undefined;
}

export type Resolution =
  | {
      readonly kind: "resolved";
      readonly identity: Identity;
      readonly login: CookieLogin;
      readonly provider: string;
      readonly considered: readonly Considered[];
    }
  | { readonly kind: "needs-login"; readonly considered: readonly Considered[] }
  | {
      readonly kind: "ambiguous";
      readonly accounts: readonly string[];
      readonly considered: readonly Considered[];
    };

export interface Resolver {
  /** Every source is asked every time; a browser's store that has not changed is not read again. */
  resolve(wanted: Wanted): Promise<Resolution>;
  /** What the service changed during a call. On disk when it returns. */
  takeBack(identity: Identity, changes: readonly CookieChange[], source: string): void;
  /** Lets go of what is remembered of an identity. */
  forget(identity: Identity): void;
}

type Owned = Candidate & { readonly identity: Identity };

interface Parts {
  readonly store: LoginStore;
  readonly providers: () => readonly CookieProvider[];
  readonly clock: Clock;
}

export function createResolver({ store, providers, clock }: Parts): Resolver {
  /** By identity: the login as of our last read or write. */
  const cache = new Map<string, CookieLogin>();
  /** By provider and domain: what was read at which stamp, and whose it turned out to be. */
  const read = new Map<string, { stamp: string; login: CookieLogin; identifier: string | undefined }>();

  const cacheKey = (identity: Identity) => `${identity.domain}\0${identity.identifier}`;

  function candidate<I extends Identity | undefined>(
    from: Candidate["from"],
    provider: string,
    identity: I,
    login: CookieLogin,
    wanted: Wanted,
  ): Candidate & { identity: I } {
    const alive = withoutExpired(login, clock.now());
    const has = new Set(alive.cookies.map(({ name }) => name));
    const complete = (wanted.names ?? []).every((name) => has.has(name));
    return { from, provider, identity, login: alive, newestAt: newestAt(alive, wanted.names), complete };
  }

  function inStore(wanted: Wanted): Owned[] {
    const accounts = wanted.account === undefined ? store.accounts(wanted.domain) : [wanted.account];
    return accounts.flatMap((identifier) => {
      const identity = { domain: wanted.domain, identifier };
      const stored = store.find(identity);
      // Only what the vault still holds counts: a login the owner removed is not in use through the cache.
      if (stored === undefined) return [];
      const cached = cache.get(cacheKey(identity));
      return [
        ...(cached === undefined ? [] : [candidate("cache", "cache", identity, cached, wanted)]),
        candidate("vault", "vault", identity, stored, wanted),
      ];
    });
  }

  async function inBrowsers(wanted: Wanted): Promise<Candidate[]> {
    const asked = providers().filter((one) =>
      wanted.provider === undefined ? !one.live : matches(one.id, wanted.provider),
    );
    return Promise.all(
      asked.map(async (one) => {
        const key = `${one.id}\0${wanted.domain}`;
        const stamp = await one.stamp();
        let found = read.get(key);
        if (found?.stamp !== stamp) {
          const { cookies } = await one.cookies(wanted.domain);
          found = { stamp, login: { cookies, gone: [] }, identifier: undefined };
          read.set(key, found);
        }
        const identity =
          found.identifier === undefined
            ? undefined
            : { domain: wanted.domain, identifier: found.identifier };
        return candidate("browser", one.id, identity, found.login, wanted);
      }),
    );
  }

  /** Whose a browser's cookies are; `dead` when the service does not take them. */
  async function identityOf(one: Candidate, wanted: Wanted): Promise<Identity | "dead"> {
    if (one.identity !== undefined) return one.identity;
    const answer = await wanted.identify?.(one.login);
    if (answer === "dead") return "dead";
    const identifier = answer?.identifier ?? `@${one.provider}`;
    const found = read.get(`${one.provider}\0${wanted.domain}`);
    if (found !== undefined) found.identifier = identifier;
    return { domain: wanted.domain, identifier };
  }

  /**
   * The freshest browser whose cookies the service takes and which belongs to the account wanted. Only a browser
   * strictly newer than what we have is asked whose it is: asking costs a request.
   */
  async function bestBrowser(wanted: Wanted, own: Candidate | undefined, considered: Considered[]) {
    const browsers = usable(await inBrowsers(wanted), wanted, considered).sort(betweenBrowsers);
    let best: Owned | undefined;
    for (const one of browsers) {
      if (best !== undefined || (own !== undefined && one.newestAt <= own.newestAt)) {
        considered.push(explain(one, "older"));
        continue;
      }
      const identity = await identityOf(one, wanted);
      if (identity === "dead") considered.push(explain(one, "failed-check"));
      else if (wanted.account !== undefined && identity.identifier !== wanted.account) {
        considered.push(explain({ ...one, identity }, "another-account"));
      } else best = { ...one, identity };
    }
    return best;
  }

  return {
    async resolve(wanted) {
      const considered: Considered[] = [];
      const known = wanted.provider === undefined ? usable(inStore(wanted), wanted, considered) : [];
      const [own, ...olderOwn] = known.sort(byFreshness);
      const browser = await bestBrowser(wanted, own, considered);

      const accounts = new Set(known.map((one) => one.identity.identifier));
      if (browser !== undefined) accounts.add(browser.identity.identifier);
      if (accounts.size > 1) return { kind: "ambiguous", accounts: [...accounts].sort(), considered };

      const winner = browser ?? own;
      if (winner === undefined) return { kind: "needs-login", considered };
      const losers = [...(winner === own || own === undefined ? [] : [own]), ...olderOwn];
      considered.unshift(explain(winner, "chosen"), ...losers.map((one) => explain(one, "older")));
      const { identity, provider } = winner;
      const login = winner === browser ? store.replace(identity, winner.login, provider) : winner.login;
      cache.set(cacheKey(identity), login);
      return { kind: "resolved", identity, login: withoutExpired(login, clock.now()), provider, considered };
    },

    takeBack(identity, changes, source) {
      const login = store.merge(identity, changes, source);
      cache.set(cacheKey(identity), mergeChanges(login, []));
    },

    forget(identity) {
      cache.delete(cacheKey(identity));
    },
  };
}

/** Without those that have just failed or have nothing to offer. */
function usable<T extends Candidate>(
  candidates: readonly T[],
  wanted: Wanted,
  considered: Considered[],
): T[] {
  return candidates.filter((one) => {
    const excluded = wanted.exclude?.includes(one.provider) ?? false;
    if (excluded || one.login.cookies.length === 0)
      considered.push(explain(one, excluded ? "excluded" : "empty"));
    return !excluded && one.login.cookies.length > 0;
  });
}

/** `chromium` means any of its profiles, `chromium:Work` that one. */
function matches(id: string, asked: string): boolean {
  const [browser, profile] = asked.split(/[:/](.*)/s);
  return profile === undefined
    ? id === browser || id.startsWith(`${browser}/`)
    : id === `${browser}/${profile}`;
}
