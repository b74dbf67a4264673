import type { Connection } from "../../auth/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Operation, Skill } from "../skill.ts";
import type { RunRequest } from "./run-request.ts";

/**
 * The connection of a run: the operation's, or the one the caller chose where it leaves the choice. A parameter called
 * `connection` that the operation does not declare is that choice too.
 */
export function chooseConnection(
  skill: Skill,
  operation: Operation,
  request: Pick<RunRequest, "connection" | "params">,
): { connection: Connection | null; params: RunRequest["params"] } {
  const { connection: byParam, ...others } = request.params;
  const isChoice = typeof byParam === "string" && operation.connections.length > 1;
  const name = request.connection ?? (isChoice ? byParam : undefined);
  const params = isChoice && !operation.params.has("connection") ? others : request.params;
  const [first] = operation.connections;
  if (first === undefined) {
    if (name === undefined) return { connection: null, params };
    throw new DeputyError("BAD_USAGE", `${skill.id} ${operation.name} uses no connection`, {
      hint: "Leave --connection out.",
    });
  }
  const chosen = operation.connections.find((one) => one === (name ?? first));
  const connection = chosen === undefined ? undefined : skill.connections.get(chosen);
  if (connection !== undefined) return { connection, params };
  throw new DeputyError("BAD_USAGE", `${skill.id} ${operation.name} has no connection ${name ?? first}`, {
    hint: `It takes ${operation.connections.join(", ")}.`,
  });
}

/** A step of a login by cookies: it runs before there is one, in a jar that lives until the login is done. */
export function isLoginStep(operation: Operation, { auth }: Connection): boolean {
  if (auth?.type !== "cookies") return false;
  return (
    operation.anonymous ||
    auth.login.some((way) => way.kind === "operation" && way.operation === operation.name)
  );
}
