import { evaluateMany } from "./evaluate-many.ts";
import { PlainBudget } from "./evaluate-plain.ts";
import { copyJson } from "./json-value.ts";
import type { Program } from "./program.ts";
import { inScope, plainResults, resultsOf, type RunOptions, runProgram, valueOf } from "./run-program.ts";

/** In one evaluation. A start of jq costs some milliseconds, an element a few hundredths of one. */
const MOST_INPUTS = 100;
const MOST_BYTES = 512 * 1024;

/** One program on each of many inputs: what running it on one after the other gives, many in one evaluation. */
export async function runEach(
  program: Program,
  inputs: readonly unknown[],
  options: RunOptions,
): Promise<unknown[]> {
  if (program.jq === undefined) return oneByOne(program, inputs, options);
  const budget = new PlainBudget();
  const known = inputs.map((input) => plainResults(program, inScope(input, program.roots), budget));
  const left = inputs.filter((_, index) => known[index] === undefined);
  const asked = (await askJq(program, program.jq, left, options)).values();
  return inputs.map((input, index) => {
    const results = known[index];
    return results === undefined
      ? asked.next().value
      : valueOf(program, inScope(input, program.roots), results);
  });
}

async function askJq(
  program: Program,
  jq: NonNullable<Program["jq"]>,
  inputs: readonly unknown[],
  options: RunOptions,
): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const chunk of chunksOf(inputs, program)) {
    const together = chunk.length < 2 ? undefined : await runChunk(program, jq, chunk, options);
    results.push(...(together ?? (await oneByOne(program, chunk, options))));
  }
  return results;
}

async function oneByOne(
  program: Program,
  inputs: readonly unknown[],
  options: RunOptions,
): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const input of inputs) results.push(await runProgram(program, input, options));
  return results;
}

/** Undefined where together they take more than one evaluation may: each alone says which it was. */
async function runChunk(
  program: Program,
  { text, fields }: NonNullable<Program["jq"]>,
  inputs: readonly unknown[],
  options: RunOptions,
): Promise<unknown[] | undefined> {
  const scoped = inputs.map((input) => inScope(input, program.roots));
  const outputs = await evaluateMany(`.[] | (${text}\n)`, scoped, options);
  return outputs?.map((output, index) =>
    valueOf(program, scoped[index], resultsOf(program, fields, output, options.limits)),
  );
}

function* chunksOf(inputs: readonly unknown[], { roots }: Program): Generator<unknown[]> {
  let chunk: unknown[] = [];
  let bytes = 0;
  for (const input of inputs) {
    const size = JSON.stringify(copyJson(inScope(input, roots))).length;
    if (chunk.length === MOST_INPUTS || (chunk.length > 0 && bytes + size > MOST_BYTES)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(input);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
