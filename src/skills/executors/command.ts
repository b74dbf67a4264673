import { secretTexts } from "../../auth/index.ts";
import { Mask } from "../../http/index.ts";
import type { CommandExecutor } from "../executor.ts";
import type { Execution } from "../run/execution.ts";
import { findCarried } from "./carried-auth.ts";
import { evaluate, evaluateList, evaluateText, nameOf } from "./evaluate.ts";
import type { ExecutorParts } from "./executor-parts.ts";
import { startCommand } from "./start-command.ts";
import { stoppedError } from "./stopped-error.ts";

/** A program's output: JSON where it is, text otherwise. A program that ends with a status the manifest does not expect has failed. */
export async function runCommand(
  executor: CommandExecutor,
  execution: Execution,
  parts: ExecutorParts,
): Promise<unknown> {
  const auth = (await execution.loan?.auth()) ?? {};
  const stdin = await evaluate(execution, executor.stdin, auth);
  const said = await findCarried(execution, { programs: [executor.stdin], values: [stdin], auth });
  const { workingDir } = executor;
  const texts = async (program: CommandExecutor["args"]) =>
    (await evaluateList(execution, program)).filter((one) => one !== null).map((one) => asText(one));
  const { stdout, stderr, exit } = await startCommand(
    {
      binary: executor.binary,
      args: await texts(executor.args),
      code: executor.code,
      stdin: stdin === null ? "" : asText(stdin),
      workingDir: workingDir === null ? null : await evaluateText(execution, workingDir),
      read: await texts(executor.read),
      write: await texts(executor.write),
    },
    execution,
    parts,
  );
  // It may say again what it was told on stdin.
  const mask = new Mask(secretTexts(auth), said.texts);
  if (exit.stopped !== null || exit.status === null || !executor.statuses.includes(exit.status)) {
    const complaint = mask.text(stderr.toString());
    throw stoppedError(`${nameOf(execution)}: ${executor.binary}`, { ...exit, said: complaint });
  }
  const text = mask.text(stdout.toString());
  return executor.response?.raw === true ? text : parse(text);
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim() === "" ? null : text.replace(/\r?\n$/, "");
  }
}
