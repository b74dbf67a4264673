import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OWNER, TestGraph } from "../../../test/support/test-graph.ts";
import type { Filter, ListInput } from "../graph.ts";

const tasks = [
  { id: "1", name: "apple", done: true, priority: 2, due: "2026-11-20", labels: ["x"] },
  { id: "2", name: "Banana", done: false, priority: 10, due: "2026-12-01T10:00:00Z", labels: ["x", "y"] },
  { id: "3", name: "cherry", priority: 1 },
  { id: "4", name: "Date", done: false },
];

function named(graph: TestGraph, input: Omit<ListInput, "shape">): string[] {
  return graph
    .ask("list", { shape: "task", sort: "name", ...input })
    .entities.map((one) => String(one.values["name"]));
}

test("Absent is not false: what says nothing fits no comparison, and the answer says how many those are", () => {
  using graph = new TestGraph();
  graph.remember("todo", "task[]", tasks);
  const open = graph.ask("list", { shape: "task", where: [{ field: "done", is: "eq", value: "false" }] });
  assert.deepEqual([open.total, open.absent], [2, { done: 1 }]);
  const cases: [Filter, string[]][] = [
    [{ field: "done", is: "ne", value: true }, ["Banana", "Date"]],
    [{ field: "done", is: "missing" }, ["cherry"]],
    [{ field: "priority", is: "lt", value: "10" }, ["apple", "cherry"]],
    [{ field: "priority", is: "ge", value: 2 }, ["apple", "Banana"]],
    [{ field: "due", is: "gt", value: "2026-11-30" }, ["Banana"]],
    [{ field: "name", is: "contains", value: "AN" }, ["Banana"]],
    [{ field: "labels", is: "eq", value: "y" }, ["Banana"]],
    [{ field: "labels", is: "contains", value: "X" }, ["apple", "Banana"]],
    [{ field: "labels", is: "ne", value: "y" }, ["apple"]],
    [{ field: "never", is: "eq", value: "x" }, []],
    [{ field: "never", is: "missing" }, ["apple", "Banana", "cherry", "Date"]],
    [{ field: "'; --", is: "eq", value: "' OR 1=1 --" }, []],
  ];
  for (const [filter, expected] of cases)
    assert.deepEqual(named(graph, { where: [filter] }), expected, JSON.stringify(filter));
  assert.throws(() => graph.ask("list", { shape: "task", where: [{ field: "done", is: "eq" }] }), {
    code: "BAD_INPUT",
  });
  assert.throws(() => graph.ask("list", { shape: "nonsense" }), { code: "NOT_FOUND" });
});

test("A list is sorted by any field, what has no value last, either way", () => {
  using graph = new TestGraph();
  graph.remember("todo", "task[]", tasks);
  assert.deepEqual(named(graph, { sort: "name" }), ["apple", "Banana", "cherry", "Date"]);
  assert.deepEqual(named(graph, { sort: "priority" }), ["cherry", "apple", "Banana", "Date"]);
  assert.deepEqual(named(graph, { sort: "-priority" }), ["Banana", "apple", "cherry", "Date"]);
  assert.deepEqual(named(graph, { sort: "-done" }).slice(0, 1), ["apple"]);
  assert.deepEqual(named(graph, { sort: "" }), ["Date", "cherry", "Banana", "apple"], "the newest first");
});

test("Linked is a filter: from here to there, or either way", () => {
  using graph = new TestGraph();
  const id = graph.one("todo", "task", {
    id: "1",
    name: "A",
    project: { project: { id: "p", name: "Home" } },
  });
  graph.one("todo", "task", { id: "2", name: "B" });
  const home = graph.ask("get", { id }).links[0]!.id;
  assert.deepEqual(named(graph, { where: [{ field: "project", is: "linked", value: home }] }), ["A"]);
  assert.deepEqual(named(graph, { where: [{ field: "*", is: "linked", value: home }] }), ["A"]);
  assert.deepEqual(named(graph, { where: [{ field: "project", is: "missing" }] }), ["B"]);
  const projects = graph.ask("list", { shape: "project", where: [{ field: "*", is: "linked", value: id }] });
  assert.deepEqual(
    projects.entities.map((one) => one.id),
    [home],
  );
});

test("Pages show each entity once, whatever is added or taken away meanwhile", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(null), fc.constantFrom("a", "B", "b")), {
        minLength: 1,
        maxLength: 25,
      }),
      fc.integer({ min: 1, max: 7 }),
      fc.constantFrom("", "position", "-position", "updated"),
      (positions, limit, sort) => {
        using graph = new TestGraph();
        const ids = positions.map((value, at) => {
          const record = { id: `t${at}`, name: `T${at}`, ...(value === null ? {} : { rank: value }) };
          return graph.one("todo", "task", record);
        });
        const field = sort.replace("position", "rank");
        const seen: string[] = [];
        let cursor: string | undefined;
        for (let pages = 0; pages < 40; pages++) {
          const page = graph.ask("list", {
            shape: "task",
            sort: field,
            limit,
            ...(cursor === undefined ? {} : { cursor }),
          });
          seen.push(...page.entities.map((one) => one.id));
          if (page.next === null) break;
          cursor = page.next;
          if (pages < 10) graph.one("todo", "task", { id: `new${pages}`, name: "new", rank: pages });
        }
        const old = seen.filter((id) => ids.includes(id));
        assert.deepEqual([...old].sort(), [...ids].sort());
        assert.equal(new Set(seen).size, seen.length);
      },
    ),
    { numRuns: 15 },
  );
});

test("A cursor of another list, or none at all, is refused", () => {
  using graph = new TestGraph();
  graph.remember("todo", "task[]", tasks);
  const { next } = graph.ask("list", { shape: "task", sort: "name", limit: 1 });
  assert.throws(() => graph.ask("list", { shape: "task", sort: "due", cursor: next! }), {
    code: "BAD_INPUT",
  });
  assert.throws(() => graph.ask("list", { shape: "task", cursor: "!!" }), { code: "BAD_INPUT" });
});

test("Search finds words, phrases and beginnings, names before texts, and some words where none has all", () => {
  using graph = new TestGraph();
  const inText = graph.one("s", "email", {
    id: "1",
    name: "Minutes",
    content: "we spoke of the quarterly budget at length",
  });
  const inName = graph.one("s", "email", { id: "2", name: "Budget", content: "none" });
  const account = graph.one("s", "account", { platform: "x", handle: "zoë", bio: "Budgets" });
  const find = (query: string, types?: string[]) =>
    graph.ask("search", { query, ...(types ? { types } : {}) }).entities.map((one) => one.id);
  assert.deepEqual(find("budget"), [inName, inText]);
  assert.deepEqual(find("BUDG*", ["account"]), [account]);
  assert.deepEqual(find("zoe"), [account]);
  assert.deepEqual(find('"quarterly budget"'), [inText]);
  assert.deepEqual(find('"budget quarterly"'), []);
  assert.deepEqual(find("budget", ["message"]), [inName, inText]);
  assert.equal(graph.ask("search", { query: "quarterly nonsense" }).some_words, true);
  assert.throws(() => find("budget", ["mail"]), { code: "NOT_FOUND" });
  graph.one("s", "email", { id: "2", name: "Lunch" });
  assert.deepEqual(find("budget"), [inText], "what it was called before is not found");
  const { id } = graph.ask("create", { shape: "note", values: { name: "Milk" }, source: OWNER }).entity;
  assert.deepEqual(find("milk"), [id]);
});

test("Nothing anybody types makes a search fail", () => {
  using graph = new TestGraph();
  graph.one("s", "email", { id: "1", name: "Hello AND NOT near" });
  const typed = [
    '"',
    '""',
    "*",
    "a*b",
    "NOT",
    "AND OR",
    "name:x",
    "(",
    "-x",
    "^a",
    "NEAR(a b)",
    "\u0000",
    '"a" "',
    "a".repeat(9999),
  ];
  for (const query of typed) graph.ask("search", { query });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string()), (query) => {
      graph.ask("search", { query });
    }),
    { numRuns: 100 },
  );
});
