import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { inspect } from "node:util";
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

test("A value that is not JSON is a bug of the caller, a Secret above all", async () => {
  for (const expression of [".auth.key", "[.auth.key]"]) {
    const program = await expressions.compile(expression, scope);
    for (const key of [Secret.fromText("s"), () => 1, 5n, Number.NaN, new Date(), Symbol("s")]) {
      await assert.rejects(expressions.run(program, { auth: { key } }), TypeError);
    }
    await expressions.run(program, { auth: { key: undefined } });
  }
});

test("A hundred evaluations at once are answered, each with its own result", async () => {
  const program = await expressions.compile({ n: ".params.n + 1", same: ".params.n" }, scope);
  const results = await Promise.all(
    Array.from({ length: 100 }, (_, n) => expressions.run(program, { params: { n } })),
  );
  for (const [n, result] of results.entries()) assert.deepEqual(result, { n: n + 1, same: n });
});

test("A caller that gives up is answered at once, and the others are not disturbed", async () => {
  await using own = createExpressions({ limits: { milliseconds: 400 } });
  const loop = await own.compileExpression("def f: f; f", any);
  const honest = await own.compileExpression("[tojson | fromjson]", any);
  const controller = new AbortController();
  const running = own.run(loop, 1, { signal: controller.signal });
  const waiting = own.run(honest, 2, { signal: controller.signal });
  const patient = own.run(honest, 3);
  setTimeout(() => controller.abort(), 20);
  const started = performance.now();
  await assert.rejects(running, { code: "CANCELLED" });
  await assert.rejects(waiting, { code: "CANCELLED" });
  assert.ok(performance.now() - started < 300);
  assert.deepEqual(await patient, [3]);
  await assert.rejects(own.run(honest, 4, { signal: AbortSignal.abort() }), { code: "CANCELLED" });
});

test("Disposing ends the worker and answers what was waiting", async () => {
  const own = createExpressions();
  const program = await own.compileExpression("[tojson]", any);
  const waiting = [own.run(program, 1), own.run(program, 2)].map((run) =>
    assert.rejects(run, { code: "CANCELLED" }),
  );
  await own[Symbol.asyncDispose]();
  await Promise.all(waiting);
  await assert.rejects(own.run(program, 3), { code: "CANCELLED" });
});

test("An idle worker does not keep the process alive, and jq writes nothing to its output", async () => {
  const script = `
    import { createExpressions } from "./index.ts";
    const expressions = createExpressions();
    const scope = { where: { skill: "s" }, roots: "any" };
    console.log(await expressions.run(await expressions.compileExpression("[.]", scope), 1));
    const bomb = await expressions.compileExpression(". * 1e9", scope);
    await expressions.run(bomb, "x").catch((error) => console.log(error.code));`;
  const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "--eval", script];
  const { promise, resolve } = Promise.withResolvers<string>();
  const child = execFile(
    process.execPath,
    flags,
    { cwd: import.meta.dirname, timeout: 20_000 },
    (error, out, err) => resolve(`${out}${err}${error?.message ?? ""}`),
  );
  assert.equal(await promise, "[ 1 ]\nTOO_LARGE\n");
  assert.equal(child.exitCode, 0);
});

test("Memory stays flat over many evaluations", async (context) => {
  const count = Number(process.env["EXPRESSION_RUNS"] ?? 900);
  const template = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`f${n}`, `"\\(.params.q)-${n}" | ascii_upcase`]),
  );
  const program = await expressions.compile(template, scope);
  const input = { params: { q: "some words to look for", body: "x".repeat(2000) } };
  const run = async (times: number): Promise<number> => {
    for (let n = 0; n < times; n += 1) await expressions.run(program, input);
    return process.memoryUsage.rss() / 1024 / 1024;
  };
  const before = await run(count / 3);
  const after = await run((count * 2) / 3);
  context.diagnostic(
    `${count} evaluations: ${before.toFixed(0)} MB after a third, ${after.toFixed(0)} MB at the end`,
  );
  assert.ok(after - before < 40, `${before.toFixed(0)} MB grew to ${after.toFixed(0)} MB`);
});
