import { DeputyError, type ErrorCode } from "../../kernel/index.ts";
import { queryInJail, type SqlAnswer, sqlLimits } from "../../platform/index.ts";
import type { SqlExecutor } from "../executor.ts";
import type { Execution } from "../run/execution.ts";
import { evaluateObject, evaluateText, nameOf } from "./evaluate.ts";
import type { ExecutorParts } from "./executor-parts.ts";
import { grantedPath } from "./granted-path.ts";
import { stoppedError } from "./stopped-error.ts";
import { wallTime } from "./wall-time.ts";

/** One statement on files by the paths their declarer wrote. */
export interface Query {
  readonly query: string;
  readonly params: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly database: string;
  readonly attach: Readonly<Record<string, string>>;
  readonly write: boolean;
}

const CODES = {
  refused: "DENIED",
  wrong: "SKILL_FAILED",
  "too-large": "TOO_LARGE",
  busy: "DATABASE_BUSY",
  changing: "DATABASE_BUSY",
  corrupt: "DATABASE_CORRUPT",
} satisfies Record<Extract<SqlAnswer, { kind: "failed" }>["why"], ErrorCode>;

/** Rows; of a statement that returns none, how many it changed. */
export async function runSql(
  executor: SqlExecutor,
  execution: Execution,
  parts: ExecutorParts,
): Promise<unknown> {
  const attach: Record<string, string> = {};
  for (const [name, file] of executor.attach) attach[name] = await evaluateText(execution, file);
  const declared = execution.connection?.sqlite ?? null;
  const database = executor.database === null ? declared : await evaluateText(execution, executor.database);
  if (database === null)
    throw new DeputyError("BAD_INPUT", `${nameOf(execution)}: it does not say which file to ask`, {
      hint: "Name it as `database`, or as `sqlite` of the connection.",
    });
  const params = await evaluateObject(execution, executor.params);
  return query({ query: executor.query, params, database, attach, write: executor.write }, execution, parts);
}

/** For the executor and for code that asks: in a jail, with files the owner allowed and nothing else. */
export async function query(
  { query, params, database, attach, write }: Query,
  execution: Execution,
  parts: ExecutorParts,
): Promise<unknown> {
  const what = `${nameOf(execution)}: the query`;
  const answer = await queryInJail(
    parts,
    {
      query,
      params,
      database: grantedPath(write ? "write" : "read", database, execution, parts),
      attach: Object.fromEntries(
        Object.entries(attach).map(([name, path]) => [name, grantedPath("read", path, execution, parts)]),
      ),
      write,
    },
    { signal: execution.signal, limits: { ...sqlLimits, timeoutMs: wallTime(execution) } },
  );
  switch (answer.kind) {
    case "rows":
      return answer.rows;
    case "changed":
      return { changes: answer.changes, last_row_id: answer.lastRowid };
    case "stopped":
      throw stoppedError(what, answer.exit);
    case "failed": {
      const hint = answer.why === "too-large" ? "Ask for less: add a LIMIT." : undefined;
      throw new DeputyError(CODES[answer.why], `${what} failed: ${answer.message}`, { hint });
    }
  }
}
