import { extname, join } from "node:path";
import { DeputyError } from "../../kernel/index.ts";
import { jailedProgram } from "../../platform/index.ts";
import type { CryptoStep, CsvStep, PlistStep, StepExecutor } from "../executor.ts";
import type { Execution } from "../run/execution.ts";
import { evaluate, evaluateText, nameOf } from "./evaluate.ts";
import type { ExecutorParts } from "./executor-parts.ts";
import type { Task, TaskResult } from "./jailed/task.ts";
import { stoppedError } from "./stopped-error.ts";
import { wallTime } from "./wall-time.ts";

type TaskStep = CryptoStep | PlistStep | CsvStep;

const MEMORY = 512 * 1024 * 1024;
const OUTPUT = 32 * 1024 * 1024;

export function isTask(executor: StepExecutor): executor is TaskStep {
  return executor.kind === "crypto" || executor.kind === "plist" || executor.kind === "csv";
}

/** What a step is to do, its expressions evaluated. */
export async function taskOf(step: TaskStep, execution: Execution): Promise<Task> {
  switch (step.kind) {
    case "csv": {
      const { delimiter, header } = step;
      return { kind: "csv", input: await evaluateText(execution, step.input), delimiter, header };
    }
    case "plist":
      return { kind: "plist", input: await evaluate(execution, step.input), extract: step.extract };
    case "crypto":
      return step.algorithm === "pbkdf2"
        ? {
            kind: "pbkdf2",
            password: await evaluateText(execution, step.password),
            salt: await evaluateText(execution, step.salt),
            iterations: step.iterations,
            keyLength: step.keyLength,
            digest: step.digest,
          }
        : {
            kind: "aes-128-cbc",
            key: await evaluateText(execution, step.key),
            iv: await evaluateText(execution, step.iv),
            input: await evaluate(execution, step.input),
          };
  }
}

/**
 * Does tasks in one jailed process, which can be killed: a thread in the middle of a key derivation cannot. They touch no
 * file, so that the process may run, fenced by Node alone, where there is no jail.
 */
export async function runTasks(
  tasks: readonly Task[],
  execution: Execution,
  { jail, node }: Pick<ExecutorParts, "jail" | "node">,
): Promise<unknown[]> {
  if (tasks.length === 0) return [];
  const folder = join(import.meta.dirname, "jailed");
  const main = join(folder, `main${extname(import.meta.filename)}`);
  const program = jailedProgram({ node, main, code: [folder], memoryBytes: MEMORY });
  const [binary, ...args] = program.argv;
  const fence = [
    "--permission",
    "--no-experimental-sqlite",
    ...program.files.map((file) => `--allow-fs-read=${file}`),
  ];
  const { stdout, exit } = await jail.run({
    argv: [binary, ...fence, ...args],
    env: program.env,
    read: program.read,
    reducedOk: true,
    limits: {
      wallMs: wallTime(execution),
      memoryBytes: MEMORY,
      processes: 32,
      outputBytes: OUTPUT,
    },
    input: JSON.stringify(tasks),
    signal: execution.signal,
  });
  const what = `${nameOf(execution)}: ${[...new Set(tasks.map(({ kind }) => kind))].join(", ")}`;
  if (exit.stopped !== null || exit.status !== 0) throw stoppedError(what, exit);
  return (JSON.parse(stdout.toString()) as TaskResult[]).map((result) => {
    if ("done" in result) return result.done;
    throw new DeputyError("BAD_INPUT", `${what}: ${result.failed}`, {
      hint: "Look at what the step gets as its input.",
    });
  });
}
