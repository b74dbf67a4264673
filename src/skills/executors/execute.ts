import type { Executor } from "../executor.ts";
import type { Execution } from "../run/execution.ts";
import { withDeadline } from "./deadline.ts";
import { nameOf } from "./evaluate.ts";
import { executeCall } from "./execute-call.ts";
import type { ExecutorParts } from "./executor-parts.ts";
import { runSteps } from "./steps.ts";

/** Does what an operation does, within its time. What comes back is the service's word, mapped as the manifest says. */
export async function execute(
  executor: Executor,
  execution: Execution,
  parts: ExecutorParts,
): Promise<unknown> {
  const within = { ms: execution.operation.timeoutMs, what: nameOf(execution) };
  return withDeadline(execution, within, (limited) =>
    executor.kind === "steps" ? runSteps(executor, limited, parts) : executeCall(executor, limited, parts),
  );
}
