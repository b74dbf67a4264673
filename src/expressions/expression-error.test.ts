import assert from "node:assert/strict";
import { after, test } from "node:test";
import { inspect } from "node:util";
import { createExpressions, ExpressionError } from "./index.ts";

const expressions = createExpressions({ limits: { milliseconds: 5000 } });
after(() => expressions[Symbol.asyncDispose]());
const where = { skill: "exa", operation: "search", field: "rest" };
const scope = { where, roots: ["params", "auth", "cache"] };
const any = { where, roots: "any" } as const;

test("An error names skill, operation, field and expression", async () => {
  const program = await expressions.compile({ body: { n: '"x" + .params.n', m: ".params.n" } }, scope);
  await assert.rejects(expressions.run(program, { params: { n: 1 } }), {
    name: "DeputyError",
    code: "BAD_INPUT",
    field: "rest.body.n",
    expression: '"x" + .params.n',
    message:
      'exa search rest.body.n: string … and number … cannot be added in the expression: "x" + .params.n',
  });
  await assert.rejects(expressions.compile({ body: ["ok", ".params.n | nope"] }, scope), {
    code: "BAD_INPUT",
    message: "exa search rest.body[1]: nope/0 is not defined in the expression: .params.n | nope",
  });
});

test("What an author writes into error() is shown, unless data is mixed in", async () => {
  const message = async (expression: string): Promise<string> => {
    const program = await expressions.compileExpression(expression, any);
    return expressions.run(program, { key: "canary" }).then(
      () => "no error",
      (error: unknown) => (error as Error).message.replace(/ in the expression:.*$/s, ""),
    );
  };
  assert.equal(await message('error("Nothing was found")'), "exa search rest: Nothing was found");
  assert.equal(await message('error("Nothing for " + .key)'), "exa search rest: Nothing for …");
  assert.equal(await message("error({a: .key})"), "exa search rest: raised an error that is not text");
  assert.equal(await message("error(null)"), "exa search rest: raised an error that is not text");
});

test("No value of the input is in any error", async () => {
  const canary = "Canary-7f3a";
  const failing = [
    ".auth.key.x",
    ".auth.key[0]",
    "(.auth.key | .[])",
    "(.auth.key + 1)",
    "(.auth.key - 1)",
    "(.auth.key * {})",
    "(.auth.key / 1)",
    "({} + .auth.key)",
    "([1] - .auth.key)",
    "(-.auth.key)",
    "(.auth.key % 2)",
    "(.auth.key | tonumber)",
    "(.auth.key | fromjson)",
    "(.auth.key | fromdate)",
    '(.auth.key | strptime("%Y"))',
    "(.auth.key | todate)",
    "(.auth.key | mktime)",
    "(.auth.key | keys)",
    "(.auth.key | sort)",
    "(.auth.key | group_by(.))",
    "(.auth.key | has(0))",
    "(.auth.key | to_entries)",
    "(.auth.key | add)",
    "(.auth.key | join(1))",
    "(.auth.key | flatten)",
    "(.auth.key | floor)",
    "(.auth.key | implode)",
    "([.auth.key] | implode)",
    "(.auth.key | @csv)",
    "([[.auth.key]] | @csv)",
    "([[.auth.key]] | @sh)",
    "([[.auth.key]] | @tsv)",
    "(.auth | @sh)",
    "(.auth.key | test(1))",
    '(.auth.key + "(" | . as $re | "x" | test($re))',
    "(5 | test(.auth.key))",
    "(.auth.key | @base64d | fromjson)",
    "(.auth.key as $k | {} | .[$k].x = 1 | .[$k] | .[0])",
    "(.auth.key as $k | [1] | .[$k])",
    "(.auth.key as $k | 5 | .[$k])",
    "(.auth.key as $k | [1] | has($k))",
    "({(.auth.key): 1} | .[0])",
    "({(.auth): 1})",
    "(.auth.key | contains(1))",
    "(.auth.key | split(1))",
    "(.auth.key | startswith(1))",
    "(.auth.key | error)",
    "(.auth | error)",
    '(error("for \\(.auth.key)"))',
    "(.auth.key | error(.))",
    "(try (.auth.key | tonumber) catch error(.))",
    '(.auth.key | ltrimstr("C") | tonumber)',
    "(.auth.key | range(.))",
    '(.auth.key | .[1:"x"])',
    "(.auth.key | limit(.; 1))",
    '(.auth.key | getpath(["a"]))',
    "(.auth.key | setpath([1]; 2))",
    "(.auth.key | delpaths([[1]]))",
    "(.auth.key | path(1))",
    "(path(.auth.key | tojson))",
    "(.auth.key | splits(1))",
    "(.auth.key | ascii_downcase | tonumber)",
    "(.auth.key | explode | .x)",
    "(.auth.key | strftime(1))",
    "(.auth.key | pow(.; 2))",
    "(.auth.key | min_by(.x))",
    "(.auth.key | with_entries(1))",
    "(.auth.key | from_entries)",
    "(.auth.key | transpose)",
    "(.auth.key | tojson | tojson | tojson | tonumber)",
    "(def f: f; .auth.key | f)",
    "(.auth.key * 1e9)",
    "([.auth.key | range(1e12)])",
  ];
  const strict = createExpressions({ limits: { milliseconds: 300 } });
  let failures = 0;
  for (const expression of failing) {
    const program = await strict.compile({ header: expression }, scope);
    const error: unknown = await strict.run(program, { auth: { key: canary } }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (error === undefined) continue;
    failures += 1;
    assert.ok(error instanceof ExpressionError, inspect(error));
    const shown = [
      error.message,
      error.hint,
      inspect(error, { depth: 9 }),
      JSON.stringify(error),
      error.stack,
    ].join();
    assert.doesNotMatch(shown, /canary-|7f3a|Canary/i, expression);
  }
  await strict[Symbol.asyncDispose]();
  assert.ok(failures >= 65, `${failures} of ${failing.length} fail`);
});
