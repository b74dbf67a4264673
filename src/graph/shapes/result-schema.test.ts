import assert from "node:assert/strict";
import { test } from "node:test";
import { book } from "../../../test/support/test-graph.ts";
import { resultSchema } from "./result-schema.ts";

test("a shape's fields are its properties, those of what it is also and the standard ones among them", () => {
  const schema = resultSchema(book, "task[]");
  assert.equal(schema?.type, "array");
  assert.equal(schema.items?.title, "task");
  const { properties = {} } = schema.items ?? {};
  assert.deepEqual(properties["id"], { type: "string" });
  assert.equal(properties["published"]?.type, "string");
  assert.deepEqual(properties["project"], { description: "refers to project" });
});

test("keys are written out, with shapes inside them", () => {
  const returns = {
    kind: "fields",
    many: false,
    fields: { count: "integer", ok: "boolean", tasks: "task[]", raw: "json" },
  } as const;
  const schema = resultSchema(book, returns);
  assert.deepEqual(Object.keys(schema?.properties ?? {}), ["count", "ok", "tasks", "raw"]);
  assert.deepEqual(schema?.properties?.["count"], { type: "integer" });
  assert.equal(schema?.properties?.["tasks"]?.items?.title, "task");
  assert.deepEqual(schema?.properties?.["raw"], {});
});

test("what says nothing has no schema", () => {
  for (const returns of [
    undefined,
    "json",
    "void",
    "no_such_shape",
    { kind: "unknown" },
    { kind: "nothing" },
  ] as const)
    assert.equal(resultSchema(book, returns), undefined, JSON.stringify(returns));
});
