import { DeputyError } from "../kernel/index.ts";
import type { ProgramOutput } from "./jq-program.ts";
import { copyJson } from "./json-value.ts";
import type { RunOptions } from "./run-program.ts";

/**
 * What several programs print, in one evaluation: a start of jq costs some milliseconds, a program a few hundredths of
 * one. `programs` gives their outputs in order; that they have definitions in front is no matter within brackets.
 * Undefined where together they take more than one evaluation may.
 */
export async function evaluateMany(
  programs: string,
  value: unknown,
  { evaluator, limits, signal }: RunOptions,
): Promise<ProgramOutput[] | undefined> {
  const program = `[${programs}] | tojson | if utf8bytelength > ${limits.outputBytes} then "" else . end`;
  const input = JSON.stringify(copyJson(value));
  if (Buffer.byteLength(program) > limits.programBytes || Buffer.byteLength(input) > limits.inputBytes)
    return undefined;
  const answer = await evaluator.evaluate({ program, input }, signal).catch((error: unknown) => {
    if (error instanceof DeputyError && (error.code === "TIMEOUT" || error.code === "TOO_LARGE"))
      return undefined;
    throw error;
  });
  if (answer === undefined || answer.exitCode !== 0 || answer.stdout.trim() === "") return undefined;
  return (JSON.parse(answer.stdout) as string[]).map((output) => JSON.parse(output) as ProgramOutput);
}
