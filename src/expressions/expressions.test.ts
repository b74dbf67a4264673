import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Secret } from "../kernel/index.ts";
import { createExpressions, ExpressionError } from "./index.ts";
import { findPlainPath } from "./plain-path.ts";

const expressions = createExpressions({ limits: { milliseconds: 5000 } });
after(() => expressions[Symbol.asyncDispose]());
const where = { skill: "exa", operation: "search", field: "rest" };
const scope = { where, roots: ["params", "auth", "cache"] };
const any = { where, roots: "any" } as const;

test("A template gives the values of its expressions where they stand, and everything else as it was", async () => {
  const program = await expressions.compile(
    {
      method: "POST",
      url: '"/items/" + (.params.id | tostring)',
      headers: { Authorization: '"Bearer \\(.auth.key)"', "x-key": ".auth.key", Accept: "application/json" },
      body: {
        query: ".params.query",
        limit: ".params.limit // 10",
        tags: [1, null, true, ".params.tags[0]"],
      },
      "data.a": ".params.id",
      data: { a: ".params.query" },
    },
    scope,
  );
  const input = { params: { id: 7, query: "hello", tags: ["t"] }, auth: { key: "k" } };
  assert.deepEqual(await expressions.run(program, input), {
    method: "POST",
    url: "/items/7",
    headers: { Authorization: "Bearer k", "x-key": "k", Accept: "application/json" },
    body: { query: "hello", limit: 10, tags: [1, null, true, "t"] },
    "data.a": 7,
    data: { a: "hello" },
  });
  assert.equal(program.jq?.fields.length, 3);
});

test("A template of text and plain paths does not enter jq", async () => {
  const program = await expressions.compile(
    { a: ".params.q", b: '.params["x y"][-1]', c: "text", d: 5 },
    scope,
  );
  assert.equal(program.jq, undefined);
  const input = { params: { q: "ä", "x y": [1, { z: 2 }] } };
  assert.deepEqual(await expressions.run(program, input), { a: "ä", b: { z: 2 }, c: "text", d: 5 });
});

test("A plain path gives what jq gives, for every kind of value", async () => {
  const paths = [
    ".a",
    ".a.b",
    ".a[0]",
    ".a[-1]",
    ".a[7]",
    '.["a"]',
    '.a["b"].c',
    ".[0]",
    ".[-2]",
    ".[0].a",
    '.["é x"]',
  ];
  const values = [
    null,
    true,
    5,
    "text",
    [],
    [1, { a: null }],
    {},
    { a: { b: { c: 1 } } },
    { a: [1, [2]] },
    { a: "s" },
  ];
  for (const path of paths) {
    assert.notEqual(findPlainPath(path), undefined, path);
    const plain = await expressions.compileExpression(path, any);
    const through = await expressions.compileExpression(`(${path})`, any);
    assert.equal(plain.jq, undefined);
    assert.notEqual(through.jq, undefined);
    for (const value of values) {
      const [ours, theirs] = await Promise.all([plain, through].map((program) => outcome(program, value)));
      assert.deepEqual(ours, theirs, `${path} of ${JSON.stringify(value)}`);
    }
  }
  for (const path of [
    ".a.b.",
    "..a",
    ".a..b",
    ".[]",
    ".a[]",
    ".a?",
    ".a[0:1]",
    '.["\\u0041"]',
    ".a b",
    "[0]",
    ".[1.5]",
  ])
    assert.equal(findPlainPath(path), undefined, path);
});

async function outcome(program: Parameters<typeof expressions.run>[0], input: unknown): Promise<unknown> {
  return expressions.run(program, input).catch((error: unknown) => {
    assert.ok(error instanceof ExpressionError);
    return error.message.replace(/ in the expression:.*$/, "");
  });
}

test("A path does not reach what JavaScript objects inherit", async () => {
  const program = await expressions.compile(
    [".params.constructor", ".params.__proto__", ".params.toString"],
    scope,
  );
  assert.deepEqual(await expressions.run(program, { params: {} }), [null, null, null]);
  const named = JSON.parse('{"__proto__": ".params.x", "y": "[.params.x]"}') as { [key: string]: string };
  const result = await expressions.run(await expressions.compile(named, scope), { params: { x: 1 } });
  assert.deepEqual(JSON.stringify(result), '{"__proto__":1,"y":[1]}');
});

test("An expression gives its first result, and null where it has none", async () => {
  const program = await expressions.compile(
    ["(.params.list[])", "(empty)", "[.params.list[]] | first"],
    scope,
  );
  assert.deepEqual(await expressions.run(program, { params: { list: [1, 2] } }), [1, null, 1]);
});

test("A value that is not JSON is a bug of the caller, a Secret above all", async () => {
  for (const expression of [".auth.key", "[.auth.key]"]) {
    const program = await expressions.compile(expression, scope);
    for (const key of [Secret.fromText("s"), () => 1, 5n, Number.NaN, new Date(), Symbol("s")]) {
      await assert.rejects(expressions.run(program, { auth: { key } }), TypeError);
    }
    const absent = await expressions.run(program, { auth: { key: undefined } });
    assert.deepEqual(absent, expression === ".auth.key" ? null : [null]);
  }
});
