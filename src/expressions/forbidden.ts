import type { Token } from "./tokens.ts";

const OUTPUT = "an expression has one result and no other output";
const INPUT = "an expression has one input";
const ENVIRONMENT = "an expression sees no environment";
const END = "an expression cannot end the evaluation of its neighbours";
const FILES = "an expression reads no files";
const STATE = "an expression sees its input and nothing of how it is run";

/** Calls and variables that reach outside the input, and why each is refused. */
const FORBIDDEN: Record<string, string> = {
  debug: OUTPUT,
  stderr: OUTPUT,
  input: INPUT,
  inputs: INPUT,
  input_filename: INPUT,
  input_line_number: INPUT,
  env: ENVIRONMENT,
  $ENV: ENVIRONMENT,
  halt: END,
  halt_error: END,
  import: FILES,
  include: FILES,
  module: FILES,
  modulemeta: FILES,
  get_search_list: FILES,
  get_jq_origin: FILES,
  get_prog_origin: FILES,
  $ARGS: STATE,
  $__prog_args: STATE,
};

/** The first thing an expression may not use. `{input: 1}`, `.env` and `"debug"` are data and allowed. */
export function findForbidden(tokens: readonly Token[]): { name: string; reason: string } | undefined {
  for (const { kind, value } of tokens) {
    if (kind !== "name" && kind !== "variable") continue;
    const reason = Object.hasOwn(FORBIDDEN, value) ? FORBIDDEN[value] : undefined;
    if (reason !== undefined) return { name: value, reason };
    if (value.includes("::")) return { name: value, reason: FILES };
  }
  return undefined;
}
