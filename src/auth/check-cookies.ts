import { type CookieChange, Jar } from "../cookies/index.ts";
import type { Expressions } from "../expressions/index.ts";
import type { Http, TransportPool } from "../http/index.ts";
import { type Clock, newId } from "../kernel/index.ts";
import { askWho } from "./ask-who.ts";
import type { Check, Connection } from "./connection.ts";
import { mergeChanges } from "./cookie-login.ts";
import type { Identify } from "./resolver.ts";

interface Parts {
  readonly http: Http;
  readonly pool: Pick<TransportPool, "drop">;
  readonly expressions: Expressions;
  readonly clock: Clock;
}

/** The connection's check as the resolver asks it: whose cookies these are, and what asking rotated. */
export function checkCookies(parts: Parts, connection: Connection, check: Check): Identify {
  return async (login) => {
    const { domain, baseUrl } = connection;
    const changes: CookieChange[] = [];
    // Nobody's yet: it must share no connection with anybody else's.
    const identity = { domain, identifier: newId("@check") };
    const lease = {
      identity,
      mode: "fetch" as const,
      baseUrl,
      jar: new Jar({ cookies: login.cookies, now: () => parts.clock.now() }),
      credential: null,
      egress: { domain, hosts: connection.hosts },
      secrets: [],
      onJarChange: (more: readonly CookieChange[]) => void changes.push(...more),
    };
    try {
      const who = await askWho(parts, check, lease);
      return who === "dead" ? who : { identifier: who.identifier, login: mergeChanges(login, changes) };
    } finally {
      await parts.pool.drop(identity);
    }
  };
}
