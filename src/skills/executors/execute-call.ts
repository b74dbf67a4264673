import type { CallExecutor } from "../executor.ts";
import type { Execution } from "../run/execution.ts";
import { runCommand } from "./command.ts";
import type { ExecutorParts } from "./executor-parts.ts";
import { runGraphql } from "./graphql.ts";
import { mapResponse } from "./response.ts";
import { runRest } from "./rest.ts";
import { runSql } from "./sql.ts";

/** One call, of an operation or of a step, through its response. */
export async function executeCall(
  executor: CallExecutor,
  execution: Execution,
  parts: ExecutorParts,
): Promise<unknown> {
  const answer = await call(executor, execution, parts);
  return executor.response === null ? answer : mapResponse(executor.response, answer, execution);
}

async function call(executor: CallExecutor, execution: Execution, parts: ExecutorParts): Promise<unknown> {
  switch (executor.kind) {
    case "rest":
      return runRest(executor, execution);
    case "graphql":
      return runGraphql(executor, execution);
    case "sql":
      return runSql(executor, execution, parts);
    case "command":
      return runCommand(executor, execution, parts);
    case "typescript":
    case "python":
      return execution.runCode(executor, execution);
  }
}
