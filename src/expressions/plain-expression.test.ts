import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { expressionCases } from "../../test/support/expression-cases.ts";
import { did, Rounds, seed } from "../../test/support/fault-form.ts";
import { createExpressions } from "./create-expressions.ts";
import { evaluatePlain, PlainBudget } from "./evaluate-plain.ts";
import { Evaluator } from "./evaluator.ts";
import { copyJson } from "./json-value.ts";
import { defaultLimits } from "./limits.ts";
import { type Plain, readPlain } from "./plain-expression.ts";
import { readTokens } from "./tokens.ts";

const limits = { ...defaultLimits, milliseconds: 20_000 };

const plainOf = (expression: string): Plain | undefined => readPlain(readTokens(expression) ?? []);
const evaluate = (expression: string, input: unknown) => {
  const plain = plainOf(expression);
  return plain && evaluatePlain(plain, input, new PlainBudget());
};

interface Cases {
  readonly expression: string;
  readonly inputs: readonly unknown[];
}

/** What jq itself gives, or FAILED; many in one evaluation. */
const FAILED = { failed: true };
async function askJq(evaluator: Evaluator, cases: readonly Cases[]): Promise<unknown[][]> {
  const parts = cases.map(
    ({ expression }, at) =>
      `(.[${at}] | map(try ([(${expression}\n)] | first) catch ${JSON.stringify(FAILED)}))`,
  );
  const input = JSON.stringify(copyJson(cases.map(({ inputs }) => inputs)));
  const { stdout, stderr } = await evaluator.evaluate({ program: `[${parts.join(",\n")}] | tojson`, input });
  assert.equal(stderr, "");
  return JSON.parse(stdout) as unknown[][];
}

/** How many pairs were evaluated here, and therefore compared. */
async function assertSame(cases: readonly Cases[]): Promise<number> {
  await using evaluator = new Evaluator(limits);
  const plain = cases.map(({ expression, inputs }) => ({
    expression,
    inputs: inputs.filter((input) => evaluate(expression, input) !== undefined),
  }));
  const compared = plain.filter(({ inputs }) => inputs.length > 0);
  for (let at = 0; at < compared.length; at += 60) {
    const batch = compared.slice(at, at + 60);
    const asked = await askJq(evaluator, batch);
    for (const [index, { expression, inputs }] of batch.entries())
      for (const [which, input] of inputs.entries()) {
        const [ours, theirs] = [evaluate(expression, input)?.value, asked[index]?.[which]];
        const what = `${expression} on ${JSON.stringify(input)}`;
        assert.deepEqual(ours, theirs, what);
        // The order of keys as well.
        assert.equal(JSON.stringify(ours), JSON.stringify(theirs), what);
      }
  }
  return compared.reduce((sum, { inputs }) => sum + inputs.length, 0);
}

test("What skills write is evaluated here as jq would, wherever it is evaluated here at all", async (context) => {
  const compared = await assertSame(
    expressionCases.map(({ expression, input }) => ({ expression, inputs: [input] })),
  );
  assert.ok(compared > 80, String(compared));
  context.diagnostic(`${compared} of ${expressionCases.length} need no jq`);
});

const item = { id: 1, title: "Ünï 🦊 x", tags: ["a", "b"], none: null, no: false, at: { "x y": [1, 2, 3] } };
const answer = {
  results: [item, { id: 2 }, { id: 3, title: null, tags: [] }],
  n: -0.5,
  empty: "",
  "10": 1,
  "2": 2,
};
const EXPRESSIONS = [
  "[.results[] | {id, name: .title, tags}]",
  "[.results[] | {id, name: (.title // .id), first: .tags[0]}]",
  ".results // []",
  ".missing // .empty // 3",
  "[.results[].id]",
  "[.results[] | select(.title) | .title]",
  "[.results[] | select(.title != null and .id == 1)]",
  ".results | map({id}) | first",
  ".results | map(.tags // []) | last",
  '.results[0].title[1:3] + "…"',
  ".results[0].title | length",
  '.results[0].tags | join(", ")',
  '"a,b,c" | split(",")',
  'if .n then "yes" elif .empty then "no" else null end',
  "if .missing then 1 end",
  ". | with_entries(select(.value != null))",
  '.results[0] | with_entries(select(.key | startswith("t")))',
  '.results[0].at["x y"][-1]',
  '.results[0]."title"',
  '.results[0].at["x y"][1:]',
  "[.results[] | .id, .title]",
  '{a: 1, "b c": [.n, true, false, null], c: {d: .empty}}',
  "{a: .results | length}",
  "{results} | .results[0] | {id, if: 1, end: 2}",
  ".results[0].tags + .results[2].tags + null",
  "1 + 2 == 3 | not",
  ".results[0].id | tostring",
  ".results[0].title | ascii_downcase | ascii_upcase",
  ".n | type",
  "[]",
  "{}",
  "empty",
  "[empty, 1]",
  "{a: empty}",
  ".results[0] | {id} + {title}",
  ".results[] | .id",
  "# a comment\n.n",
  '"/items/" + (.results[0].title | @uri)',
  '"-._~!*()%" | @uri',
  ".results[0].id | @uri",
  "[.results[] | select(.id > 1 and .id <= 3) | .id]",
  ".n < 0, .n >= 0, 1 > .n",
  '"12" | tonumber',
  '"0", "-7", "007", "1e3", " 1", "-0" | tonumber',
];

test("Every form that is read here gives what jq gives, on values of every kind", async () => {
  const inputs = [
    answer,
    item,
    null,
    [],
    {},
    [1, null],
    "text",
    5,
    true,
    { results: null },
    { results: "x" },
    { results: [null] },
  ];
  const compared = await assertSame(EXPRESSIONS.map((expression) => ({ expression, inputs })));
  assert.ok(compared > (EXPRESSIONS.length * inputs.length) / 3, String(compared));
  for (const expression of EXPRESSIONS) assert.ok(plainOf(expression), expression);
});

const names = ["a", "b", "c"].map((name) => `.${name}`);
const constants = ["null", "true", "false", "0", "1", '"x"', '"A b"', "[]", "{}"];
const { expression: anyExpression } = fc.letrec<{ expression: string; leaf: string }>((tie) => ({
  leaf: fc.constantFrom(
    ".",
    ...names,
    ...constants,
    ".a.b",
    ".a[0]",
    ".[-1]",
    ".a[:2]",
    ".[1:]",
    ".[]",
    ".a[]",
    "length",
    "tostring",
    "not",
    "type",
    "first",
    "last",
    "empty",
    "ascii_upcase",
    "tonumber",
    "@uri",
  ),
  expression: fc.oneof(
    { maxDepth: 4 },
    tie("leaf"),
    fc
      .tuple(
        tie("expression"),
        fc.constantFrom("|", ",", "//", "or", "and", "==", "!=", "<", ">=", "+"),
        tie("expression"),
      )
      .map(([a, sign, b]) => `${a} ${sign} ${b}`),
    tie("expression").map((one) => `(${one})`),
    tie("expression").map((one) => `[${one}]`),
    fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `{a: (${a}), b, "c": (${b})}`),
    fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `if ${a} then ${b} else . end`),
    fc
      .tuple(
        fc.constantFrom("select", "map", "with_entries", "join", "split", "startswith", "endswith"),
        tie("expression"),
      )
      .map(([name, a]) => `${name}(${a})`),
  ),
}));
const anyInput = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, 0, 1, -7, 2.5, "", "x", "A b", "ünï🦊", "1", "\ud800", -0),
    fc.constantFrom(2 ** 53, 2 ** 53 - 1, -(2 ** 63), 1e17, 1e300, 0.1, 1e-7, 5e-324),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "key", "value", "9", "__proto__", "length"), tie("value"), {
      maxKeys: 3,
    }),
  ),
})).value;

test("Made-up expressions on made-up values: never another result than jq's", async (context) => {
  context.diagnostic(`seed ${seed}`);
  const pairs = fc.record({
    expression: anyExpression,
    inputs: fc.array(anyInput, { minLength: 8, maxLength: 8 }),
  });
  const rounds = new Rounds({ short: 1, long: 30 });
  let compared = 0;
  for (const round of rounds) {
    const sampled = fc.sample(pairs, { seed: seed + round, numRuns: 3000 });
    compared += await assertSame(sampled.filter(({ expression }) => expression.length < 300));
  }
  assert.ok(compared > 4000 * rounds.count, String(compared));
  did(context, { "results compared": compared }, { "other than jq's": 0 });
});

test("What is not plainly so is left to jq: other words, interpolation, escapes, variables, errors", () => {
  for (const expression of [
    '"a\\(.b)"',
    '"\\n"',
    ".a?",
    ".a as $x | $x",
    "-1",
    "1e3",
    "..",
    ".a - 1",
    "@base64",
    '@uri "a"',
    "{(.a): 1}",
    "{$x}",
    '{"a"}',
    "first(.a)",
    'test("x")',
    "reduce .[] as $x (0; . + $x)",
    ".a |= 1",
    "try .a",
    "def f: 1; f",
    ".[.a]",
    "1 <= 2 < 3",
  ])
    assert.equal(plainOf(expression), undefined, expression);
  for (const [expression, input] of [
    [".a.b", { a: 1 }],
    [".[]", {}],
    [".[0]", {}],
    ["ascii_downcase", 1],
    [".a + 1", { a: "x" }],
    [".a == .b", { a: [], b: [] }],
    ["{a: (1, 2)}", null],
  ] as const)
    assert.equal(evaluate(expression, input), undefined, expression);
});

test("A bomb of plain forms is left to jq before it costs anything here", () => {
  const doubled = `[.,.]${" | [.,.]".repeat(60)}`;
  const grown = `.${" | . + .".repeat(60)}`;
  const started = performance.now();
  assert.equal(evaluate(doubled, 1), undefined);
  assert.equal(evaluate(grown, "some text"), undefined);
  assert.equal(evaluate(grown, [1]), undefined);
  assert.equal(evaluate(`[.[] | [.]]${" | [.[], .[]]".repeat(30)}`, [1, 2]), undefined);
  assert.equal(evaluate(".", "x".repeat(2_000_000)), undefined);
  assert.ok(performance.now() - started < 5_000);
});

test("A deep, wide or strange input meets the same limits as ever", async () => {
  await using expressions = createExpressions();
  const scope = { where: { skill: "plain" }, roots: "any" } as const;
  const program = await expressions.compileExpression("[.a, .b]", scope);
  let deep: unknown = 1;
  for (let i = 0; i < 1000; i++) deep = [deep];
  await assert.rejects(expressions.run(program, { a: deep }), { code: "TOO_LARGE" });
  await assert.rejects(expressions.run(program, { a: new Map() }), TypeError);
  assert.deepEqual(await expressions.run(program, { a: "\ud800", b: undefined }), ["\ufffd", null]);
  const proto = JSON.parse('{"__proto__": {"x": 1}}');
  const shown = await expressions.run(await expressions.compileExpression("[.a, {b: .a}]", scope), {
    a: proto,
  });
  assert.equal(JSON.stringify(shown), '[{"__proto__":{"x":1}},{"b":{"__proto__":{"x":1}}}]');
});
