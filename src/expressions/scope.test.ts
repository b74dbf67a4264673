import assert from "node:assert/strict";
import { after, test } from "node:test";
import { findRoots } from "./find-roots.ts";
import { createExpressions } from "./index.ts";
import { readTokens } from "./tokens.ts";

const expressions = createExpressions();
after(() => expressions[Symbol.asyncDispose]());
const where = { skill: "demo", operation: "op", field: "rest.url" };
const any = { where, roots: "any" } as const;

test("The roots of an expression are the names it takes from the input, and no others", () => {
  const table: [string, string[]][] = [
    [".a", ["a"]],
    [".a.b.c", ["a"]],
    ['.["a"].b', ["a"]],
    ['."a"', ["a"]],
    [".a | .b", ["a"]],
    [".a + .b", ["a", "b"]],
    [".a, .b | .c", ["a", "b"]],
    ["(.a | .b) + .c", ["a", "c"]],
    [".a[.b]", ["a", "b"]],
    [".a[.b:.c]", ["a", "b", "c"]],
    ['"x\\(.a)y\\(.b | .c)z"', ["a", "b"]],
    ["{x: .a, y: (.b | .c), z: .d}", ["a", "b", "d"]],
    ["{a, b: 1}", ["a"]],
    ["[.a, .b]", ["a", "b"]],
    [".a as $x | .b", ["a", "b"]],
    [".a as {b: $x} | .c | .d", ["a", "c"]],
    [".a as [$x] ?// $x | .b", ["a", "b"]],
    ["label $l | .a", ["a"]],
    ["if .a | .x then .b elif .c then .d else .e end", ["a", "b", "c", "d", "e"]],
    ["reduce .a[] as $x (.b; .c + $x)", ["a", "b"]],
    ["foreach .a[] as $x (.b; .c; .d)", ["a", "b"]],
    ["try .a catch .message", ["a"]],
    ["try .a catch (.message | .x)", ["a"]],
    [".a | map(.b)", ["a"]],
    ["map(.b)", []],
    ["def f: .x; .a | f", ["a"]],
    ["def f(g; $h): .x | g; .a", ["a"]],
    [".a // .b", ["a", "b"]],
    [".a? // .b", ["a", "b"]],
    ["-.a", ["a"]],
    [".a and .b or .c", ["a", "b", "c"]],
    ["# .z\n.a", ["a"]],
    ['".z"', []],
    ["..", []],
    [". | .x", []],
  ];
  for (const [expression, roots] of table) {
    const tokens = readTokens(expression);
    assert.ok(tokens !== undefined, expression);
    assert.deepEqual(findRoots(tokens), roots, expression);
  }
});

test("An expression with a root that is not in scope is refused when it is loaded", async () => {
  const scope = { where, roots: ["params", "auth"] };
  for (const expression of [".exa.ai", ".gitignore", '"x" + .data.y', "{cache}", '(.["item"])']) {
    await assert.rejects(
      expressions.compile(expression, scope),
      (error: Error & { code: string; hint: string }) => {
        assert.equal(error.code, "BAD_INPUT");
        assert.match(error.message, /^demo op rest\.url: there is no \.\w+ here in the expression: /);
        assert.match(error.hint, /^In scope: \.params \.auth\./);
        return true;
      },
    );
  }
  await expressions.compile({ a: ".params.x", b: '"k=" + .auth.key', c: ".params | .data" }, scope);
});

test("A root that is not in scope is not there even where the words do not show its use", async () => {
  const scope = { where, roots: ["params"] };
  const input = { params: { x: 1 }, auth: { key: "canary" } };
  for (const expression of ["(. | .auth)", "[.. | strings]", ". | tojson", '(getpath(["auth", "key"]))']) {
    const result = await expressions.run(await expressions.compile(expression, scope), input);
    assert.doesNotMatch(JSON.stringify(result), /canary/, expression);
  }
});

test("What reaches outside the input is refused when it is loaded, with the reason", async () => {
  const refused = [
    "debug",
    'debug("x")',
    "stderr",
    "input",
    "[inputs]",
    "input_filename",
    "input_line_number",
    "env",
    "env.PATH",
    "$ENV",
    "$ENV.PATH",
    "{a: env}",
    "{a: 1, b: [env]}",
    "{a: if 1, env then 2 else 3 end}",
    "{a: (1, env)}",
    "{$ENV}",
    '"\\(env)"',
    '"a\\("b\\(env)")"',
    '@base64 "\\($ENV)"',
    ". as $x | env",
    "def f: env; f",
    "reduce inputs as $x (0; 1)",
    "halt",
    "halt_error",
    "halt_error(1)",
    "get_search_list",
    '"a" | modulemeta',
    "$ARGS",
    "# comment\nenv",
    '"#" + env',
    "map(env)",
  ];
  for (const expression of refused) {
    await assert.rejects(
      expressions.compileExpression(expression, any),
      { code: "BAD_INPUT", message: /is not allowed, because an expression/ },
      expression,
    );
  }
  const broken = [
    'import "a" as a; 1',
    'include "a"; 1',
    "$__prog_args",
    "a::b",
    "# x \\\nenv",
    "1) | (env",
    "$ ENV",
  ];
  for (const expression of broken) {
    await assert.rejects(expressions.compileExpression(expression, any), { code: "BAD_INPUT" }, expression);
  }
});

test("Data may have the names of what is refused", async () => {
  const input = { env: 1, input: 2, debug: { halt: 3 } };
  const table: [string, unknown][] = [
    [".env", 1],
    ["{env, input: 5}", { env: 1, input: 5 }],
    ["{if: 1, end: 2, def: 3} | .if", 1],
    [". as {env: $e} | $e", 1],
    [".debug.halt", 3],
    ['"env $ENV \\(.env)"', "env $ENV 1"],
    ["1 # env", 1],
    ['getpath(["env"])', 1],
  ];
  for (const [expression, expected] of table) {
    const program = await expressions.compileExpression(expression, any);
    assert.deepEqual(await expressions.run(program, input), expected, expression);
  }
});
