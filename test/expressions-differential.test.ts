/**
 * Every expression of test/support/expression-cases.ts, evaluated by Deputy and by the jq of the system. Results must
 * be equal, and where one fails the other must fail; messages are not compared.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { createExpressions, ExpressionError } from "../src/expressions/index.ts";
import { type ExpressionCase, expressionCases, knownDifferences } from "./support/expression-cases.ts";

const BATCH = 40;
const FAILED = { "expression failed": true };
const version = spawnSync("jq", ["--version"], { encoding: "utf8" });
const noJq = version.status === 0 ? false : "jq is not installed";

/** jq takes longest to start: a batch is one program, with the inputs in an array. */
function askSystem(cases: readonly ExpressionCase[]): unknown[] {
  const parts = cases.map(
    ({ expression }, at) => `(.[${at}] | try ([(${expression}\n)] | first) catch ${JSON.stringify(FAILED)})`,
  );
  const input = JSON.stringify(cases.map(({ input }) => input));
  const { status, stdout, stderr } = spawnSync("jq", ["-c", `[${parts.join(",\n")}]`], {
    input,
    encoding: "utf8",
    env: { ...process.env, TZ: "UTC" },
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as unknown[];
}

test(`${expressionCases.length} expressions give what the system's jq gives`, {
  skip: noJq,
}, async (context) => {
  await using expressions = createExpressions({ limits: { milliseconds: 10_000 } });
  const scope = { where: { skill: "differential" }, roots: "any" } as const;
  const ask = async ({ input, expression }: ExpressionCase): Promise<unknown> => {
    const program = await expressions.compileExpression(expression, scope);
    return expressions.run(program, input).catch((error: unknown) => {
      assert.ok(error instanceof ExpressionError && error.code === "BAD_INPUT", String(error));
      return FAILED;
    });
  };
  assert.ok(expressionCases.length >= 300);
  const isModern = !/^jq-1\.[0-7]/.test(version.stdout);
  const compared = expressionCases.filter(({ expression }) => isModern || !(expression in knownDifferences));
  const differences: object[] = [];
  for (let at = 0; at < compared.length; at += BATCH) {
    const batch = compared.slice(at, at + BATCH);
    const theirs = askSystem(batch);
    for (const [index, one] of batch.entries()) {
      const ours = await ask(one);
      if (isDeepStrictEqual(ours, theirs[index])) continue;
      differences.push({ expression: one.expression, ours, theirs: theirs[index] });
    }
  }
  const left = expressionCases.length - compared.length;
  context.diagnostic(`${compared.length} compared with ${version.stdout.trim()}, ${left} known to differ`);
  assert.deepEqual(differences, []);
});
