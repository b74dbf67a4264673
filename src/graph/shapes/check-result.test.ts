import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bundledShapes, loadShapes, type ResultWarning, type Returns } from "../index.ts";

const book = loadShapes({ folders: [bundledShapes], now: () => Date.UTC(2026, 10, 15) });

function check(returns: Returns | string | undefined, data: unknown): { data: unknown; told: string[] } {
  const { data: checked, warnings } = book.checkResult(returns, data);
  return { data: checked, told: warnings.map(tell) };
}

function inline(fields: Record<string, unknown>, many = false): Returns {
  return { kind: "fields", fields, many };
}

function tell({ code, message, count }: ResultWarning): string {
  return `${code} ${message}${count === 1 ? "" : ` (${count})`}`;
}

test("checkResult gives values the type of their field", () => {
  const given = { id: 7, name: "Tidy up", done: "no", priority: "2", due: 1_700_000_000, text: null };
  assert.deepEqual(check("task", given), {
    data: { id: "7", name: "Tidy up", done: false, priority: 2, due: "2023-11-14T22:13:20Z" },
    told: [],
  });
});

test("checkResult takes datePublished for published, unless there are both", () => {
  assert.deepEqual(check("webpage", { id: "1", datePublished: "March 5, 2024" }).data, {
    id: "1",
    published: "2024-03-05",
  });
  const both = check("webpage", { id: "1", datePublished: "2020", published: "2024" });
  assert.deepEqual(both.data, { id: "1", datePublished: "2020", published: "2024" });
  assert.deepEqual(both.told, ["UNKNOWN_KEYS webpage declares no datePublished"]);
  assert.deepEqual(check("webpage", { id: "1", datePublished: "2020", published: null }).data, {
    id: "1",
    published: "2020",
  });
});

test("checkResult keeps what it does not understand, and says so once for all records", () => {
  const given = [1, 2, 3].map((n) => ({ id: `${n}`, name: "x", zebra: n, skill: {}, done: "maybe" }));
  const { data, told } = check("task[]", given);
  assert.deepEqual(data, given);
  assert.deepEqual(told, [
    "WRONG_TYPE task.done is text that cannot be read as boolean (3)",
    "UNKNOWN_KEYS task declares no skill, zebra (3)",
  ]);
});

test("checkResult never quotes a value", () => {
  const canary = "canary-shape-value";
  const data = {
    id: { canary },
    name: [canary],
    done: canary,
    due: canary,
    currency: canary,
    project: canary,
  };
  const { warnings } = book.checkResult("task", data);
  assert.ok(warnings.length >= 5);
  assert.doesNotMatch(JSON.stringify(warnings), /canary-shape-value/);
});

test("checkResult asks for an id or a name, or what else tells one from another", () => {
  assert.deepEqual(check("task", { done: true }).told, [
    "UNNAMED task has neither id nor name: it cannot be found again",
  ]);
  for (const record of [{ id: "1" }, { name: "a" }, { url: "https://x.test/" }])
    assert.deepEqual(check("webpage", record).told, []);
  assert.deepEqual(check("account", { handle: "joe" }).told, []);
  assert.deepEqual(check("account", { platform: "email" }).told.length, 1);
});

test("checkResult minds whether one or a list is declared, and loses neither", () => {
  const task = { id: "1", name: "a" };
  assert.deepEqual(check("task[]", task), {
    data: [task],
    told: ["WRONG_COUNT task is an object, and a list is declared"],
  });
  assert.deepEqual(check("task", [task, null, task]), {
    data: [task, task],
    told: ["WRONG_COUNT task is a list, and one is declared"],
  });
  const wrapped = check("task[]", { total: 1, results: [task] });
  assert.match(wrapped.told[0]!, /there is a list in its results$/);
  assert.deepEqual(check("task[]", "x"), {
    data: ["x"],
    told: ["WRONG_COUNT task is text, and a list is declared", "WRONG_TYPE task is text, not an object"],
  });
});

test("checkResult takes nothing for nothing", () => {
  assert.deepEqual(check("task[]", []), { data: [], told: [] });
  assert.deepEqual(check("task", null), { data: null, told: [] });
  assert.deepEqual(check("void", { any: "thing" }), { data: { any: "thing" }, told: [] });
  assert.deepEqual(check(undefined, [1]), { data: [1], told: [] });
});

test("checkResult leaves a result of an unknown shape alone", () => {
  const told = ["UNKNOWN_SHAPE There is no shape zebra: the result is not checked"];
  assert.deepEqual(check("zebra[]", [{ a: 1 }]), { data: [{ a: 1 }], told });
});

test("checkResult checks keys that the operation declares in place", () => {
  const returns = inline({ ok: "boolean", keys: "json", size: { width: "integer" }, items: "task[]" });
  const given = { ok: "yes", keys: { any: [1] }, size: { width: "3" }, items: [{ id: 1, done: 1 }] };
  assert.deepEqual(check(returns, given), {
    data: { ok: true, keys: { any: [1] }, size: { width: 3 }, items: [{ id: "1", done: true }] },
    told: [],
  });
  assert.deepEqual(check(returns, { ok: [], size: 3, more: 1, keys: null }), {
    data: { ok: [], size: 3, more: 1, keys: null },
    told: [
      "WRONG_TYPE ok is a list, not boolean",
      "WRONG_TYPE size is a number, not an object",
      "UNKNOWN_KEYS returns declares no more",
    ],
  });
  assert.deepEqual(check(returns, { items: [{ done: true }] }).told, [
    "UNNAMED items has neither id nor name: it cannot be found again",
  ]);
  assert.deepEqual(check(inline({ ok: "boolean" }), [1]).told, [
    "WRONG_TYPE The result is a list, not an object",
  ]);
  assert.deepEqual(check("integer[]", ["1"]), { data: [1], told: [] });
  assert.deepEqual(check(inline({ n: "integer" }, true), [{ n: "1" }, null]).data, [{ n: 1 }, null]);
  assert.deepEqual(
    check(inline({ a: "object", b: "array", c: 3, d: "Some words", e: "date" }), { d: [], e: 0 }),
    {
      data: { d: [], e: "1970-01-01T00:00:00Z" },
      told: [],
    },
  );
});

test("checkResult follows typed references and checks what they lead to", () => {
  const given = {
    id: "m1",
    from: { account: { handle: "a@x.test", platform: "email", verified: "yes", zebra: 1 } },
    to: { "account[]": [{ handle: "b@x.test", platform: "email" }, { display_name: "nobody" }, null] },
    conversation: { conversation: null },
  };
  const { data, told } = check("email", given);
  assert.deepEqual(data, {
    id: "m1",
    from: { account: { handle: "a@x.test", platform: "email", verified: true, zebra: 1 } },
    to: { "account[]": [{ handle: "b@x.test", platform: "email" }] },
  });
  assert.deepEqual(told, [
    "REFERENCE_DROPPED email.to had neither id nor name and was dropped",
    "UNKNOWN_KEYS email.from declares no zebra",
  ]);
});

test("checkResult reads a field that may also be a reference either way", () => {
  assert.deepEqual(check("email", { id: "1", to: ["a@x.test"] }), {
    data: { id: "1", to: ["a@x.test"] },
    told: [],
  });
});

test("checkResult takes plain records where a relation is declared, names for tags, and lists of references", () => {
  const given = {
    id: "1",
    project: { id: 5, name: "Home" },
    tag: { "tag[]": ["red", "blue", ""] },
    attachment: [{ file: { id: "f1" } }, { image: { id: "i1" } }],
  };
  assert.deepEqual(check("task", given), {
    data: {
      id: "1",
      project: { id: "5", name: "Home" },
      tag: { "tag[]": [{ name: "red" }, { name: "blue" }] },
      attachment: [{ file: { id: "f1" } }, { image: { id: "i1" } }],
    },
    told: [],
  });
});

test("checkResult says where a reference is not what the relation is for", () => {
  const { data, told } = check("task", {
    id: "1",
    project: "Home",
    assigned_to: { person: { name: "Joe" } },
    parent: { "task[]": [{ id: "2" }, { id: "3" }] },
    created_by: { avatar: "x" },
    made_up: { person: { name: "Joe" } },
  });
  assert.deepEqual(told, [
    "WRONG_TYPE task.project is text, not a reference to project",
    "WRONG_SHAPE task.assigned_to refers to person, and account is declared",
    "WRONG_COUNT task.parent is a list, and one is declared",
    "UNNAMED task.created_by has neither id nor name: it is not linked",
    "UNKNOWN_KEYS task.created_by declares no avatar",
    "UNKNOWN_KEYS task declares no made_up",
  ]);
  assert.equal((data as any).project, "Home");
  assert.deepEqual((data as any).created_by, { avatar: "x" });
  assert.deepEqual((data as any).made_up, { person: { name: "Joe" } });
});

test("checkResult takes whatever shape where a relation is for any", () => {
  const contains = { "task[]": [{ id: "1" }], "book[]": [{ id: "2" }] };
  assert.deepEqual(check("list", { id: "l", contains }), { data: { id: "l", contains }, told: [] });
});

test("checkResult leaves json alone, even where it looks like a reference", () => {
  const given = { id: "1", masked: { account: { zebra: 1 } } };
  assert.deepEqual(check("account", given), { data: given, told: [] });
});

test("checkResult advises codes of ISO and IANA, and keeps what was given", () => {
  const advised = (returns: string, record: object) => check(returns, { id: "1", ...record }).told;
  for (const language of ["en", "pt-BR", "zh-Hant", "yue"])
    assert.deepEqual(advised("webpage", { language }), []);
  for (const language of ["English", "EN", "xx"])
    assert.equal(advised("webpage", { language }).length, 1, language);
  assert.deepEqual(advised("place", { country_code: "JP", timezone: "Asia/Tokyo", country: "Japan" }), []);
  assert.deepEqual(advised("place", { country_code: "Japan", timezone: "+09:00" }), [
    "CODE_ADVICE place.country_code should be an ISO 3166-1 code such as US or JP",
    "CODE_ADVICE place.timezone should be an IANA name such as Europe/London",
  ]);
  assert.deepEqual(advised("product", { price_amount: 1, currency: "JPY" }), []);
  for (const currency of ["$", "usd", "QQQ"])
    assert.equal(advised("product", { currency }).length, 1, currency);
  assert.deepEqual(advised("repository", { programming_language: "Rust" }), []);
});

test("checkResult counts for authors in how many records a field is right", () => {
  const { fields } = book.checkResult("task[]", [
    { id: "1", done: true },
    { id: "2", done: "x" },
    { id: "3" },
  ]);
  assert.deepEqual(fields, [
    { field: "id", present: 3, valid: 3 },
    { field: "done", present: 2, valid: 1 },
  ]);
});

test("checkResult is bounded in depth, size and words", () => {
  let deep: Record<string, unknown> = { id: "last" };
  for (let n = 0; n < 5000; n += 1) deep = { id: `${n}`, parent: { task: deep } };
  const nested = book.checkResult("task", deep);
  assert.deepEqual(nested.warnings.map(tell), ["TOO_DEEP References more than 16 deep were not checked"]);

  const many = book.checkResult(
    "task[]",
    Array.from({ length: 100_010 }, (_, n) => ({ id: n })),
  );
  assert.equal((many.data as unknown[]).length, 100_010);
  assert.deepEqual(many.warnings.map(tell), ["TOO_LARGE Only 100000 records were checked (10)"]);

  const keys = Object.fromEntries(
    Array.from({ length: 5000 }, (_, n) => [`\u001b[31m${n}`.padEnd(200, "x"), n]),
  );
  const wide = book
    .checkResult("task", { id: "1", ...keys })
    .warnings.map(tell)
    .join();
  assert.ok(wide.length < 2000, wide);
  assert.doesNotMatch(wide, /[\u0000-\u001f]/);
});

test("checkResult does not take what every object has for data", () => {
  const record = JSON.parse('{"id": "1", "__proto__": {"polluted": true}, "constructor": {"name": "x"}}');
  const { data } = check("task", record);
  assert.deepEqual(Object.keys(data as object).sort(), ["__proto__", "constructor", "id"]);
  assert.equal(({} as any).polluted, undefined);
  assert.deepEqual(check("constructor", {}).told, [
    "UNKNOWN_SHAPE There is no shape constructor: the result is not checked",
  ]);
});

test("checkResult throws for no JSON, and checking twice changes nothing", () => {
  const shape = fc.constantFrom(...book.names());
  const key = fc.oneof(
    fc.constantFrom("id", "name", "from", "to", "published", "account", "task[]"),
    fc.string(),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ depthSize: "small" }, fc.jsonValue({ maxDepth: 1 }), tie("record"), tie("list")),
    record: fc.dictionary(fc.oneof(key, shape), tie("tree")),
    list: fc.array(tie("tree"), { maxLength: 3 }),
  }));
  fc.assert(
    fc.property(shape, fc.boolean(), tree, (name, many, data) => {
      const returns = many ? `${name}[]` : name;
      const once = book.checkResult(returns, data);
      assert.deepEqual(book.checkResult(returns, once.data).data, once.data);
      book.entitiesOf(returns, once.data);
      book.entitiesOf(returns, data);
    }),
    { numRuns: 1000 },
  );
});
