import { DeputyError } from "../kernel/index.ts";
import type { CheckExpressions, Problem } from "./compile-template.ts";
import type { Evaluator } from "./evaluator.ts";
import { compileProblem, jqCheck } from "./jq-program.ts";
import type { ExpressionLimits } from "./limits.ts";

type Expressions = Parameters<CheckExpressions>[0];
type Problems = (Problem | undefined)[];

interface Question {
  readonly expressions: Expressions;
  readonly resolve: (problems: Problems) => void;
  readonly reject: (error: unknown) => void;
}

/** Of a program of many: enough to have them together, and far from what one evaluation may take. */
const LONGEST_TOGETHER = 16 * 1024;

/**
 * Asks jq whether expressions compile. Their brackets match, so that they compile together iff each compiles alone: what
 * is asked in one turn, by however many skills that are loaded at once, is one evaluation instead of many.
 */
export function createCheck(evaluator: Evaluator, limits: ExpressionLimits): CheckExpressions {
  let waiting: Question[] = [];

  const compile = async (expressions: Expressions): Promise<Problem | undefined> => {
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

  const answerOne = async ({ expressions, resolve, reject }: Question): Promise<void> => {
    try {
      const problem = await compile(expressions);
      if (problem === undefined || expressions.length === 1) return resolve(expressions.map(() => problem));
      const problems: Problems = [];
      for (const expression of expressions) problems.push(await compile([expression]));
      resolve(problems);
    } catch (error) {
      reject(error);
    }
  };

  const answer = async (questions: readonly Question[]): Promise<void> => {
    const all = questions.flatMap(({ expressions }) => expressions);
    const together = questions.length > 1 ? await compile(all).catch(() => null) : null;
    for (const question of questions)
      if (together === undefined) question.resolve(question.expressions.map(() => undefined));
      else await answerOne(question);
  };

  return (expressions) => {
    if (expressions.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      waiting.push({ expressions, resolve, reject });
      if (waiting.length > 1) return;
      setImmediate(() => {
        const batches = batchesOf(waiting);
        waiting = [];
        for (const batch of batches) void answer(batch);
      });
    });
  };
}

function batchesOf(questions: readonly Question[]): Question[][] {
  const batches: Question[][] = [];
  let room = 0;
  for (const question of questions) {
    const length = question.expressions.reduce((sum, { text }) => sum + text.length, 0);
    room -= length;
    const last = batches.at(-1);
    if (last !== undefined && room >= 0) last.push(question);
    else {
      batches.push([question]);
      room = LONGEST_TOGETHER - length;
    }
  }
  return batches;
}
