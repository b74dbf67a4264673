import { isDeepStrictEqual } from "node:util";
import { evaluateMany } from "./evaluate-many.ts";
import { PlainBudget } from "./evaluate-plain.ts";
import type { Program } from "./program.ts";
import { inScope, plainResults, resultsOf, type RunOptions, runProgram, valueOf } from "./run-program.ts";

/** Several programs on one input: what running one after the other gives, those that need jq in one evaluation. */
export async function runAll(
  programs: readonly Program[],
  input: unknown,
  options: RunOptions,
): Promise<unknown[]> {
  const together = await runTogether(programs, input, options);
  if (together !== undefined) return together;
  const results: unknown[] = [];
  for (const program of programs) results.push(await runProgram(program, input, options));
  return results;
}

/** Undefined where there is nothing to gain, or they must not see the same. */
async function runTogether(
  programs: readonly Program[],
  input: unknown,
  options: RunOptions,
): Promise<unknown[] | undefined> {
  const [first, ...others] = programs;
  if (first === undefined) return undefined;
  if (!others.every(({ roots }) => isDeepStrictEqual(roots, first.roots))) return undefined;
  const scoped = inScope(input, first.roots);
  const budget = new PlainBudget();
  const known = programs.map((program) => plainResults(program, scoped, budget));
  const texts = programs.flatMap(({ jq }, index) =>
    jq === undefined || known[index] !== undefined ? [] : [`(${jq.text}\n)`],
  );
  if (texts.length < 2) return undefined;
  const outputs = (await evaluateMany(texts.join(",\n"), scoped, options))?.values();
  if (outputs === undefined) return undefined;
  return programs.map((program, index) => {
    const plain = known[index];
    const output = plain === undefined ? outputs.next().value : undefined;
    const asked = output && resultsOf(program, program.jq?.fields ?? [], output, options.limits);
    return valueOf(program, scoped, plain ?? asked ?? []);
  });
}
