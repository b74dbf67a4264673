import type { Expressions, Program } from "../expressions/index.ts";
import type { Connection, Placement } from "./connection.ts";
import type { Placed } from "./place-credential.ts";

/** Where a connection's credential goes in a request, with the credential in it. */
export async function evaluatePlacement(
  expressions: Expressions,
  placement: Placement,
  connection: Connection,
  auth: Readonly<Record<string, unknown>>,
): Promise<Placed> {
  const input = { auth, connection: connectionScope(connection) };
  const fields = async (program: Program | null): Promise<Record<string, unknown>> =>
    program === null ? {} : ((await expressions.run(program, input)) as Record<string, unknown>);
  return {
    header: await fields(placement.header),
    query: await fields(placement.query),
    body: await fields(placement.body),
  };
}

/** What `.connection` is in expressions, and `connection` in code. */
export function connectionScope({
  name,
  baseUrl,
  domain,
  vars,
  sqlite,
}: Connection): Record<string, unknown> {
  return { id: name, base_url: baseUrl?.href.replace(/\/$/, "") ?? null, domain, vars, sqlite };
}
