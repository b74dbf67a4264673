import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createExpressions, defaultLimits, ExpressionError, type Template } from "./index.ts";

const expressions = createExpressions();
after(() => expressions[Symbol.asyncDispose]());

const compile = (template: Template, roots: "any" | string[] = "any") =>
  expressions.compile(template, { where: { skill: "shop", operation: "list", field: "f" }, roots });

const TEMPLATES: Template[] = [
  "text",
  ".id",
  { a: ".id + 1", b: '.name // "?"', c: [".id", ".x.y"] },
  '.name | ltrimstr("n") # a comment',
  "def twice: . * 2; .id | twice",
  ".id as $x | [limit(2; range($x))]",
  "first(empty)",
  "[.. | numbers] | add",
  "label $out | foreach (.id, 5) as $n (0; . + $n; if . > 3 then ., break $out else . end)",
];

test("runEach gives what run gives for one after the other, in the same order", async () => {
  const inputs = Array.from({ length: 250 }, (_, id) => ({
    id,
    name: id % 3 ? `n${id}` : null,
    x: { y: [id] },
  }));
  for (const template of TEMPLATES) {
    const program = await compile(template);
    const wanted = [];
    for (const input of inputs.slice(95, 105)) wanted.push(await expressions.run(program, input));
    const results = await expressions.runEach(program, inputs);
    assert.equal(results.length, inputs.length);
    assert.deepEqual(results.slice(95, 105), wanted, JSON.stringify(template));
  }
  assert.deepEqual(await expressions.runEach(await compile(".a + 1"), []), []);
});

test("runEach names the field that failed, and shows an input no roots but its own", async () => {
  const program = await compile({ a: ".id", b: ".id | tonumber" });
  await assert.rejects(
    expressions.runEach(program, [{ id: 1 }, { id: "x" }]),
    (error) => error instanceof ExpressionError && error.field === "f.b" && error.code === "BAD_INPUT",
  );
  const scoped = await compile("[.[]] | tojson", ["params"]);
  const inputs = [1, 2].map((n) => ({ params: n, auth: "canary" }));
  assert.deepEqual(await expressions.runEach(scoped, inputs), ["[1]", "[2]"]);
});

test("runEach falls back to one at a time where many together are too much", async () => {
  await using small = createExpressions({ limits: { outputBytes: 3000 } });
  const program = await small.compile("[range(.)] | tojson", { where: { skill: "s" }, roots: "any" });
  const results = await small.runEach(program, Array(20).fill(300));
  assert.equal(results.length, 20);
  assert.equal(String(results[19]).length, 1091);
});

test("runAll gives what run gives for each program, in the same order", async () => {
  const input = { id: 4, name: "n4", x: { y: [1] } };
  const programs = [];
  for (const template of TEMPLATES) programs.push(await compile(template));
  const wanted = [];
  for (const program of programs) wanted.push(await expressions.run(program, input));
  assert.deepEqual(await expressions.runAll(programs, input), wanted);
  assert.deepEqual(await expressions.runAll([], input), []);
  const failing = await compile({ a: ".name | tonumber" });
  await assert.rejects(
    expressions.runAll([...programs, failing], input),
    (error) => error instanceof ExpressionError && error.field === "f.a",
  );
});

test("runAll shows no program what only another may see, and runs large ones one by one", async () => {
  const all = "[.[]] | tojson";
  const programs = [await compile(all, ["params"]), await compile(all, ["params", "auth"])];
  assert.deepEqual(await expressions.runAll(programs, { params: 1, auth: "a" }), ["[1]", '[1,"a"]']);
  const long = await compile(`"${"x".repeat(defaultLimits.programBytes / 2)}" | length + 1`);
  const result = defaultLimits.programBytes / 2 + 1;
  assert.deepEqual(await expressions.runAll([long, long, long], {}), [result, result, result]);
});
