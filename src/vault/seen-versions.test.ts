import assert from "node:assert/strict";
import { test } from "node:test";
import { key } from "../../test/support/test-vault.ts";
import { SeenVersions } from "./seen-versions.ts";

test("SeenVersions keeps keys apart by each of their parts", () => {
  const seen = new SeenVersions();
  const keys = [
    key(),
    key("you"),
    key(undefined, "api_key"),
    key(undefined, undefined, "exa.com"),
    key("exa.ai"),
  ];
  for (const [i, at] of keys.entries()) seen.set(at, i + 1);
  assert.deepEqual(
    keys.map((at) => seen.get({ ...at })),
    [1, 2, 3, 4, 5],
  );
  assert.equal(seen.get(key("nobody")), 0);
  seen.set(key(), 9);
  assert.equal(seen.get(key()), 9);
  seen.clear();
  assert.equal(seen.get(key()), 0);
});
