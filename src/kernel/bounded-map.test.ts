import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedMap } from "./index.ts";

test("BoundedMap lets go of what was longest unused", () => {
  const map = new BoundedMap<string, number>(3);
  for (const [at, key] of ["a", "b", "c"].entries()) map.set(key, at);
  assert.equal(map.get("a"), 0);
  map.set("d", 3);
  assert.equal(map.get("b"), undefined);
  map.set("c", 4);
  map.set("e", 5);
  assert.deepEqual(
    [...map].map(([key]) => key),
    ["d", "c", "e"],
  );
  assert.equal(map.delete("d"), true);
  assert.equal(map.delete("d"), false);
  assert.equal(map.size, 2);
});
