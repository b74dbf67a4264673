import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createExpressions, looksLikeJq } from "./index.ts";

const expressions = createExpressions();
after(() => expressions[Symbol.asyncDispose]());
const roots = ["params", "auth"];
const scope = { where: { skill: "demo", operation: "op", field: "f" }, roots };

/** The rule for strings in templates, by example. */
const jq = [
  ".params.query",
  ".params",
  ".params[0]",
  '.["params"]',
  ".[]?",
  ". | tojson",
  ".\n| tojson",
  '"Bearer " + .auth.key',
  '"only text"',
  "(.params.a // 1)",
  "[.params.a]",
  "[1, 2]",
  "{q: .params.a}",
  "{}",
  "$__loc__",
  "if .params.a then 1 else 2 end",
  "def f: 1; f",
  "reduce .params.list[] as $x (0; . + $x)",
  "foreach (1, 2) as $x (0; $x)",
  "try .params.a catch 1",
  "label $f | 1",
];
const text = [
  "",
  ".",
  ". ",
  "..",
  "./script.py",
  "../x",
  ".5",
  "/items",
  "/items/.params",
  "https://example.org/.params",
  "42",
  "-1",
  "true",
  "null",
  "now",
  "map(.x)",
  "@uri",
  "POST",
  "application/json",
  " .params.query",
  "defer",
  "iffy",
  "trying.params",
  "label_x",
];
const textAfterCompiling = [
  "(see below)",
  "[draft] title",
  "[DRAFT",
  '"quoted" prose',
  '"open',
  "{id",
  "$5 off",
  "$HOME/x",
  "if you want",
  "try harder",
  "label this",
  ".NET is great",
  "({[",
];

test("A string that begins like jq may be jq, and anything else is text", () => {
  for (const string of [...jq, ...textAfterCompiling]) assert.equal(looksLikeJq(string), true, string);
  for (const string of text) assert.equal(looksLikeJq(string), false, string);
});

test("A string that begins like jq and compiles is jq", async () => {
  for (const string of jq) {
    const { tree, warnings } = await expressions.compile(string, scope);
    assert.notEqual(tree.kind, "text", string);
    assert.deepEqual(warnings, []);
  }
});

test("A string that begins like jq and does not compile is text, with a warning", async () => {
  for (const string of textAfterCompiling) {
    const program = await expressions.compile(string, scope);
    assert.deepEqual(program.tree, { kind: "text", value: string });
    assert.equal(program.warnings.length, 1, string);
    assert.equal(program.warnings[0]!.field, "f");
    assert.equal(await expressions.run(program, {}), string);
  }
});

test("A string that names what is in scope and does not compile is an error, not text", async () => {
  const broken = [
    '"Bearer " + .auth.key |',
    '"Bearer \\(.auth.key"',
    ".params.query | ascii_downcas",
    "(.params.query",
    "{q: .params.query",
    "if .params.a then 1",
  ];
  for (const string of broken) {
    await assert.rejects(expressions.compile(string, scope), {
      code: "BAD_INPUT",
      expression: string,
      field: "f",
    });
  }
});

test("A field that is always jq takes what a template would not, and refuses what does not compile", async () => {
  const any = { where: { skill: "demo" }, roots: "any" } as const;
  const evaluate = async (string: string, input: unknown): Promise<unknown> =>
    expressions.run(await expressions.compileExpression(string, any), input);
  assert.deepEqual(await evaluate(".", [1]), [1]);
  assert.deepEqual(await evaluate("map(.x)", [{ x: 1 }]), [1]);
  assert.equal(await evaluate("now | type", null), "number");
  assert.equal(await evaluate("@uri", "a b"), "a%20b");
  await assert.rejects(expressions.compileExpression("some prose", any), { code: "BAD_INPUT" });
  await assert.rejects(expressions.compileExpression("", any), { code: "BAD_INPUT" });
  await assert.rejects(expressions.compileExpression("def f: 1;", any), { code: "BAD_INPUT" });
});
