import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { loadOperation } from "../../test/support/skill-folder.ts";
import { DeputyError } from "../kernel/index.ts";
import { coerceParams, type Operation } from "./index.ts";
import { valueTypes } from "./manifest/manifest-form.ts";

const operation = await loadOperation(`
operations:
  op:
    params:
      query: { type: string, required: true, description: What to look for }
      limit: { type: integer, default: 10 }
      ratio: number
      deep: boolean
      tags: "string[]"
      ids: "integer[]"
      list: array
      filter: object
      any: json
      day: date
      at: datetime
      link: url
      sort: { type: string, enum: [new, top], default: new }
      page: { type: integer, enum: [1, 2, 3] }
    rest: { url: "https://a.test" }
`);
const given = (values: Record<string, unknown>) => coerceParams(operation, { query: "x", ...values });

test("Text from a command line becomes what the parameter says it is", () => {
  const table: [name: string, given: unknown, value: unknown][] = [
    ["limit", "5", 5],
    ["limit", " -7 ", -7],
    ["limit", 5, 5],
    ["limit", "1e2", 100],
    ["ratio", "0.5", 0.5],
    ["ratio", ".5", 0.5],
    ["query", 5, "5"],
    ["query", true, "true"],
    ["query", "", ""],
    ["deep", "true", true],
    ["deep", "No", false],
    ["deep", 1, true],
    ["deep", "0", false],
    ["tags", "a, b", ["a", "b"]],
    ["tags", '["a,b"]', ["a,b"]],
    ["tags", ["a", 1], ["a", "1"]],
    ["tags", "a", ["a"]],
    ["ids", "1,2", [1, 2]],
    ["ids", 3, [3]],
    ["list", '[1, {"a": null}]', [1, { a: null }]],
    ["filter", '{"a": 1}', { a: 1 }],
    ["filter", { a: 1 }, { a: 1 }],
    ["any", '{"a": [1]}', { a: [1] }],
    ["any", "plain words", "plain words"],
    ["any", 5, 5],
    ["day", "2026-11-15", "2026-11-15"],
    ["day", "2026-11-15T09:00:00Z", "2026-11-15"],
    ["at", "2026-11-15T09:30:00Z", "2026-11-15T09:30:00Z"],
    ["at", "2026-11-15T09:30:00+02:00", "2026-11-15T09:30:00+02:00"],
    ["at", 1_700_000_000, "2023-11-14T22:13:20.000Z"],
    ["at", "1700000000000", "2023-11-14T22:13:20.000Z"],
    ["link", "https://a.test/x", "https://a.test/x"],
    ["sort", "top", "top"],
    ["page", "2", 2],
  ];
  for (const [name, value, expected] of table) {
    assert.deepEqual(given({ [name]: value })[name], expected, `${name} ${JSON.stringify(value)}`);
  }
});

test("What does not fit is refused by the parameter's name and never quoted", () => {
  const table: [name: string, given: unknown, message: RegExp][] = [
    ["limit", "canary-5x", /the parameter limit must be a whole number$/],
    ["limit", 1.5, /limit must be a whole number/],
    ["limit", "", /limit must be a whole number/],
    ["limit", "0x10", /limit must be a whole number/],
    ["limit", 2 ** 60, /limit must be a whole number/],
    ["ratio", "Infinity", /ratio must be a number/],
    ["query", { canary: 1 }, /query must be text/],
    ["deep", "canary-maybe", /deep must be true or false/],
    ["tags", [{}], /tags is a list, and each of it must be text/],
    ["ids", "1,canary", /ids is a list, and each of it must be a whole number/],
    ["filter", "canary", /filter must be a JSON object/],
    ["filter", [1], /filter must be a JSON object/],
    ["day", "15.11.2026", /day must be a date such as/],
    ["day", "2026-02-31", /day must be a date such as/],
    ["at", "canary", /at must be a time such as/],
    ["link", "canary", /link must be a URL/],
    ["sort", "canary", /sort must be one of new, top$/],
    ["page", 4, /page must be one of 1, 2, 3$/],
  ];
  for (const [name, value, message] of table) {
    assert.throws(
      () => given({ [name]: value }),
      (error: DeputyError) => {
        assert.equal(error.code, "BAD_INPUT");
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /canary/);
        return true;
      },
    );
  }
});

test("Defaults are filled in, what is missing or unknown is named", () => {
  assert.deepEqual(coerceParams(operation, { query: "x" }), { query: "x", limit: 10, sort: "new" });
  assert.deepEqual(coerceParams(operation, { query: "x", limit: null, deep: null }), {
    query: "x",
    limit: 10,
    sort: "new",
  });
  assert.throws(() => coerceParams(operation, {}), {
    code: "BAD_INPUT",
    message: /demo op: the parameter query is missing$/,
    hint: "query: What to look for",
  });
  assert.throws(() => coerceParams(operation, { query: null }), { message: /query is missing/ });
  assert.throws(() => given({ qeury: 1 }), {
    code: "BAD_INPUT",
    message: /there is no parameter qeury$/,
    hint: "Did you mean query?",
  });
  assert.throws(() => given({ zzzzzz: 1 }), { hint: /^It takes query, limit, / });
  assert.throws(() => given(JSON.parse('{"__proto__": 1}')), { message: /there is no parameter __proto__/ });
});

test("A default is a copy: one run cannot change it for the next", async () => {
  const op = await loadOperation(
    `operations: {op: {params: {f: {type: object, default: {a: 1}}}, rest: {url: "https://a.test"}}}`,
  );
  (coerceParams(op, {})["f"] as { a: number }).a = 2;
  assert.deepEqual(coerceParams(op, {}), { f: { a: 1 } });
});

test("Whatever is given, the answer is values or BAD_INPUT", () => {
  const params = new Map(
    valueTypes.map((type) => [
      type,
      { name: type, type, required: false, default: undefined, enum: null, description: null },
    ]),
  );
  const any = { skill: "s", name: "o", params } satisfies Pick<Operation, "skill" | "name" | "params">;
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...valueTypes, "__proto__", "x"), fc.jsonValue()), (values) => {
      try {
        coerceParams(any, values);
      } catch (error) {
        assert.ok(error instanceof DeputyError && error.code === "BAD_INPUT");
      }
    }),
    { numRuns: 3000 },
  );
});
