import type { Expressions } from "../expressions/index.ts";
import type { Http, TransportPool } from "../http/index.ts";
import type { Clock } from "../kernel/index.ts";
import { askWho } from "./ask-who.ts";
import type { Check, Connection } from "./connection.ts";
import { JarLoan } from "./jar-loan.ts";
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
    await using loan = new JarLoan(connection, login.cookies, parts);
    const who = await askWho(parts, check, { ...loan.lease(), mode: "fetch" });
    if (who === "dead") return who;
    return {
      identifier: who.identifier,
      login: { ...loan.login, gone: [...login.gone, ...loan.login.gone] },
    };
  };
}
