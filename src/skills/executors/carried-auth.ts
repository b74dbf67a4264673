import { isDeepStrictEqual } from "node:util";
import type { Loan } from "../../auth/index.ts";
import { ExpressionError, type Program } from "../../expressions/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Execution } from "../run/execution.ts";
import { evaluateAll, nameOf } from "./evaluate.ts";

/** A request's templates, what they came to with the login, and where it is to go. */
interface Template {
  readonly url: string;
  readonly programs: readonly (Program | null)[];
  readonly values: readonly unknown[];
  readonly auth: Readonly<Record<string, unknown>>;
}

/**
 * Whether a template writes the login into its request; DENIED where that would go to a host it is not for. Connections
 * without cookies reach no other hosts, so that there nothing has to be found out for the redirects.
 */
export async function checkCarrying(execution: Execution, loan: Loan, template: Template): Promise<boolean> {
  const { url } = template;
  const covered = loan.mayCarry(url);
  if (covered && loan.connection.auth?.type !== "cookies") return false;
  const carries = await carriesAuth(execution, template);
  if (carries && !covered) throw deniedCarrying(execution, hostOf(url));
  return carries;
}

/**
 * Whether any of the programs comes to something else with the login's values than without: then the login is in it,
 * however it was encoded, cut or compared on the way.
 */
async function carriesAuth(execution: Execution, { programs, values, auth }: Template): Promise<boolean> {
  if (Object.keys(auth).length === 0) return false;
  const reading = programs.map((program) => (program !== null && mayRead(program) ? program : null));
  if (reading.every((program) => program === null)) return false;
  try {
    const without = await evaluateAll(execution, reading, {});
    return reading.some((program, at) => program !== null && !isDeepStrictEqual(without[at], values[at]));
  } catch (error) {
    // With the login they did not fail.
    if (error instanceof ExpressionError && error.code === "BAD_INPUT") return true;
    throw error;
  }
}

/** Without jq a program is paths, which say themselves what they read. */
function mayRead({ jq, tree }: Program): boolean {
  return jq !== undefined || readsAuth(tree);
}

function readsAuth(node: Program["tree"]): boolean {
  switch (node.kind) {
    case "text":
      return false;
    case "jq":
      return true;
    case "path":
      return node.path.length === 0 || node.path[0] === "auth";
    case "array":
      return node.items.some(readsAuth);
    case "object":
      return node.entries.some(([, item]) => readsAuth(item));
  }
}

export function deniedCarrying(execution: Execution, host: string): DeputyError {
  return new DeputyError(
    "DENIED",
    `${nameOf(execution)}: the login may not be sent to ${host}, which its connection does not cover`,
    { hint: "List the host under `hosts:` of the connection; the owner is asked again then." },
  );
}

/** Without user name, path or query: those may hold the login. */
function hostOf(url: string): string {
  return URL.canParse(url, "https://-") ? new URL(url, "https://-").host : "there";
}
