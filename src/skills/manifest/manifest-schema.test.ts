import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { manifestJsonSchema } from "../index.ts";

const docs = join(import.meta.dirname, "../../../docs/formats");

test("docs/formats/skill.schema.json is what the loader accepts", () => {
  assert.deepEqual(
    JSON.parse(readFileSync(join(docs, "skill.schema.json"), "utf8")),
    JSON.parse(JSON.stringify(manifestJsonSchema())),
    "run: node test/support/write-skill-schema.ts && npm run format",
  );
});

test("docs/formats/skill.md names every key of a manifest", () => {
  const words = readFileSync(join(docs, "skill.md"), "utf8");
  const missing = [...keysOf(manifestJsonSchema())].filter((key) => !words.includes(key));
  assert.deepEqual(missing, []);
});

function keysOf(schema: unknown): Set<string> {
  const keys = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { properties } = value as { properties?: object };
    for (const key of Object.keys(properties ?? {})) keys.add(key);
    Object.values(value).forEach(visit);
  };
  visit(schema);
  return keys;
}
