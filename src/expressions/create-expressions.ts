import { DeputyError } from "../kernel/index.ts";
import { type CheckExpressions, compileTemplate, type Problem } from "./compile-template.ts";
import { Evaluator } from "./evaluator.ts";
import { compileProblem, jqCheck } from "./jq-program.ts";
import { defaultLimits, type ExpressionLimits } from "./limits.ts";
import type { Program, Scope, Template } from "./program.ts";
import { runAll } from "./run-all.ts";
import { runEach } from "./run-each.ts";
import { runProgram } from "./run-program.ts";

export interface Expressions extends AsyncDisposable {
  /** Throws an ExpressionError for the first expression that is wrong. Strings that are not jq stay text. */
  compile(template: Template, scope: Scope): Promise<Program>;
  /** For fields that are always jq, such as `transform`: text that does not compile is an error. */
  compileExpression(expression: string, scope: Scope): Promise<Program>;
  /**
   * The template with each expression replaced by its first result, null where it has none. Of an object given as
   * input the program sees only the roots it was compiled for.
   */
  run(program: Program, input: unknown, options?: { signal?: AbortSignal | undefined }): Promise<unknown>;
  /** Several programs on one input, in far less time than one after the other. */
  runAll(
    programs: readonly Program[],
    input: unknown,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<unknown[]>;
  /** One program on each of many inputs, in far less time than one after the other. */
  runEach(
    program: Program,
    inputs: readonly unknown[],
    options?: { signal?: AbortSignal | undefined },
  ): Promise<unknown[]>;
}

export function createExpressions(options: { limits?: Partial<ExpressionLimits> } = {}): Expressions {
  const limits = { ...defaultLimits, ...options.limits };
  const evaluator = new Evaluator(limits);

  const checkTogether = async (
    expressions: Parameters<CheckExpressions>[0],
  ): Promise<Problem | undefined> => {
    const texts = expressions.map(({ text }) => text);
    const program = jqCheck(texts, [...new Set(expressions.map(({ additions }) => additions))].join(""));
    if (Buffer.byteLength(program) > limits.programBytes) {
      return { code: "TOO_LARGE", reason: `longer than ${limits.programBytes} bytes` };
    }
    try {
      const { exitCode, stderr } = await evaluator.evaluate({ program, input: "null" });
      return exitCode === 0 ? undefined : { code: "BAD_INPUT", reason: compileProblem(stderr) };
    } catch (error) {
      // jq computes constants while it compiles: even that can be a bomb.
      if (error instanceof DeputyError && (error.code === "TIMEOUT" || error.code === "TOO_LARGE")) {
        return { code: error.code, reason: error.message };
      }
      throw error;
    }
  };
  const check: CheckExpressions = async (expressions) => {
    if (expressions.length === 0) return [];
    // Their brackets match, so that they compile together iff each compiles alone: one turn instead of many.
    const problem = await checkTogether(expressions);
    if (problem === undefined || expressions.length === 1) return [problem];
    const problems: (Problem | undefined)[] = [];
    for (const expression of expressions) problems.push(await checkTogether([expression]));
    return problems;
  };

  return {
    compile: (template, scope) => compileTemplate(template, scope, { limits, check, as: "template" }),
    compileExpression: (text, scope) => compileTemplate(text, scope, { limits, check, as: "expression" }),
    run: (program, input, { signal } = {}) => runProgram(program, input, { evaluator, limits, signal }),
    runAll: (programs, input, { signal } = {}) => runAll(programs, input, { evaluator, limits, signal }),
    runEach: (program, inputs, { signal } = {}) => runEach(program, inputs, { evaluator, limits, signal }),
    [Symbol.asyncDispose]: () => evaluator[Symbol.asyncDispose](),
  };
}
