import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER, TestGraph } from "../../../test/support/test-graph.ts";

test("The same record again is the same entity, and nothing is written for it", () => {
  using graph = new TestGraph();
  const first = graph.remember("todo", "task[]", [{ id: 7, name: "Tidy up", done: false }]);
  const again = graph.remember("todo", "task[]", [{ id: "7", name: "Tidy up" }]);
  assert.deepEqual(again, { ...first, created: 0 });
  assert.equal(graph.ask("history", { id: first.ids[0]! }).changes.length, 1);
});

test("An id holds within its skill; another skill's is another thing", () => {
  using graph = new TestGraph();
  assert.notEqual(graph.one("todo", "task", { id: "7" }), graph.one("other", "task", { id: "7" }));
  const page = { url: "https://x.test/", name: "X" };
  assert.equal(graph.one("a", "webpage", page), graph.one("b", "webpage", { ...page, name: "X!" }));
});

test("A record that is two entities by two identities makes them one, and the older id stays", () => {
  using graph = new TestGraph();
  const byId = graph.one("a", "account", { platform: "x", id: "1", display_name: "Ann", bio: "old" });
  const byHandle = graph.one("b", "account", { platform: "x", handle: "ann", bio: "new", followers: 3 });
  const post = graph.one("b", "post", {
    id: "p",
    name: "Hi",
    posted_by: { account: { platform: "x", handle: "ann" } },
  });
  assert.notEqual(byId, byHandle);
  const done = graph.remember("c", "account", { platform: "x", id: "1", handle: "ann" });
  assert.deepEqual([done.merged, done.ids[0]], [1, byId]);
  const merged = graph.ask("get", { id: byHandle });
  assert.equal(merged.id, byId, "the other id leads there");
  assert.deepEqual(
    { ...merged.values },
    {
      platform: "x",
      id: "1",
      handle: "ann",
      display_name: "Ann",
      bio: "new",
      followers: 3,
    },
  );
  assert.equal(merged.sources["display_name"]?.skill, "a");
  assert.equal(merged.sources["followers"]?.skill, "b");
  assert.deepEqual(
    merged.linked_from.map(({ id, label }) => [id, label]),
    [[post, "posted_by"]],
  );
  assert.equal(graph.ask("get", { id: post }).links[0]?.id, byId);
  const actions = graph.ask("history", { id: byId }).changes.map(({ action, target }) => [action, target]);
  assert.deepEqual(actions, [
    ["merge", byId],
    ["create", byId],
    ["merged", byHandle],
    ["create", byHandle],
  ]);
});

test("Who takes over another's handle does not become that other", () => {
  using graph = new TestGraph();
  const ann = graph.one("a", "account", { platform: "x", id: "1", handle: "ann", bio: "Ann" });
  const thief = graph.one("a", "account", { platform: "x", id: "2", handle: "ann", bio: "not Ann" });
  assert.notEqual(ann, thief);
  assert.equal(graph.values(ann)["bio"], "Ann");
  assert.equal(graph.one("a", "account", { platform: "x", handle: "ann" }), thief);
});

test("What has no identity is one only if all of it is the same", () => {
  using graph = new TestGraph();
  const tags = (names: string[]) => ({ id: "1", name: "T", tag: { "tag[]": names } });
  const first = graph.remember("todo", "task", tags(["red", "blue", "red"]));
  assert.equal(first.created, 3);
  assert.equal(graph.remember("todo", "task", tags(["red"])).created, 0);
  assert.equal(
    graph.ask("get", { id: first.ids[0]! }).links.length,
    2,
    "nothing given is nothing taken away",
  );
});

test("Where there is one by its shape the new link takes the old one's place", () => {
  using graph = new TestGraph();
  const task = graph.one("todo", "task", { id: "1", project: { project: { id: "p1", name: "Home" } } });
  graph.one("todo", "task", { id: "1", project: { project: { id: "p2", name: "Work" } } });
  const { links } = graph.ask("get", { id: task });
  assert.deepEqual(
    links.map(({ label, name }) => [label, name]),
    [["project", "Work"]],
  );
  const [change] = graph.ask("history", { id: task }).changes;
  assert.deepEqual([change?.added.length, change?.removed.length], [1, 1]);
});

test("A narrower shape takes the place of the wider one, and both find it", () => {
  using graph = new TestGraph();
  const found = { url: "https://git.test/7", id: "7", name: "Fix" };
  const id = graph.one("git", "issue", found);
  assert.equal(graph.one("git", "pull_request", found), id);
  assert.deepEqual(
    [graph.ask("get", { id }).shape, graph.ask("get", { id }).also],
    ["pull_request", ["issue", "task"]],
  );
  for (const shape of ["pull_request", "issue", "task"])
    assert.equal(graph.ask("list", { shape }).entities[0]?.id, id);
  assert.equal(graph.one("git", "issue", found), id);
  assert.equal(graph.ask("get", { id }).shape, "pull_request");
});

test("Every value says who said it and when, and a hand's correction outlives what a service repeats", () => {
  using graph = new TestGraph();
  const id = graph.one("todo", "task", { id: "1", name: "Tidi up", priority: 1 });
  graph.ask("update", { id, values: { name: "Tidy up" }, source: { agent: "claude-code" } });
  graph.one("todo", "task", { id: "1", name: "Tidi up", priority: 2 });
  const { values, sources } = graph.ask("get", { id });
  assert.deepEqual([values["name"], values["priority"]], ["Tidy up", 2]);
  assert.deepEqual([sources["name"]?.agent, sources["name"]?.skill], ["claude-code", undefined]);
  assert.deepEqual([sources["priority"]?.skill, sources["priority"]?.operation], ["todo", "list"]);
  graph.one("todo", "task", { id: "1", name: "Tidy the house" });
  assert.equal(graph.values(id)["name"], "Tidy the house", "what it says anew counts");
});

test("Actors, sources, shapes and changes are entities too", () => {
  using graph = new TestGraph();
  const id = graph.one("todo", "task", { id: "1", name: "A" });
  graph.ask("update", { id, values: { done: true }, source: { agent: "claude-code" } });
  graph.ask("describeSkills", {
    skills: [{ id: "todo", name: "Todo", description: "Lists", status: "ready", operations: ["list"] }],
  });
  graph.ask("remember", { entities: [], source: { agent: "owner", skill: "todo", operation: "other" } });
  assert.equal(
    graph.ask("list", { shape: "skill" }).entities[0]?.values["name"],
    "Todo",
    "it keeps its name",
  );
  const { changed } = graph.ask("describeSkills", { skills: [] });
  assert.equal(changed, 1);
  assert.equal(graph.ask("list", { shape: "skill" }).entities[0]?.values["status"], "removed");
  graph.one("passing", "task", { id: "1", name: "B" });
  graph.ask("describeSkills", { skills: [] });
  const passing = graph.ask("list", { shape: "skill", where: [{ field: "id", is: "eq", value: "passing" }] });
  assert.equal(passing.entities[0]?.values["status"], "removed", "one that went before it was described too");
  const change = graph.ask("get", { id: `${id}.2` });
  assert.deepEqual(
    change.links.map(({ label, shape, name }) => [label, shape, name]),
    [
      ["target", "task", "A"],
      ["actor", "agent", "claude-code"],
    ],
  );
  assert.deepEqual(change.values["after"], { done: true });
  const [created] = graph.ask("history", { id }).changes.slice(-1);
  assert.equal(graph.ask("get", { id: created!.source! }).values["name"], "Todo");
  assert.ok(graph.ask("list", { shape: "shape", limit: 500 }).total! > 80);
  const deletions = graph.ask("list", {
    shape: "change",
    where: [{ field: "author", is: "eq", value: "claude-code" }],
  });
  assert.deepEqual(
    deletions.entities.map((one) => one.id),
    [`${id}.2`],
  );
});

test("The owner claims the accounts of their logins, by id or by handle", () => {
  using graph = new TestGraph();
  const seen = graph.one("shop", "account", { issuer: "shop.test", id: "joe", display_name: "Joe" });
  assert.equal(graph.ask("claimAccount", { domain: "shop.test", identifier: "joe" }).id, seen);
  const claimed = graph.ask("claimAccount", { domain: "mail.test", identifier: "joe@x.test" }).id;
  assert.equal(
    graph.one("mail", "account", { issuer: "mail.test", handle: "joe@x.test", id: "99" }),
    claimed,
  );
  const [owner] = graph.ask("get", { id: claimed }).linked_from;
  assert.deepEqual([owner?.label, owner?.shape], ["claims", "person"]);
  assert.equal(graph.ask("get", { id: owner!.id }).links.length, 2);
  graph.ask("claimAccount", { domain: "mail.test", identifier: "joe@x.test" });
  assert.equal(graph.ask("get", { id: owner!.id }).links.length, 2);
});

test("What was deleted is found no more, stays deleted when a run brings it again, and comes back when asked", () => {
  using graph = new TestGraph();
  const id = graph.one("todo", "task", { id: "1", name: "Secret plan" });
  graph.ask("delete", { id, source: OWNER });
  graph.one("todo", "task", { id: "1", name: "Secret plan", done: true });
  assert.equal(graph.ask("search", { query: "secret" }).entities.length, 0);
  assert.equal(graph.ask("list", { shape: "task" }).total, 0);
  assert.equal(graph.ask("list", { shape: "task", deleted: true }).entities[0]?.id, id);
  assert.throws(() => graph.ask("update", { id, values: { name: "x" }, source: OWNER }), {
    code: "NOT_FOUND",
  });
  graph.ask("restore", { id, source: OWNER });
  assert.equal(graph.ask("search", { query: "secret" }).entities[0]?.values["done"], true);
});

test("Values of every kind come back as they were, hostile ones too", () => {
  using graph = new TestGraph();
  const values = {
    id: "1",
    name: "a\u0000b \ud800 ' \" ; DROP TABLE entities; -- %s \u202e ☃ 👩‍👩‍👧",
    text: "\u0000".repeat(3),
    __proto__x: 1,
    constructor: "c",
    "'; --": { "a.b": [1, null, true, { x: "\udfff" }] },
    zero: 0,
    small: -1.5e-300,
    large: 2 ** 60,
    no: false,
    empty: "",
    list: [],
  };
  const { ids } = graph.ask("remember", {
    entities: [{ shape: "task", value: values, links: [{ label: "x'; --", to: 0 }] }],
    source: { agent: "owner", skill: "s'; --" },
  });
  assert.deepEqual({ ...graph.values(ids[0]!) }, values);
  graph.reopen();
  assert.deepEqual({ ...graph.values(ids[0]!) }, values);
});

test("What is nested too deep or too large is left out and told; forged changes are refused", () => {
  using graph = new TestGraph();
  let deep: unknown = 1;
  for (let i = 0; i < 5000; i++) deep = [deep];
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`f${i}`, i]));
  const { ids, warnings } = graph.ask("remember", {
    entities: [
      { shape: "task", value: { id: "1", name: "A", deep, big: "x".repeat(5_000_000) }, links: [] },
      { shape: "task", value: { id: "2", ...many }, links: [] },
      { shape: "change", value: { id: "x", action: "delete" }, links: [] },
    ],
    source: { agent: "owner", skill: "s" },
  });
  assert.deepEqual({ ...graph.values(ids[0]!) }, { id: "1", name: "A" });
  assert.equal(Object.keys(graph.values(ids[1]!)).length, 500);
  assert.equal(ids[2], "");
  assert.equal(warnings.length, 4);
});

test("By hand: types are checked, references become links, null takes away, and a double is refused", () => {
  using graph = new TestGraph();
  const { entity } = graph.ask("create", {
    shape: "task",
    values: { name: "Tidy", done: "no", project: { name: "Home" } },
    source: OWNER,
  });
  assert.equal(entity.values["done"], false);
  const home = graph.ask("get", { id: entity.id }).links[0]!;
  const other = graph.ask("create", { shape: "project", values: { name: "Work" }, source: OWNER }).entity.id;
  graph.ask("update", {
    id: entity.id,
    values: { done: null, due: "2026-12-01" },
    links: [{ label: "project", id: other }],
    source: OWNER,
  });
  const now = graph.ask("get", { id: entity.id });
  assert.deepEqual({ ...now.values }, { name: "Tidy", due: "2026-12-01" });
  assert.deepEqual(
    now.links.map(({ id }) => id),
    [other],
  );
  graph.ask("update", {
    id: entity.id,
    values: {},
    unlink: [{ label: "project", id: other }],
    source: OWNER,
  });
  assert.equal(graph.ask("get", { id: entity.id }).links.length, 0);
  assert.equal(
    graph.ask("update", { id: entity.id, values: { name: "Tidy" }, source: OWNER }).changed,
    false,
  );
  assert.notEqual(home.id, other);
  const page = { shape: "webpage", values: { url: "https://x.test/" }, source: OWNER };
  graph.ask("create", page);
  assert.throws(() => graph.ask("create", page), { code: "CONFLICT" });
  assert.throws(() => graph.ask("create", { shape: "nonsense", values: {}, source: OWNER }), {
    code: "BAD_INPUT",
  });
  assert.throws(() => graph.ask("create", { shape: "task", values: {}, source: OWNER }), {
    code: "BAD_INPUT",
  });
});
