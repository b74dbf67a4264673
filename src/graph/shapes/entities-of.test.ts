import assert from "node:assert/strict";
import { test } from "node:test";
import { bundledShapes, identitiesIn, loadShapes } from "../index.ts";

const book = loadShapes({ folders: [bundledShapes] });

test("entitiesOf lays a result out flat, with links by the place in the list", () => {
  const email = {
    id: "m1",
    name: "Hello",
    labels: ["inbox"],
    from: { account: { handle: "a@x.test", platform: "email", belongs_to: { person: { name: "Ann" } } } },
    to: { "account[]": [{ handle: "b@x.test", platform: "email" }, { display_name: "nobody" }] },
  };
  assert.deepEqual(book.entitiesOf("email[]", [email, { id: "m2", name: "Bye" }]), [
    {
      shape: "email",
      value: { id: "m1", name: "Hello", labels: ["inbox"] },
      links: [
        { label: "from", to: 1 },
        { label: "to", to: 3 },
      ],
    },
    {
      shape: "account",
      value: { handle: "a@x.test", platform: "email" },
      links: [{ label: "belongs_to", to: 2 }],
    },
    { shape: "person", value: { name: "Ann" }, links: [] },
    { shape: "account", value: { handle: "b@x.test", platform: "email" }, links: [] },
    { shape: "email", value: { id: "m2", name: "Bye" }, links: [] },
  ]);
});

test("entitiesOf finds entities in keys that the operation declares in place", () => {
  const fields = { items: "task[]", next: "string", owner: { account: "account" } };
  const returns = { kind: "fields", fields, many: false } as const;
  const data = {
    items: [{ id: "1", project: { id: "p", name: "Home" } }],
    next: "x",
    owner: { account: { id: "7" } },
  };
  assert.deepEqual(
    book.entitiesOf(returns, data).map(({ shape, value, links }) => [shape, value["id"], links]),
    [
      ["task", "1", [{ label: "project", to: 1 }]],
      ["project", "p", []],
      ["account", "7", []],
    ],
  );
});

test("entitiesOf leaves out what has no name, is not a record, or is no entity", () => {
  assert.deepEqual(book.entitiesOf("task[]", [{ done: true }, "x", null, []]), []);
  assert.deepEqual(
    book.entitiesOf({ kind: "fields", fields: { ok: "boolean" }, many: false }, { ok: true }),
    [],
  );
  assert.deepEqual(book.entitiesOf("zebra", { id: "1" }), []);
  assert.deepEqual(book.entitiesOf(undefined, { id: "1" }), []);
});

test("entitiesOf is bounded in depth", () => {
  let deep: Record<string, unknown> = { id: "last" };
  for (let n = 0; n < 5000; n += 1) deep = { id: `${n}`, parent: { task: deep } };
  assert.equal(book.entitiesOf("task", deep).length, 17);
});

test("identitiesIn tells in which ways a record says who it is", () => {
  const account = { id: "7", issuer: "x.test", handle: "joe", platform: "" };
  assert.deepEqual(identitiesIn(book, "account", account), [
    { fields: ["issuer", "id"], values: ["x.test", "7"] },
    { fields: ["issuer", "handle"], values: ["x.test", "joe"] },
  ]);
  assert.deepEqual(identitiesIn(book, "task", { id: 7 }), [{ fields: ["id"], values: ["7"] }]);
  assert.deepEqual(identitiesIn(book, "task", { name: "x" }), []);
});
