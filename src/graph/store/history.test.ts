import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OWNER, TestGraph } from "../../../test/support/test-graph.ts";
import type { Change, PastState } from "../graph.ts";

const letter = fc.constantFrom("a", "b", "c");
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

/** Few values for many identities: records meet, merge, part and refer to one another. */
const account = fc.record({
  platform: fc.constant("x"),
  id: optional(letter),
  handle: optional(letter),
  bio: optional(fc.constantFrom("one", "two", { deep: [1, null] }, "")),
  followers: optional(fc.integer({ min: 0, max: 3 })),
});
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("remember" as const),
      skill: letter,
      records: fc.array(account, { minLength: 1, maxLength: 3 }),
      follows: optional(account),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("update" as const),
      pick: fc.nat(50),
      bio: fc.constantFrom("hand", null, "two"),
      handle: optional(letter),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), pick: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore" as const), pick: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("link" as const), pick: fc.nat(50), to: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function take(graph: TestGraph, ids: Set<string>, one: Step): void {
  const pick = (nth: number) => [...ids][nth % ids.size] ?? "";
  if (one.do === "reopen") return graph.reopen();
  if (one.do === "remember") {
    const records = one.records.map((record) => ({
      ...record,
      ...(one.follows === undefined ? {} : { follows: { "account[]": [one.follows] } }),
    }));
    for (const id of graph.remember(one.skill, "account[]", records).ids) ids.add(id);
    return;
  }
  if (ids.size === 0) return;
  try {
    const id = pick(one.pick);
    if (one.do === "update")
      graph.ask("update", {
        id,
        values: { bio: one.bio, ...(one.handle && { handle: one.handle }) },
        source: OWNER,
      });
    else if (one.do === "link")
      graph.ask("update", { id, values: {}, links: [{ label: "follows", id: pick(one.to) }], source: OWNER });
    else graph.ask(one.do, { id, source: OWNER });
  } catch (error) {
    assert.equal((error as { code?: string }).code, "NOT_FOUND", "only what was deleted is refused");
  }
}

function stateNow(graph: TestGraph, id: string): PastState | null {
  return graph.ask("stateAt", { id, time: graph.now });
}

/** The values and links one gets by doing again all that history tells. */
function replay(changes: readonly Change[]): { values: Record<string, unknown>; links: string[] } {
  const values = new Map<string, unknown>();
  const links = new Set<string>();
  for (const { action, fields, added, removed } of changes.toReversed()) {
    for (const [field, { before, after }] of Object.entries(fields)) {
      assert.deepEqual(values.get(field), before, `${action}: what was before ${field}`);
      if (after === undefined) values.delete(field);
      else values.set(field, after);
    }
    for (const { label, id } of removed) assert.ok(links.delete(`${label} ${id}`));
    for (const { label, id } of added) links.add(`${label} ${id}`);
  }
  return { values: Object.fromEntries(values), links: [...links].sort() };
}

test("Any earlier state can be rebuilt, and history done again gives the present", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
      using graph = new TestGraph();
      const ids = new Set<string>();
      const past: { time: number; states: Map<string, PastState | null> }[] = [];
      for (const one of steps) {
        take(graph, ids, one);
        const states = new Map([...ids].map((id) => [id, stateNow(graph, id)]));
        past.push({ time: graph.now, states });
      }
      for (const { time, states } of past)
        for (const [id, state] of states) assert.deepEqual(graph.ask("stateAt", { id, time }), state);
      for (const id of ids) {
        const state = stateNow(graph, id)!;
        const own = graph.ask("history", { id: state.merged_into ?? id, limit: 500 }).changes;
        const replayed = replay(own.filter(({ target }) => target === id));
        assert.deepEqual(replayed.values, { ...state.values });
        const details = graph.ask("get", { id });
        if (state.merged_into !== null) {
          assert.equal(details.id, state.merged_into);
          assert.deepEqual(replayed, { values: {}, links: [] });
        } else {
          assert.deepEqual({ ...details.values }, { ...state.values });
          assert.equal(details.deleted !== null, state.deleted);
          const told = new Set(details.links.map((link) => `${link.label} ${link.id}`));
          for (const link of told)
            assert.ok(state.links.some(({ label, id: to }) => link === `${label} ${to}`));
        }
        assert.equal(graph.ask("stateAt", { id, time: 0 }), null);
      }
    }),
    { numRuns: 60 },
  );
});

test("What was a part of something that later became a part of another is told as it was then", () => {
  using graph = new TestGraph();
  const remember = (record: object) => graph.one("a", "account", { platform: "x", ...record });
  const first = remember({ handle: "a" });
  const second = remember({ id: "c", follows: { "account[]": [{ platform: "x", handle: "c" }] } });
  remember({ id: "c", handle: "c" });
  const then = graph.now;
  remember({ id: "c", handle: "a" });
  assert.deepEqual(graph.ask("stateAt", { id: second, time: then })?.links, [
    { label: "follows", id: second },
  ]);
  assert.equal(graph.ask("stateAt", { id: second, time: graph.now })?.merged_into, first);
});

test("No two living entities have one identity, whatever was remembered", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(letter, account), { minLength: 1, maxLength: 30 }), (records) => {
      using graph = new TestGraph();
      for (const [skill, record] of records) graph.remember(skill, "account", record);
      const all = graph.ask("list", { shape: "account", limit: 500 }).entities;
      const seen = all.flatMap(({ values }) => (values["id"] === undefined ? [] : [values["id"]]));
      assert.equal(new Set(seen).size, seen.length);
    }),
    { numRuns: 60 },
  );
});

test("History is told in pages, and a change is found by its id", () => {
  using graph = new TestGraph();
  const id = graph.one("todo", "task", { id: "1", name: "T", position: 0 });
  for (let position = 1; position < 12; position++) graph.one("todo", "task", { id: "1", position });
  const first = graph.ask("history", { id, limit: 5 });
  graph.one("todo", "task", { id: "1", position: 12 });
  const rest = graph.ask("history", { id, limit: 50, cursor: first.next! });
  assert.deepEqual(
    [...first.changes, ...rest.changes].map(({ fields }) => fields["position"]?.after),
    [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
  );
  assert.deepEqual(graph.ask("get", { id: `${id}.4` }).values["before"], { position: 2 });
  assert.throws(() => graph.ask("get", { id: `${id}.99` }), { code: "NOT_FOUND" });
  assert.throws(() => graph.ask("get", { id: "nothing" }), { code: "NOT_FOUND" });
});
