import assert from "node:assert/strict";
import { test } from "node:test";
import { fitSchema } from "./fit-schema.ts";

const page = {
  type: "object",
  properties: { name: { type: "string" }, status: { type: "integer" }, written_by: {} },
} as const;

test("what fits stays as it is, and what no schema knows stays too", () => {
  const value = [{ name: "A", status: 200, written_by: { person: { name: "Ann" } }, more: [1, null] }];
  assert.deepEqual(fitSchema(value, { type: "array", items: page }), { value, left: [] });
});

test("what does not fit is left out and told once, however many records have it", () => {
  const value = [{ name: 1, status: 200 }, { name: 2, status: "gone" }, "not a record", { name: "C" }];
  assert.deepEqual(fitSchema(value, { type: "array", items: page }), {
    value: [{ status: 200 }, {}, { name: "C" }],
    left: ["[].name", "[].status", "[]"],
  });
});

test("a result of another kind altogether is none", () => {
  for (const value of ["text", 1, null, [], undefined])
    assert.deepEqual(fitSchema(value, page), { value: undefined, left: ["the result"] });
  assert.equal(fitSchema({}, { type: "array" }).value, undefined);
});

test("keys that objects have by birth are no properties", () => {
  const value = JSON.parse('{"__proto__": 1, "constructor": 2}');
  assert.deepEqual(Object.keys(fitSchema(value, page).value as object), ["__proto__", "constructor"]);
});
