import type { Connection, JarLoan, Lender } from "../../auth/index.ts";
import type { Cookie } from "../../cookies/index.ts";
import { BoundedMap, type Caller, type Clock } from "../../kernel/index.ts";

interface Pending {
  readonly cookies: readonly Cookie[];
  readonly until: number;
}

const LIFE_MS = 15 * 60_000;
const MOST = 1000;

/**
 * Cookies of logins that take several operations (a code is sent, a code is typed): kept in the engine's memory between
 * them, for whoever began, for a quarter of an hour.
 */
export class PendingJars {
  readonly #clock: Clock;
  readonly #jars = new BoundedMap<string, Pending>(MOST);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A loan that goes on where the last operation stopped; `done` keeps what it has become. */
  lend(lender: Lender, caller: Caller, connection: Connection): JarLoan {
    const known = this.#jars.get(keyOf(caller, connection));
    const cookies = known !== undefined && known.until > this.#clock.now() ? known.cookies : [];
    return lender.tryOut(connection, cookies);
  }

  keep(caller: Caller, connection: Connection, { login }: JarLoan): void {
    const now = this.#clock.now();
    for (const [key, { until }] of this.#jars) if (until <= now) this.#jars.delete(key);
    if (login.cookies.length === 0) return;
    this.#jars.set(keyOf(caller, connection), { cookies: login.cookies, until: now + LIFE_MS });
  }

  /** The login is there: what it was made from goes. */
  forget(caller: Caller, connection: Connection): void {
    this.#jars.delete(keyOf(caller, connection));
  }
}

/** The owner's commands are many connections of one person; an agent's connections are apart. */
function keyOf({ kind, instance }: Caller, { skill, name }: Connection): string {
  return JSON.stringify([kind === "owner" ? "owner" : instance, skill, name]);
}
