import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { createExpressions } from "./index.ts";

const expressions = createExpressions({ limits: { milliseconds: 5000 } });
after(() => expressions[Symbol.asyncDispose]());
const where = { skill: "exa", operation: "search", field: "rest" };
const scope = { where, roots: ["params", "auth", "cache"] };
const any = { where, roots: "any" } as const;

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
