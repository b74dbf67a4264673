import { isDeepStrictEqual } from "node:util";
import type { CookieChange } from "../cookies/index.ts";
import { BoundedMap, type Clock, DeputyError, type Identity } from "../kernel/index.ts";
import { rowKey } from "../vault/index.ts";
import { askedFor } from "./asked-for.ts";
import { BrowserShelf } from "./browser-shelf.ts";
import {
  betweenBrowsers,
  byFreshness,
  type Candidate,
  type Considered,
  type CookieProvider,
  explain,
} from "./candidate.ts";
import { type CookieLogin, newestAt, withoutExpired } from "./cookie-login.ts";
import type { LoginStore } from "./login-store.ts";
import { isProvisional, provisionalName } from "./provisional.ts";

/**
 * Whose login these cookies are, and the cookies after asking, since asking may rotate them. `dead` when the service
 * does not take them; without an identifier when it takes them and does not say whose they are; undefined when it
 * cannot be asked now.
 */
export type Identify = (
  login: CookieLogin,
) => Promise<{ readonly identifier: string | undefined; readonly login: CookieLogin } | "dead" | undefined>;

export interface Wanted {
  readonly domain: string;
  /** The cookies that carry the login: a hint for choosing, never a filter. */
  readonly names?: readonly string[] | undefined;
  readonly account?: string | undefined;
  /** Only this provider, live ones included. */
  readonly provider?: string | undefined;
  /** Providers that have just failed. */
  readonly exclude?: readonly string[] | undefined;
  /** Only what has every one of `names`: a visit is no login. */
  readonly complete?: boolean | undefined;
  /** Only to explain: nothing is stored, named or renamed. */
  readonly dry?: boolean | undefined;
  /** Whose word `identify` is. What one skill says about a browser's login does not count for the others. */
  readonly authority?: string | undefined;
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
  /** The login as it is on disk now: another process may have changed it. */
  current(identity: Identity): CookieLogin | undefined;
  /** What the service changed during a call. On disk when it returns. */
  takeBack(identity: Identity, changes: readonly CookieChange[], source: string): void;
  /**
   * The service refused a login and took another one. A copy of a browser's login that never had a name goes, and that
   * browser is not asked again before it has something new.
   */
  retire(identity: Identity, provider: string): void;
}

type Owned = Candidate & { readonly identity: Identity };

export interface ResolverParts {
  readonly store: LoginStore;
  /** All there are; `asked` may name one that has to be made, such as a running browser by its address. */
  readonly providers: (
    asked: string | undefined,
  ) => readonly CookieProvider[] | Promise<readonly CookieProvider[]>;
  readonly clock: Clock;
}

export function createResolver({ store, providers, clock }: ResolverParts): Resolver {
  /** By identity: the login as of our last read or write. */
  const cache = new BoundedMap<string, CookieLogin>(500);
  const shelf = new BrowserShelf();
  /** Provisional accounts a check took without saying whose they are: asking again would cost a request a call. */
  const nameless = new Set<string>();

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
      // The vault is written before the cache: where they differ, somebody else has written, and theirs counts.
      const isCurrent = cached !== undefined && isDeepStrictEqual(cached, stored);
      if (!isCurrent) cache.delete(cacheKey(identity));
      return [
        ...(isCurrent ? [candidate("cache", "cache", identity, cached, wanted)] : []),
        candidate("vault", "vault", identity, stored, wanted),
      ];
    });
  }

  async function inBrowsers(wanted: Wanted): Promise<Candidate[]> {
    const { domain } = wanted;
    const asked = askedFor(await providers(wanted.provider), wanted.provider);
    return Promise.all(
      asked.map(async (one) => {
        const { login, identifier, problem, refused } = await shelf.read(one, domain, wanted.authority);
        const identity = identifier === undefined ? undefined : { domain, identifier };
        return { ...candidate("browser", one.id, identity, login, wanted), problem, refused };
      }),
    );
  }

  /** A browser's candidate with its owner known; `dead` when the service does not take it. */
  async function owned(one: Candidate, wanted: Wanted): Promise<Owned | "dead"> {
    const { domain } = wanted;
    if (one.identity !== undefined && !(isProvisional(one.identity) && mayBeNamed(one.identity, wanted)))
      return { ...one, identity: one.identity };
    const answer = await wanted.identify?.(one.login);
    if (answer === "dead") return "dead";
    const told = usableName(domain, answer?.identifier);
    const identifier = told ?? provisionalName(one.provider);
    if (answer !== undefined && told === undefined) nameless.add(cacheKey({ domain, identifier }));
    shelf.noteOwner(one.provider, domain, wanted.authority, identifier);
    const login = answer?.login ?? one.login;
    return { ...one, login, newestAt: newestAt(login, wanted.names), identity: { domain, identifier } };
  }

  const mayBeNamed = (identity: Identity, wanted: Wanted) =>
    wanted.identify !== undefined && !nameless.has(cacheKey(identity));

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
      const known = await owned(one, wanted);
      if (known === "dead") {
        if (wanted.dry !== true) shelf.noteRefusal(one.provider, wanted.domain);
        considered.push(explain(one, "failed-check"));
      } else if (wanted.account !== undefined && known.identity.identifier !== wanted.account) {
        considered.push(explain(known, "another-account"));
      } else best = known;
    }
    return best;
  }

  /** An account that was named after its browser gets its own name as soon as a check tells it. */
  async function named(winner: Owned, wanted: Wanted): Promise<Owned | "dead"> {
    if (winner.from === "browser" || !isProvisional(winner.identity) || !mayBeNamed(winner.identity, wanted))
      return winner;
    const answer = await wanted.identify?.(winner.login);
    if (answer === undefined || answer === "dead") return answer ?? winner;
    const told = usableName(winner.identity.domain, answer.identifier);
    if (told === undefined) nameless.add(cacheKey(winner.identity));
    const identifier = told ?? winner.identity.identifier;
    const identity = { ...winner.identity, identifier };
    if (wanted.dry === true) return { ...winner, identity };
    if (told !== undefined) {
      store.rename(winner.identity, identifier);
      cache.delete(cacheKey(winner.identity));
    }
    return { ...winner, identity, login: store.replace(identity, answer.login, "service") };
  }

  /** A browser's login in the vault, under the name it turned out to have. */
  function adopt(winner: Owned, refused: CookieLogin | undefined): CookieLogin {
    const { identity, provider } = winner;
    const before = { ...identity, identifier: provisionalName(provider) };
    if (!isProvisional(identity) && store.find(before) !== undefined) {
      store.rename(before, identity.identifier);
      cache.delete(cacheKey(before));
    }
    return store.replace(identity, winner.login, provider, refused);
  }

  /** What the vault holds of logins that have just failed: they may be newer than what works. */
  function failedLogins({ domain, exclude }: Wanted): Map<string, CookieLogin> {
    const found = new Map<string, CookieLogin>();
    if (exclude?.includes("vault") !== true) return found;
    for (const identifier of store.accounts(domain)) {
      const login = store.find({ domain, identifier });
      if (login !== undefined) found.set(identifier, login);
    }
    return found;
  }

  async function resolve(wanted: Wanted): Promise<Resolution> {
    const considered: Considered[] = [];
    const failed = failedLogins(wanted);
    const known = wanted.provider === undefined ? usable(inStore(wanted), wanted, considered) : [];
    const [own, ...olderOwn] = known.sort(byFreshness);
    const browser = await bestBrowser(wanted, own, considered);

    const candidates = [...(browser === undefined ? [] : [browser]), ...known];
    const accounts = new Set(candidates.map((one) => one.identity.identifier));
    if (accounts.size > 1) {
      considered.unshift(...candidates.map((one) => explain(one, "ambiguous")));
      return { kind: "ambiguous", accounts: [...accounts].sort(), considered };
    }
    const first = browser ?? own;
    if (first === undefined) return { kind: "needs-login", considered };
    const winner = await named(first, wanted);
    if (winner === "dead") {
      const rest = await resolve({ ...wanted, exclude: [...(wanted.exclude ?? []), "cache", "vault"] });
      return { ...rest, considered: [explain(first, "failed-check"), ...rest.considered] };
    }
    const losers = [...(first === own || own === undefined ? [] : [own]), ...olderOwn];
    considered.unshift(explain(winner, "chosen"), ...losers.map((one) => explain(one, "older")));
    const { identity, provider } = winner;
    const adopted = first === browser && wanted.dry !== true;
    const login = adopted ? adopt(winner, failed.get(identity.identifier)) : winner.login;
    if (wanted.dry !== true) cache.set(cacheKey(identity), login);
    return { kind: "resolved", identity, login: withoutExpired(login, clock.now()), provider, considered };
  }

  return {
    resolve,
    current: (identity) => {
      const login = store.find(identity);
      return login && withoutExpired(login, clock.now());
    },
    retire(identity, provider) {
      shelf.noteRefusal(provider, identity.domain);
      if (!isProvisional(identity)) return;
      shelf.noteRefusal(identity.identifier.slice(1), identity.domain);
      store.remove(identity);
      cache.delete(cacheKey(identity));
    },
    takeBack(identity, changes, source) {
      cache.set(cacheKey(identity), store.merge(identity, changes, source));
    },
  };
}

/** A name a row can have. Those that begin with @ are ours to give. */
function usableName(domain: string, identifier: string | undefined): string | undefined {
  if (identifier === undefined || identifier.startsWith("@")) return undefined;
  try {
    return rowKey(domain, identifier, "cookies").identifier;
  } catch (error) {
    if (error instanceof DeputyError) return undefined;
    throw error;
  }
}

/** Without those that have just failed or have nothing to offer. */
function usable<T extends Candidate>(
  candidates: readonly T[],
  wanted: Wanted,
  considered: Considered[],
): T[] {
  return candidates.filter((one) => {
    const excluded = one.refused === true || (wanted.exclude?.includes(one.provider) ?? false);
    const empty = one.problem === undefined ? "empty" : "unreadable";
    const partial = wanted.complete === true && !one.complete && !excluded && one.login.cookies.length > 0;
    if (partial) considered.push(explain(one, "incomplete"));
    if (excluded || one.login.cookies.length === 0)
      considered.push(explain(one, excluded ? "excluded" : empty));
    return !excluded && !partial && one.login.cookies.length > 0;
  });
}
