import assert from "node:assert/strict";
import { test } from "node:test";
import { isOlder } from "./version.ts";

test("versions are ordered by number, and a pre-release comes before its release", () => {
  const ordered = ["0.0.1", "0.1.0-alpha.2", "0.1.0-alpha.10", "0.1.0", "0.2.0", "0.10.0", "1.0.0"];
  for (const [at, one] of ordered.entries()) {
    for (const [other, than] of ordered.entries()) {
      assert.equal(isOlder(one, than), at < other, `${one} before ${than}`);
    }
  }
});

test("what a build is called makes it neither older nor newer", () => {
  assert.equal(isOlder("1.0.0+a", "1.0.0+b"), false);
  assert.equal(isOlder("1.0.0+b", "1.0.0"), false);
});

test("what is no version is older than any", () => {
  assert.equal(isOlder("x", "0.0.1"), true);
  assert.equal(isOlder("0.0.1", ""), false);
});
