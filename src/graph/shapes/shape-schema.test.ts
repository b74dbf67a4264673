import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shapeJsonSchema } from "../index.ts";

test("docs/formats/shape.schema.json is what the loader accepts", () => {
  const file = join(import.meta.dirname, "../../../docs/formats/shape.schema.json");
  assert.deepEqual(
    JSON.parse(readFileSync(file, "utf8")),
    JSON.parse(JSON.stringify(shapeJsonSchema())),
    "run: node test/support/write-shape-schema.ts && npm run format",
  );
});
