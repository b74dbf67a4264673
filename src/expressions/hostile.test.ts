import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createExpressions, ExpressionError } from "./index.ts";

const LIMIT = 150;
const GRACE = 250;
/** A shared machine can hold up any single try; a limit that does not hold fails all of them. */
const TRIES = 4;

const expressions = createExpressions({
  limits: {
    milliseconds: LIMIT,
    memoryBytes: 128 * 1024 * 1024,
    outputBytes: 1_000_000,
    inputBytes: 1_000_000,
  },
});
after(() => expressions[Symbol.asyncDispose]());
const scope = { where: { skill: "hostile", operation: "op" }, roots: "any" } as const;

async function evaluate(expression: string, input: unknown): Promise<unknown> {
  return expressions.run(await expressions.compileExpression(expression, scope), input);
}

function expectRefusal(error: unknown): undefined {
  assert.ok(error instanceof ExpressionError, String(error));
  assert.match(error.code, /^(?:TIMEOUT|TOO_LARGE|BAD_INPUT)$/);
}

/** On a machine that is busy enough, an honest one may run out of time as well. */
async function stillHere(): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await evaluate("[.x, (.n - 1)]", { x: "still here", n: 1 }).catch((error: unknown) => {
      if (attempt < TRIES && error instanceof ExpressionError && error.code === "TIMEOUT") return undefined;
      throw error;
    });
    if (answer !== undefined) return assert.deepEqual(answer, ["still here", 0]);
  }
}

const hostile: Record<string, string> = {
  "an endless recursion": "def f: f; f",
  "an endless recursion that grows": "def f: [f]; f",
  "an endless recursion of two": "def f: def g: f; g; f",
  "an endless loop": "[repeat(1)] | length",
  "an endless until": "until(false; .)",
  "an endless recurse": "[recurse(.)] | length",
  "an endless while": "last(while(true; .))",
  "a range without end": "[range(1e12)]",
  "a range that keeps nothing": "reduce range(1e12) as $i (0; . + 1)",
  "a limit over nothing": "[limit(1; range(1e12) | select(false))]",
  "a text of 1 GB": ".x * 1e9 | length",
  "a text of 1 GB that is constant": '"x" * 1e9 | length',
  "a text that doubles": "reduce range(64) as $i (.x; . + .) | length",
  "a list that doubles": "reduce range(64) as $i ([1]; . + .) | length",
  "nesting without end": "reduce range(1e9) as $i (0; [.])",
  "a value nested 5,000 deep": "reduce range(5000) as $i (0; [.]) | tojson | length",
  "a value nested 100,000 deep": "reduce range(100000) as $i (0; [.]) | [., .] | unique | tojson | length",
  "a regex bomb": '("a" * 5000) + "b" | [match("(a*)*(a*)*$"; "g")] | length',
  "a slow regex": '[range(100000) | "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" | test("^(a+)+$")?] | length',
  "a join of many": '[range(400000) | tostring] | join("aaaaaa") | length',
  combinations: "[[range(40)], [range(40)], [range(40)], [range(40)], [range(40)]] | [combinations] | length",
  "a path that is everywhere": "[paths(..)] as $p | [range(1e9) | $p] | length",
  "an index far away": "[] | .[536870000] = 1 | length",
  "a sort of much": "[range(3000000)] | map(-.) | sort | length",
  "a result too large": '[range(300000) | "xxxxxxxx"]',
  "a message too large": "error(.x * 100000000)",
  "a format of much": "[range(1000000)] | @csv | @uri | @base64 | length",
};

for (const [name, expression] of Object.entries(hostile)) {
  test(`An expression is stopped within its limit: ${name}`, async () => {
    let quickest = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < TRIES && quickest > LIMIT + GRACE; attempt += 1) {
      await stillHere();
      // Loading it has a limit of its own: jq computes constants when it compiles.
      const loading = performance.now();
      const program = await expressions.compileExpression(expression, scope).catch(expectRefusal);
      const running = performance.now();
      if (program !== undefined)
        await expressions
          .run(program, { x: "x" })
          .then(() => assert.fail("it was not stopped"), expectRefusal);
      const took = Math.max(running - loading, performance.now() - running);
      quickest = Math.min(quickest, took);
    }
    assert.ok(quickest <= LIMIT + GRACE, `${Math.round(quickest)} ms`);
  });
}

test("Evaluations that wait behind hostile ones are not lost, and all are answered", async () => {
  const loop = await expressions.compileExpression("def f: f; f", scope);
  const bomb = await expressions.compileExpression("reduce range(64) as $i (.x; . + .)", scope);
  const honest = await expressions.compileExpression("[.x]", scope);
  const outcomes = await Promise.allSettled(
    [honest, loop, honest, bomb, honest, loop, honest].map((program, x) =>
      expressions.run(program, { x: `${x}` }),
    ),
  );
  const seen = outcomes.map((outcome) =>
    outcome.status === "fulfilled" ? outcome.value : (outcome.reason as ExpressionError).code,
  );
  assert.deepEqual(seen.filter(Array.isArray), [["0"], ["2"], ["4"], ["6"]]);
  assert.deepEqual([seen[1], seen[5]], ["TIMEOUT", "TIMEOUT"]);
  assert.match(String(seen[3]), /^(?:TIMEOUT|TOO_LARGE)$/);
});

test("An expression that overflows jq's stack leaves nothing behind for the next one", async () => {
  await using patient = createExpressions({ limits: { milliseconds: 20_000 } });
  const overflow = await patient.compileExpression(
    "reduce range(.n) as $i (0; [.]) | tojson | length",
    scope,
  );
  const honest = await patient.compileExpression('[.a[] | tojson, @uri, test("a")] | join("|")', scope);
  for (const n of [600, 625, 650, 700, 1000, 2000]) {
    await patient.run(overflow, { n }).catch((error: unknown) => assert.ok(error instanceof ExpressionError));
    assert.equal(await patient.run(honest, { a: ["a b"] }), '"a b"|a%20b|true');
  }
});

test("An input too large or too deep is refused before it reaches jq", async () => {
  const program = await expressions.compileExpression("[tojson]", scope);
  await assert.rejects(expressions.run(program, "x".repeat(1_000_001)), { code: "TOO_LARGE" });
  let deep: unknown = 1;
  for (let level = 0; level < 300; level += 1) deep = [deep];
  await assert.rejects(expressions.run(program, deep), { code: "TOO_LARGE" });
});

test("A program too long for jq's stack is refused when it is loaded", async () => {
  const long = `"${"x".repeat(60_000)}" + .a`;
  await assert.rejects(expressions.compileExpression(long, scope), { code: "TOO_LARGE" });
  const many = Array.from({ length: 60 }, () => `"${"x".repeat(1000)}" + .a`);
  await assert.rejects(expressions.compile(many, scope), { code: "TOO_LARGE" });
});

test("Reading an expression takes time in proportion to its length", async () => {
  const long = ["#", "(", '"', "\\(", '"\\(', "{a:", "if ", "\n#", " ", ".a", "[0]", "$x", "-", "\\"];
  for (const part of long) {
    const text = `.a ${part.repeat(Math.floor(40_000 / part.length))}`;
    let quickest = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < TRIES && quickest > 4 * LIMIT + GRACE; attempt += 1) {
      const started = performance.now();
      await expressions.compileExpression(text, scope).catch(expectRefusal);
      quickest = Math.min(quickest, performance.now() - started);
    }
    assert.ok(quickest <= 4 * LIMIT + GRACE, JSON.stringify(part));
  }
});
