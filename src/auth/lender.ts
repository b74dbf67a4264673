import { type Cookie, Jar } from "../cookies/index.ts";
import type { Expressions } from "../expressions/index.ts";
import type { Http, TransportPool } from "../http/index.ts";
import { type Clock, DeputyError } from "../kernel/index.ts";
import { foldDomain, type Vault } from "../vault/index.ts";
import { accountsOf } from "./accounts-of.ts";
import type { Borrow, Found } from "./borrow.ts";
import { checkCookies } from "./check-cookies.ts";
import type { Connection, CookieAuth } from "./connection.ts";
import { CookieLoan } from "./cookie-loan.ts";
import { cookieValues } from "./cookie-values.ts";
import { JarLoan } from "./jar-loan.ts";
import { keyLease, lendKey } from "./lend-key.ts";
import { lendToken } from "./lend-token.ts";
import { fixedLoan, isCovered, type Loan } from "./loan.ts";
import { loginNeeded, sessionExpired, severalAccounts } from "./login-needed.ts";
import { createLoginStore } from "./login-store.ts";
import { MaskedValues } from "./masked-values.ts";
import { createClientStore } from "./oauth/client-store.ts";
import { createTokenKeeper } from "./oauth/token-keeper.ts";
import { PlacementShelf } from "./placement-shelf.ts";
import { isProvisional } from "./provisional.ts";
import { createResolver, type Identify, type ResolverParts } from "./resolver.ts";
import { lendOrSupply, type Supplier, type SupplyQuestion } from "./supplier.ts";
import { Turns } from "./turns.ts";

export interface Lender {
  /** The login a call would get, or why there is none. */
  find(borrow: Borrow): Promise<Found>;
  /** The same, where having none is an error that says how to mend it. */
  lend(borrow: Borrow): Promise<Loan>;
  /** Cookies that are nobody's yet: a login under way, or a candidate a skill is asked about. */
  tryOut(connection: Connection, cookies: readonly Cookie[], options?: { onlyAsks?: boolean }): JarLoan;
  /** LOGIN_NEEDED where there is certainly none: nothing in the vault, and nobody who could have one. */
  requireSome(borrow: Pick<Borrow, "connection" | "account">): Promise<void>;
  /** The open web, as nobody. `allow` is asked before each request, and throws where it may not be. */
  openWeb(allow: () => void): Loan;
  /** Works with a login; once more with another where the service refused it and nothing was changed yet. */
  use<T>(borrow: Borrow, work: (loan: Loan) => Promise<T>): Promise<T>;
  /** A connection's own check, for a call that goes elsewhere at its domain. */
  checkOf(connection: Connection): Identify | undefined;
}

export interface LenderParts {
  readonly vault: Vault;
  readonly clock: Clock;
  readonly http: Http;
  readonly pool: Pick<TransportPool, "drop">;
  readonly expressions: Expressions;
  readonly providers: ResolverParts["providers"];
  readonly suppliers?: ((question: SupplyQuestion) => Promise<readonly Supplier[]>) | undefined;
}

/** Lends exactly one login to exactly one call. */
export function createLender(parts: LenderParts): Lender {
  const { vault, clock, http } = parts;
  const store = createLoginStore({ vault, clock });
  const resolver = createResolver({ store, providers: parts.providers, clock });
  const turns = new Turns();
  const masked = new MaskedValues();
  const placements = new PlacementShelf();
  const clients = createClientStore({ vault });
  const tokens = createTokenKeeper({
    vault,
    clock,
    http,
    clientFor: (service, clientId) => clients.find(service, clientId),
  });

  function checkOf(connection: Connection): Identify | undefined {
    const { auth } = connection;
    if (auth?.type !== "cookies" || auth.check === null) return undefined;
    return checkCookies(parts, connection, auth.check);
  }

  async function lendCookies(borrow: Borrow, auth: CookieAuth): Promise<Found> {
    const { connection, account, provider, exclude, complete, dry } = borrow;
    const { domain } = connection;
    const identify = checkOf(connection) ?? borrow.identify;
    const found = await resolver.resolve({
      domain,
      names: auth.names,
      account,
      provider,
      exclude,
      complete,
      dry,
      identify,
      authority: identify === undefined ? undefined : `${connection.skill}/${connection.name}`,
    });
    if (found.kind !== "resolved") return found;
    return {
      kind: "lent",
      loan: new CookieLoan(connection, found, { http, resolver, turns, masked, clock }),
    };
  }

  async function findLogin(borrow: Borrow): Promise<Found> {
    const { auth } = borrow.connection;
    switch (auth?.type) {
      case undefined:
        return { kind: "lent", loan: nobody(borrow.connection, http, clock) };
      case "api_key":
        return lendOrSupply(parts, borrow, questionOf(borrow, "api_key"), (from) =>
          lendKey({ ...parts, placements }, from, auth.placement),
        );
      case "cookies":
        return lendCookies(borrow, auth);
      case "oauth":
        return lendOrSupply(parts, borrow, questionOf(borrow, "oauth"), (from) =>
          lendToken({ ...parts, tokens }, from, auth),
        );
    }
  }

  async function find(borrow: Borrow): Promise<Found> {
    const found = await findLogin(borrow);
    const { connection, account } = borrow;
    // Whoever names an account wants that one, not nobody.
    if (found.kind !== "needs-login" || !connection.optional || account !== undefined) return found;
    return { kind: "lent", loan: nobody(connection, http, clock) };
  }

  async function lend(borrow: Borrow): Promise<Loan> {
    const found = await find(borrow);
    switch (found.kind) {
      case "lent":
        return found.loan;
      case "ambiguous":
        throw severalAccounts(borrow.connection, found.accounts);
      case "needs-login":
        throw loginNeeded(borrow.connection, found, borrow);
    }
  }

  /** The login to try after this one failed; undefined where there is no other. */
  async function another(borrow: Borrow, failed: Loan): Promise<Loan | undefined> {
    const { identity, provider } = failed;
    if (identity === null) return undefined;
    // A browser's login was copied to the vault when it was lent: the copy has failed too.
    const exclude = [...(borrow.exclude ?? []), provider, "cache", "vault"];
    // Never as somebody else; but an account that was named after its browser says nothing about the next browser.
    const account = borrow.account ?? (isProvisional(identity) ? undefined : identity.identifier);
    const found = await find({ ...borrow, account, exclude });
    return found.kind === "lent" && found.loan.identity !== null ? found.loan : undefined;
  }

  async function use<T>(borrow: Borrow, work: (loan: Loan) => Promise<T>): Promise<T> {
    const loan = await lend(borrow);
    try {
      return await work(loan);
    } catch (error) {
      if (!isRefusedLogin(error, loan)) throw error;
      const next = loan.unsafeDone ? undefined : await another(borrow, loan);
      if (next === undefined) throw asExpired(error, borrow.connection);
      try {
        const done = await work(next);
        if (loan.identity !== null) resolver.retire(loan.identity, loan.provider);
        return done;
      } catch (again) {
        throw isRefusedLogin(again, next) ? asExpired(again, borrow.connection) : again;
      }
    }
  }

  return {
    find,
    lend,
    use,
    checkOf,
    tryOut: (connection, cookies, options) => new JarLoan(connection, cookies, parts, options),
    async requireSome(borrow) {
      const { connection, account } = borrow;
      const type = connection.auth?.type;
      if (type === undefined || type === "cookies" || connection.optional) return;
      if (accountsOf(vault, connection.domain, type).length > 0) return;
      const suppliers = (await parts.suppliers?.(questionOf(borrow, type))) ?? [];
      if (suppliers.length === 0)
        throw loginNeeded(connection, { kind: "needs-login", considered: [] }, { account });
    },
    openWeb: (allow) =>
      nobody(
        OPEN_WEB,
        {
          send: async (...request) => {
            allow();
            return http.send(...request);
          },
        },
        clock,
      ),
  };
}

function questionOf(
  { connection, account }: Pick<Borrow, "connection" | "account">,
  type: SupplyQuestion["type"],
): SupplyQuestion {
  const { auth, domain } = connection;
  const { service = null, scopes = [] } = auth?.type === "oauth" ? auth : {};
  return { type, domain, service, scopes, account };
}

/** No service in particular, and nobody there. */
export const OPEN_WEB: Connection = {
  skill: "",
  name: "none",
  domain: "",
  baseUrl: null,
  mode: "api",
  auth: null,
  optional: true,
  hosts: "any",
  label: null,
  helpUrl: null,
  description: null,
  vars: {},
  sqlite: null,
};

/** The service said so, or the code that read its answer. A "401" somewhere in a text says nothing. */
function isRefusedLogin(error: unknown, loan: Loan): boolean {
  if (loan.identity === null) return false;
  if (error instanceof DeputyError && error.code !== "SESSION_EXPIRED" && error.code !== "SKILL_FAILED")
    return false;
  return loan.refused || (error instanceof DeputyError && error.code === "SESSION_EXPIRED");
}

function asExpired(error: unknown, connection: Connection): DeputyError {
  if (error instanceof DeputyError && error.code === "SESSION_EXPIRED" && error.hint !== undefined)
    return error;
  return sessionExpired(connection, error);
}

/** Its jar lives as long as the loan: a form and its token belong together, whoever fills it in. */
function nobody(connection: Connection, http: Http, clock: Clock): Loan {
  const jar = new Jar({ cookies: [], now: () => clock.now() });
  const bare = keyLease(connection, null, { header: {}, query: {}, body: {} }, {});
  const lease = { ...bare, credential: null, jar, passing: true as const };
  const loan = { connection, identity: null, provider: "none", considered: [], lease, values: {} };
  const fixed = fixedLoan(loan, http);
  const isSet = (host: string) => jar.all().some(({ domain }) => foldDomain(domain) === foldDomain(host));
  return Object.assign(fixed, {
    auth: async () => (jar.all().length === 0 ? {} : cookieValues(jar, connection)),
    // Its values are cookies it was given a moment ago: they go back to where they are from.
    mayCarry: (url: string) =>
      isCovered(connection, url) || (URL.canParse(url) && isSet(new URL(url).hostname)),
  });
}
