import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { OWNER, TestGraph } from "../../../test/support/test-graph.ts";

async function exported(graph: TestGraph, name = "out.jsonl"): Promise<string> {
  const path = graph.file(name);
  await graph.later("exportTo", { path });
  return path;
}

/** Names, links, an edit, a deletion, a merge and a value of every kind. */
function fill(graph: TestGraph): string[] {
  const task = graph.one("todo", "task", {
    id: "1",
    name: "Tidy \ud800",
    done: false,
    position: 2,
    labels: ["a", { b: null }],
    project: { project: { id: "p", name: "Home" } },
  });
  graph.ask("update", {
    id: task,
    values: { name: "Tidy up", done: null },
    source: { agent: "claude-code" },
  });
  const gone = graph.one("todo", "task", { id: "2", name: "Gone" });
  graph.ask("delete", { id: gone, source: OWNER });
  const byId = graph.one("a", "account", { platform: "x", id: "1", bio: "Ann" });
  const byHandle = graph.one("b", "account", { platform: "x", handle: "ann" });
  graph.one("c", "account", {
    platform: "x",
    id: "1",
    handle: "ann",
    belongs_to: { person: { name: "Ann" } },
  });
  return [task, gone, byId, byHandle];
}

test("What was exported and taken in elsewhere is the same there: ids, values, sources, links and history", async () => {
  using here = new TestGraph();
  using there = new TestGraph();
  const ids = fill(here);
  const path = await exported(here);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const done = await there.later("importFrom", { path, source: OWNER });
  assert.equal(done.refused, 0);
  for (const id of ids) {
    const told = (graph: TestGraph) => {
      const { sources, ...details } = graph.ask("get", { id });
      // Entities that Deputy makes itself have ids of their own there.
      const changes = graph
        .ask("history", { id })
        .changes.map(({ actor: _a, source: _s, ...change }) => change);
      return { details, sources, changes };
    };
    assert.deepEqual(told(there), told(here));
  }
  assert.equal(there.ask("search", { query: "tidy" }).entities.length, 1);
  assert.equal(there.ask("search", { query: "gone" }).entities.length, 0);
  assert.deepEqual(there.ask("counts", {}), here.ask("counts", {}));
  assert.equal(there.one("todo", "task", { id: "1" }), ids[0], "it is found again by who it is");
});

test("A file taken in twice, or where its things are known already, doubles nothing", async () => {
  using here = new TestGraph();
  using there = new TestGraph();
  fill(here);
  const path = await exported(here);
  const known = there.one("todo", "task", { id: "1", name: "Known here" });
  await there.later("importFrom", { path, source: OWNER });
  const counts = there.ask("counts", {});
  const again = await there.later("importFrom", { path, source: OWNER });
  assert.equal(again.added, 0);
  assert.deepEqual(there.ask("counts", {}), counts);
  assert.equal(there.ask("list", { shape: "task" }).total, 1);
  assert.equal(there.values(known)["position"], 2, "and brings what was not known");
  const before = readFileSync(path, "utf8").split("\n").length;
  await here.later("importFrom", { path, source: OWNER });
  const second = readFileSync(await exported(here, "again.jsonl"), "utf8").split("\n").length;
  assert.equal(second, before);
});

test("Records that others wrote are taken in as a skill's would be, and lines that are nothing are counted", async () => {
  using graph = new TestGraph();
  const path = graph.file("notes.jsonl");
  const lines = [
    { shape: "task", values: { id: 1, name: "A", done: "yes", project: { name: "Home" } } },
    { shape: "task", values: { id: "1", name: "A" } },
    { entity: { id: "../../etc" } },
    { change: { target: "nothing", n: 1, at: 1, action: "create", origin: 1, diff: null } },
  ];
  const deep = `{"shape":"task","values":{"id":"d","x":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`;
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n\nnot json\n${deep}\n{"a":`);
  const done = await graph.later("importFrom", { path, source: OWNER });
  assert.deepEqual([done.entities, done.added], [2, 1]);
  assert.equal(done.refused, 4);
  assert.equal(graph.ask("list", { shape: "task" }).entities[0]?.values["done"], true);
});

test("Neither a file that is there nor one that is not is touched", async () => {
  using graph = new TestGraph();
  const path = graph.file("mine.txt");
  writeFileSync(path, "mine");
  await assert.rejects(graph.later("exportTo", { path }), { code: "CONFLICT" });
  assert.equal(readFileSync(path, "utf8"), "mine");
  await assert.rejects(graph.later("importFrom", { path: graph.file("no"), source: OWNER }), {
    code: "NOT_FOUND",
  });
});
