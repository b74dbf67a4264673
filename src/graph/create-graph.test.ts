import assert from "node:assert/strict";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { book } from "../../test/support/test-graph.ts";
import { createGraph, type Entity } from "./index.ts";

const SOURCE = { agent: "owner", skill: "todo" } as const;
const clock = { now: () => Date.now() };
const open = (path: string) => createGraph({ path, shapes: () => book, clock });
const task = (id: number): Entity => ({
  shape: "task",
  value: { id: `${id}`, name: `Task ${id}` },
  links: [],
});

test("Many callers at once: every answer is the caller's own, and nothing is doubled", async () => {
  using folder = temporaryFolder("graph");
  const path = join(folder.path, "graph.db");
  await using graph = open(path);
  const callers = Array.from({ length: 200 }, async (_, at) => {
    const { ids } = await graph.remember({ entities: [task(at % 50)], source: SOURCE });
    const { values } = await graph.get({ id: ids[0]! });
    assert.equal(values["id"], `${at % 50}`);
    return ids[0];
  });
  assert.equal(new Set(await Promise.all(callers)).size, 50);
  assert.equal((await graph.counts({}))["task"], 50);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("A thread that dies fails what was under way with a coded error, and the next call does not notice", async () => {
  using folder = temporaryFolder("graph");
  await using graph = createGraph({
    path: join(folder.path, "graph.db"),
    shapes: () => book,
    clock,
    memoryMb: 40,
  });
  const { ids } = await graph.remember({ entities: [task(1)], source: SOURCE });
  const large = Array.from({ length: 16 }, (_, id) => ({
    ...task(id),
    value: { id: `${id}`, much: Array.from({ length: 200_000 }, (_, at) => [at]) },
  }));
  const broken = graph.remember({ entities: large, source: SOURCE });
  const lost = await Promise.allSettled([broken, graph.get({ id: ids[0]! })]);
  for (const one of lost) assert.equal((one as PromiseRejectedResult).reason.code, "INTERNAL");
  assert.equal((await graph.get({ id: ids[0]! })).values["name"], "Task 1");
  assert.equal((await graph.counts({}))["task"], 1, "nothing of what failed is there");
});

test("A fault of our own is told by its place, never by its words", async () => {
  using folder = temporaryFolder("graph");
  await using graph = open(join(folder.path, "graph.db"));
  await assert.rejects(graph.remember({ entities: [null as never], source: SOURCE }), (error: Error) => {
    return /^The graph failed: TypeError at [a-z-]+\.ts:\d+$/.test(error.message);
  });
});

test("A file that cannot be used is told as that, each time", async () => {
  using folder = temporaryFolder("graph");
  const path = join(folder.path, "graph.db");
  writeFileSync(path, "this is not a database, whatever its name says".repeat(50));
  await using graph = open(path);
  await assert.rejects(graph.counts({}), { code: "DATABASE_CORRUPT" });
  await assert.rejects(graph.counts({}), { code: "DATABASE_CORRUPT" });
});

test("A caller that gives up stops an import between two batches, and the next one goes on there", async () => {
  using folder = temporaryFolder("graph");
  await using graph = open(join(folder.path, "graph.db"));
  const path = join(folder.path, "tasks.jsonl");
  const lines = Array.from({ length: 5000 }, (_, id) =>
    JSON.stringify({ shape: "task", values: task(id).value }),
  );
  writeFileSync(path, lines.join("\n"));
  const controller = new AbortController();
  const first = graph.importFrom(
    { path, source: SOURCE },
    { signal: controller.signal, progress: () => controller.abort() },
  );
  await assert.rejects(first, { code: "CANCELLED" });
  const some = (await graph.counts({}))["task"]!;
  assert.ok(some > 0 && some < 5000, `${some}`);
  const done = await graph.importFrom({ path, source: SOURCE });
  assert.deepEqual(done, { entities: 5000, added: 5000, refused: 0 });
  assert.equal((await graph.counts({}))["task"], 5000);
});

test("An export is broken off where Deputy stops, and leaves no file, nor a part of one", async () => {
  using folder = temporaryFolder("graph");
  const graph = open(join(folder.path, "graph.db"));
  await graph.remember({ entities: Array.from({ length: 3000 }, (_, id) => task(id)), source: SOURCE });
  const begun = Promise.withResolvers<void>();
  const exporting = graph.exportTo(
    { path: join(folder.path, "out.jsonl") },
    { progress: () => begun.resolve() },
  );
  const failed = assert.rejects(exporting, { code: "CANCELLED" });
  await begun.promise;
  await graph[Symbol.asyncDispose]();
  await failed;
  assert.deepEqual(
    readdirSync(folder.path).filter((name) => !name.startsWith("graph.db")),
    [],
  );
});

test("After it is disposed nothing is asked any more, and what was asked before is answered", async () => {
  using folder = temporaryFolder("graph");
  const graph = open(join(folder.path, "graph.db"));
  const asked = graph.remember({ entities: [task(1)], source: SOURCE });
  await graph[Symbol.asyncDispose]();
  assert.equal((await asked).created, 1);
  await assert.rejects(graph.counts({}), { code: "CANCELLED" });
});
