import type { CallExecutor } from "../executor.ts";
import type { Execution } from "../run/execution.ts";
import { runCommand } from "./command.ts";
import { isObject } from "./evaluate.ts";
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
  const { response } = executor;
  if (response === null) return answer;
  // What is meant for the engine stands around the result, and is no part of it.
  if (!isObject(answer) || !Object.hasOwn(answer, "__result__"))
    return mapResponse(response, answer, execution);
  return { ...answer, __result__: await mapResponse(response, answer["__result__"], execution) };
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
