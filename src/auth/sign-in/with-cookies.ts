import { setTimeout as sleep } from "node:timers/promises";
import { DeputyError } from "../../kernel/index.ts";
import type { Found } from "../borrow.ts";
import type { Connection, CookieAuth } from "../connection.ts";
import type { Lender } from "../lender.ts";
import { loginNeeded } from "../login-needed.ts";
import type { Identify } from "../resolver.ts";
import type { SignedIn } from "./signed-in.ts";

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

/** Waits until a browser has a login of the connection's, and takes it into the vault under its own name. */
export async function signInWithCookies(
  lender: Lender,
  connection: Connection,
  auth: CookieAuth,
  given: Given,
): Promise<SignedIn> {
  const { account, provider, identify, signal } = given;
  const checked = auth.check !== null || identify !== undefined;
  // What the vault has is what the person came to renew.
  const exclude = ["cache", "vault"];
  const until = Date.now() + given.waitMs;
  let waiting = false;
  for (;;) {
    const found = await lender.find({
      connection,
      account,
      provider,
      identify,
      exclude,
      complete: true,
      signal,
    });
    if (found.kind === "lent" && found.loan.identity !== null) {
      const { identity, provider: source } = found.loan;
      return { identity, display: null, checked, source };
    }
    if (Date.now() >= until || given.isOver?.() === true) throw notFound(connection, found, account);
    if (!waiting) given.onWaiting();
    waiting = true;
    try {
      await sleep(PACE_MS, undefined, { signal });
    } catch {
      throw new DeputyError("CANCELLED", "The login was given up");
    }
  }
}

function notFound(connection: Connection, found: Found, account: string | undefined): DeputyError {
  const considered = found.kind === "lent" ? found.loan.considered : found.considered;
  return loginNeeded(connection, { kind: "needs-login", considered }, account);
}
