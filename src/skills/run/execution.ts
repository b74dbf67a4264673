import type { Connection, Loan } from "../../auth/index.ts";
import type { DeputyError } from "../../kernel/index.ts";
import type { Expressions } from "../../expressions/index.ts";
import type { PythonExecutor, TypescriptExecutor } from "../executor.ts";
import type { Operation, Skill } from "../skill.ts";

/**
 * One execution of one operation, as its executor sees it. The login was chosen and the grant decided before; nothing in
 * here names another.
 */
export interface Execution {
  readonly skill: Skill;
  readonly operation: Operation;
  /** Null: the operation reaches no service. */
  readonly connection: Connection | null;
  /** The one way to the network; null with the connection. */
  readonly loan: Loan | null;
  /** What expressions see, `.auth` apart: params, data, cache, connection, the steps before, item. */
  readonly scope: Readonly<Record<string, unknown>>;
  readonly expressions: Expressions;
  readonly signal: AbortSignal;
  /** What the owner allowed beyond the network: whether this program may be started, this path be read or written. */
  readonly allows: (need: Need) => boolean;
  /** Why it may not, with what would allow it. */
  readonly denial: (need: Need) => DeputyError;
  /** Runs code in a host; `args` were evaluated with handles in place of `.auth`. */
  readonly runCode: (executor: TypescriptExecutor | PythonExecutor, execution: Execution) => Promise<unknown>;
  /** Told to the caller beside the result. Never a secret. */
  readonly warn: (message: string) => void;
}

export type Need =
  | { readonly kind: "binary"; readonly name: string }
  | { readonly kind: "read" | "write"; readonly path: string }
  | { readonly kind: "network"; readonly binary: string };
