import { createCheck } from "./check-expressions.ts";
import { compileTemplate } from "./compile-template.ts";
import { Evaluator } from "./evaluator.ts";
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
  const check = createCheck(evaluator, limits);
  return {
    compile: (template, scope) => compileTemplate(template, scope, { limits, check, as: "template" }),
    compileExpression: (text, scope) => compileTemplate(text, scope, { limits, check, as: "expression" }),
    run: (program, input, { signal } = {}) => runProgram(program, input, { evaluator, limits, signal }),
    runAll: (programs, input, { signal } = {}) => runAll(programs, input, { evaluator, limits, signal }),
    runEach: (program, inputs, { signal } = {}) => runEach(program, inputs, { evaluator, limits, signal }),
    [Symbol.asyncDispose]: () => evaluator[Symbol.asyncDispose](),
  };
}
