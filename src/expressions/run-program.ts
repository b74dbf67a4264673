import { DeputyError, isRecord } from "../kernel/index.ts";
import { evaluatePlain, PlainBudget } from "./evaluate-plain.ts";
import type { Evaluator } from "./evaluator.ts";
import { ExpressionError } from "./expression-error.ts";
import { evaluateJoined } from "./joined-text.ts";
import { withoutData } from "./jq-message.ts";
import type { ProgramOutput } from "./jq-program.ts";
import { copyJson } from "./json-value.ts";
import type { ExpressionLimits } from "./limits.ts";
import { evaluatePath } from "./plain-path.ts";
import type { JqField, Node, Program, Roots } from "./program.ts";
import { readTokens } from "./tokens.ts";

export interface RunOptions {
  readonly evaluator: Evaluator;
  readonly limits: ExpressionLimits;
  readonly signal: AbortSignal | undefined;
}

export async function runProgram(program: Program, given: unknown, options: RunOptions): Promise<unknown> {
  const input = inScope(given, program.roots);
  const { jq } = program;
  const plain = options.signal?.aborted === true ? undefined : plainResults(program, input);
  const results = plain ?? (jq && (await evaluate(program, jq, input, options)));
  return valueOf(program, input, results ?? []);
}

/** What the fields come to where each is found without jq; else jq is asked about all of them. */
export function plainResults(
  { jq }: Program,
  input: unknown,
  budget: PlainBudget = new PlainBudget(),
): readonly unknown[] | undefined {
  const results: unknown[] = [];
  for (const { joined, plain } of jq?.fields ?? []) {
    const text = joined && evaluateJoined(joined, input);
    const found = text === undefined ? plain && evaluatePlain(plain, input, budget) : { value: text };
    if (found === undefined) return undefined;
    results.push(found.value);
  }
  return results;
}

/** The program's value, given what jq made of its fields. */
export function valueOf(program: Program, input: unknown, results: readonly unknown[]): unknown {
  return fill(program.tree, program, input, results);
}

/** An expression cannot reach what it was not compiled for, even where that does not show in its words. */
export function inScope(given: unknown, roots: Roots): unknown {
  if (roots === "any") return given;
  if (!isRecord(given)) throw new TypeError("The input of a program with named roots is an object");
  return Object.fromEntries(Object.entries(given).filter(([root]) => roots.includes(root)));
}

async function evaluate(
  program: Program,
  { text, fields }: NonNullable<Program["jq"]>,
  value: unknown,
  { evaluator, limits, signal }: RunOptions,
): Promise<readonly unknown[]> {
  const { where } = program;
  const only = fields.length === 1 ? fields[0] : { field: where.field };
  const input = JSON.stringify(copyJson(value));
  if (Buffer.byteLength(input) > limits.inputBytes) {
    throw new ExpressionError("TOO_LARGE", `the input is over ${limits.inputBytes} bytes`, {
      where,
      ...only,
    });
  }
  const { stdout, exitCode } = await evaluator
    .evaluate({ program: text, input }, signal)
    .catch((error: unknown) => {
      if (!(error instanceof DeputyError) || error.code === "CANCELLED") throw error;
      throw new ExpressionError(error.code, error.message, { where, ...only }, { cause: error.cause });
    });
  if (exitCode !== 0 || stdout === "") {
    throw new ExpressionError("BAD_INPUT", "jq ended without a result", { where, ...only });
  }
  return resultsOf(program, fields, JSON.parse(stdout) as ProgramOutput, limits);
}

/** What jq made of the fields, or the error of the first that failed. */
export function resultsOf(
  { where }: Program,
  fields: readonly JqField[],
  output: ProgramOutput,
  limits: ExpressionLimits,
): readonly unknown[] {
  if ("ok" in output) return output.ok;
  if ("large" in output) {
    const only = fields.length === 1 ? fields[0] : { field: where.field };
    throw new ExpressionError("TOO_LARGE", `the result is over ${limits.outputBytes} bytes`, {
      where,
      ...only,
    });
  }
  const { field, message } = output.failed;
  const at = fields[field];
  throw new ExpressionError("BAD_INPUT", explain(message, at?.expression ?? ""), { where, ...at });
}

/** What the expression's author wrote into `error("…")` is not data, and says more than anything else. */
function explain(message: string | null, expression: string): string {
  if (message === null) return "raised an error that is not text";
  const written = (readTokens(expression) ?? []).some(
    ({ kind, value }) => kind === "text" && value === message,
  );
  return written ? message : withoutData(message);
}

function fill(node: Node, program: Program, input: unknown, results: readonly unknown[]): unknown {
  switch (node.kind) {
    case "text":
      return node.value;
    case "jq":
      return results[node.index];
    case "array":
      return node.items.map((item) => fill(item, program, input, results));
    case "object":
      return Object.fromEntries(
        node.entries.map(([key, item]) => [key, fill(item, program, input, results)]),
      );
    case "path": {
      const { field, expression } = node;
      const result = evaluatePath(node.path, input);
      if ("value" in result) return copyJson(result.value);
      throw new ExpressionError("BAD_INPUT", withoutData(result.failure), {
        where: program.where,
        field,
        expression,
      });
    }
  }
}
