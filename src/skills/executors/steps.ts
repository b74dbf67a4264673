import { DeputyError } from "../../kernel/index.ts";
import type { Step, StepsExecutor } from "../executor.ts";
import type { Execution } from "../run/execution.ts";
import { withDeadline } from "./deadline.ts";
import { evaluate, evaluateList, nameOf } from "./evaluate.ts";
import { executeCall } from "./execute-call.ts";
import type { ExecutorParts } from "./executor-parts.ts";
import { readKeychain } from "./keychain.ts";
import { isTask, runTasks, taskOf } from "./run-tasks.ts";
import { mapResponse, selects } from "./response.ts";

/** A step that runs for each of a list does not run for ever. */
const MOST_ITEMS = 10_000;

/** Steps in their order; each sees the results before it by their ids. */
export async function runSteps(
  { steps, response }: StepsExecutor,
  execution: Execution,
  parts: ExecutorParts,
): Promise<unknown> {
  let scope = execution.scope;
  let last: unknown = null;
  for (const step of steps) {
    last = await runStep(step, { ...execution, scope }, parts);
    scope = { ...scope, [step.id]: last };
  }
  if (response === null) return last;
  return mapResponse(response, selects(response) ? scope : last, { ...execution, scope });
}

async function runStep(step: Step, execution: Execution, parts: ExecutorParts): Promise<unknown> {
  const run = (limited: Execution) =>
    step.forEach === null ? runOnce(step, limited, parts) : runEach(step, step.forEach, limited, parts);
  if (step.timeoutMs === null) return run(execution);
  return withDeadline(execution, { ms: step.timeoutMs, what: `${nameOf(execution)}: step ${step.id}` }, run);
}

async function runEach(
  step: Step,
  forEach: NonNullable<Step["forEach"]>,
  execution: Execution,
  parts: ExecutorParts,
): Promise<unknown> {
  const items = await evaluateList(execution, forEach);
  if (items.length > MOST_ITEMS)
    throw new DeputyError(
      "TOO_LARGE",
      `${nameOf(execution)}: step ${step.id} has more than ${MOST_ITEMS} items`,
      { hint: "Ask for less at once." },
    );
  const each = items.map((item): Execution => ({ ...execution, scope: { ...execution.scope, item } }));
  const { executor } = step;
  if (!isTask(executor)) {
    const results: unknown[] = [];
    for (const one of each) results.push(await runOnce(step, one, parts));
    return results;
  }
  // One process for all: starting one costs more than what it does.
  const tasks = [];
  for (const one of each) tasks.push((await isSkipped(step, one)) ? null : await taskOf(executor, one));
  const wanted = tasks.filter((task) => task !== null);
  const done = (await runTasks(wanted, execution, parts)).values();
  return tasks.map((task) => (task === null ? null : done.next().value));
}

async function runOnce(step: Step, execution: Execution, parts: ExecutorParts): Promise<unknown> {
  if (await isSkipped(step, execution)) return null;
  const { executor } = step;
  if (executor.kind === "keychain") return readKeychain(executor, execution, parts);
  if (!isTask(executor)) return executeCall(executor, execution, parts);
  const [result] = await runTasks([await taskOf(executor, execution)], execution, parts);
  return result;
}

async function isSkipped({ skipIf }: Step, execution: Execution): Promise<boolean> {
  if (skipIf === null) return false;
  const value = await evaluate(execution, skipIf);
  return value !== null && value !== false;
}
