import assert from "node:assert/strict";
import { test } from "node:test";
import { TestSkill } from "../../../test/support/test-skill.ts";
import { adapt } from "./adapters.ts";

const signal = new AbortController().signal;

async function adapted(form: object, value: unknown): Promise<unknown> {
  await using skill = await TestSkill.load({ adapters: { person: form } });
  const adapter = skill.skill.adapters.get("person") ?? assert.fail();
  return await adapt(adapter, value, { expressions: skill.lender.expressions, signal });
}

test("an adapter makes entities: fields, fields of fields, and nothing for what the record does not say", async () => {
  const form = {
    id: ".user_id",
    name: ".name | ascii_upcase",
    "data.age": ".age",
    "data.site.url": ".url",
    _own: ".x",
  };
  const [full, bare] = [
    { user_id: 7, name: "ann", age: 30, url: "https://a.test", x: 1, other: true },
    { user_id: 8, name: "bo" },
  ];
  assert.deepEqual(await adapted(form, [full, bare]), [
    { id: 7, name: "ANN", data: { age: 30, site: { url: "https://a.test" } } },
    { id: 8, name: "BO" },
  ]);
  assert.deepEqual(await adapted(form, bare), { id: 8, name: "BO" });
  assert.equal(await adapted(form, null), null);
  assert.deepEqual(await adapted(form, ["word"]), ["word"]);
});

test("an adapter's links are typed references: of the record itself, of its parts, and by id", async () => {
  const form = {
    id: ".id",
    has_account: { account: { id: ".id", handle: ".handle" } },
    shelves: { "shelf[]": { _source: ".shelves // []", id: ".shelf_id", name: ".name" } },
    employer: { organization: { _source: ".job", name: ".company", boss: { person: { name: ".boss" } } } },
    project: { ref: "project", value: ".project_id" },
    watchers: { ref: "account", value: ".watchers", rel: "watched_by" },
  };
  const full = {
    id: 1,
    handle: "@ann",
    project_id: 99,
    watchers: ["a", "b", null],
    shelves: [{ shelf_id: 5, name: "read" }, { other: 1 }],
    job: { company: "Acme", boss: "Cy" },
  };
  const wanted = {
    id: 1,
    has_account: { account: { id: 1, handle: "@ann" } },
    shelves: { "shelf[]": [{ id: 5, name: "read" }] },
    employer: { organization: { name: "Acme", boss: { person: { name: "Cy" } } } },
    project: { project: { id: "99" } },
    watched_by: { "account[]": [{ id: "a" }, { id: "b" }] },
  };
  const other = { id: 2, shelves: [{ shelf_id: 6 }, { shelf_id: 7 }] };
  assert.deepEqual(await adapted(form, [full, other, full]), [
    wanted,
    { id: 2, has_account: { account: { id: 2 } }, shelves: { "shelf[]": [{ id: 6 }, { id: 7 }] } },
    wanted,
  ]);
  assert.deepEqual(await adapted(form, { id: 2 }), { id: 2, has_account: { account: { id: 2 } } });
});

test("an adapter cannot be brought to change prototypes by its keys", async () => {
  const form = JSON.parse('{"id": ".id", "__proto__.polluted": ".id"}');
  await adapted(form, { id: 1 }).catch(() => undefined);
  assert.equal(Reflect.get({}, "polluted"), undefined);
});
