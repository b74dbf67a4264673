import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, DeputyError, type Identity } from "../../kernel/index.ts";
import type { Found } from "../borrow.ts";
import type { Connection, CookieAuth } from "../connection.ts";
import { newestAt, withoutExpired } from "../cookie-login.ts";
import type { Lender } from "../lender.ts";
import type { Loan } from "../loan.ts";
import { loginCommand, lookedIn } from "../login-needed.ts";
import type { LoginStore } from "../login-store.ts";
import { provisionalName } from "../provisional.ts";
import type { Identify } from "../resolver.ts";
import type { SignedIn } from "./signed-in.ts";

interface Parts {
  readonly lender: Lender;
  readonly logins: LoginStore;
  readonly clock: Clock;
}

interface Given {
  readonly account?: string | undefined;
  /** Only this browser. */
  readonly provider?: string | undefined;
  readonly identify?: Identify | undefined;
  /** How long to wait for the person; 0 takes what is there. */
  readonly waitMs: number;
  /** Told once, when there is nothing yet and the waiting begins. */
  readonly onWaiting: () => void;
  /** The window was closed: what is there now is all there will be. */
  readonly isOver?: () => boolean;
  readonly signal?: AbortSignal | undefined;
}

const PACE_MS = 1000;

/** Whether a login can be told from a visit: by a check, or by the cookies it is made of. */
export function isTelling(auth: CookieAuth, identify: Identify | undefined): boolean {
  return auth.check !== null || identify !== undefined || auth.names.length > 0;
}

/**
 * Waits until a browser has a login of the connection's, and takes it into the vault under its own name. Where nobody
 * can be asked whether it works, one in the vault that is newer stays: the service may have renewed it since.
 */
export async function signInWithCookies(
  parts: Parts,
  connection: Connection,
  auth: CookieAuth,
  given: Given,
): Promise<SignedIn> {
  const { account, provider, signal } = given;
  const checked = auth.check !== null || given.identify !== undefined;
  const identify = checked || account === undefined ? given.identify : namedBy(account);
  const until = Date.now() + given.waitMs;
  // What the vault has is what the person came to renew.
  const borrow = {
    connection,
    account,
    provider,
    identify,
    exclude: ["cache", "vault"],
    complete: true,
    signal,
  };
  // What is in Deputy's own window was made there a moment ago.
  const mayBeOlder = !checked && given.isOver === undefined;
  let waiting = false;
  for (;;) {
    const over = Date.now() >= until || given.isOver?.() === true;
    const find = (dry: boolean) =>
      parts.lender.find({ ...borrow, dry }).catch((error: unknown) => {
        if (over || !isPassing(error)) throw error;
        return undefined;
      });
    let found = await find(mayBeOlder);
    if (mayBeOlder && found?.kind === "lent" && found.loan.identity !== null) {
      const { identity, provider: source } = found.loan;
      if (keepNewer(parts, auth, found.loan, identity))
        return { identity, display: null, checked, source, kept: true };
      // Begun in the same turn: a row that changes from here on makes way only for what is newer.
      found = await find(false);
    }
    if (found?.kind === "lent" && found.loan.identity !== null) {
      const { identity, provider: source } = found.loan;
      return { identity, display: null, checked, source };
    }
    if (over) throw notFound(connection, found, account);
    if (!waiting) given.onWaiting();
    waiting = true;
    try {
      await sleep(PACE_MS, undefined, { signal });
    } catch {
      throw new DeputyError("CANCELLED", "The login was given up", { hint: "Nothing was stored." });
    }
  }
}

/** Whether the vault has a newer login than the one found; if so, it gets the name the found one would have had. */
function keepNewer(
  { logins, clock }: Parts,
  { names }: CookieAuth,
  { considered, provider }: Loan,
  identity: Identity,
): boolean {
  const found = considered.find(({ verdict }) => verdict === "chosen")?.newestAt ?? -Infinity;
  const provisional = { ...identity, identifier: provisionalName(provider) };
  for (const held of [identity, provisional]) {
    const cookies = withoutExpired(logins.find(held) ?? NONE, clock.now()).cookies;
    const complete = names.every((name) => cookies.some((cookie) => cookie.name === name));
    // Without what the service deleted: a login it has ended is no newer login.
    if (!complete || newestAt({ cookies, gone: [] }, names) <= found) continue;
    logins.rename(held, identity.identifier);
    return true;
  }
  return false;
}

const NONE = { cookies: [], gone: [] };

/** Where nobody can be asked whose login it is, the person has said so. */
function namedBy(account: string): Identify {
  return async (login) => ({ identifier: account, login });
}

/** A service that cannot say now whose login it is can a moment later. */
function isPassing(error: unknown): boolean {
  return error instanceof DeputyError && (error.code === "NETWORK_FAILED" || error.code === "TIMEOUT");
}

function notFound(
  connection: Connection,
  found: Found | undefined,
  account: string | undefined,
): DeputyError {
  const considered = found?.kind === "lent" ? found.loan.considered : (found?.considered ?? []);
  const { domain, helpUrl, baseUrl } = connection;
  const page = helpUrl ?? baseUrl?.href ?? `https://${domain}/`;
  const whose = account === undefined ? "" : ` as ${account}`;
  return new DeputyError("LOGIN_NEEDED", `No browser is logged in at ${domain}${whose}`, {
    hint: `${lookedIn(considered)} Log in at ${page}, then: ${loginCommand(connection, account)}`,
  });
}
