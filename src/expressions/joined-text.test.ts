import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createExpressions } from "./create-expressions.ts";
import { ExpressionError } from "./expression-error.ts";
import { findJoinedText } from "./joined-text.ts";

test("Only texts and paths put together are read as such", () => {
  const joined = [
    '"Bearer " + .auth.key',
    '"Bearer \\(.auth.key)"',
    ' "a"+.b + "c" ',
    '.a + "x" + .b["c d"][0]',
    '"/\\( .a )/\\(.b[-1])?"',
    '""',
  ];
  const others = [
    '"a\\n" + .b',
    '"a" + .b | length',
    '"a" + .b // "c"',
    '"a" + (.b)',
    '"a" + .b?',
    '"a" + 1',
    '"a" - .b',
    '"a" .b',
    '"a" + ',
    '+ "a"',
    '"\\(.a | tojson)"',
    '@base64 "\\(.a)"',
    '"a" + .b # c',
    '["a" + .b]',
    '"a" + ."b"',
    '"a" + [0]',
  ];
  for (const expression of joined) assert.ok(findJoinedText(expression), expression);
  for (const expression of others) assert.equal(findJoinedText(expression), undefined, expression);
});

test("Whatever the parts are, the result and the failure are jq's", async () => {
  await using expressions = createExpressions({ limits: { milliseconds: 10_000 } });
  const scope = { where: { skill: "joined" }, roots: "any" } as const;
  const ask = async (expression: string, input: unknown) => {
    const program = await expressions.compileExpression(expression, scope);
    return expressions.run(program, input).catch((error: unknown) => {
      assert.ok(error instanceof ExpressionError);
      return { failed: true };
    });
  };
  const words = fc
    .string({ unit: "grapheme", maxLength: 8 })
    .map((text) => text.replace(/["\\\p{Cc}]/gu, ""));
  const path = fc.constantFrom(".a", ".b", ".c.d", '.e["f g"]', ".h[0]", ".missing");
  const literal = fc.array(
    fc.oneof(
      words,
      path.map((one) => `\\(${one})`),
    ),
    { maxLength: 3 },
  );
  const part = fc.oneof(
    path,
    literal.map((all) => `"${all.join("")}"`),
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
    fc.constantFrom(null, 1, 0.5, true, [], ["x"], { d: "x" }, "\ud800"),
  );
  const input = fc.record({
    a: value,
    b: value,
    c: fc.oneof(fc.record({ d: value }), value),
    e: fc.record({ "f g": value }),
    h: fc.oneof(fc.array(value), value),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), input, async (parts, given) => {
      const expression = parts.join(" + ");
      // In a pipe it is no joined text any more, and jq itself is asked.
      assert.deepEqual(await ask(expression, given), await ask(`(${expression}) | .`, given));
    }),
    { numRuns: 300 },
  );
});
