import assert from "node:assert/strict";
import { test } from "node:test";
import { did, Rounds, seed, seededRandom } from "../../test/support/fault-form.ts";
import { key } from "../../test/support/test-vault.ts";
import { Secret } from "../kernel/index.ts";
import { Tally } from "./tally.ts";

const tally = new Tally(Secret.fromBytes(Buffer.alloc(32, 5)));
const hex = (sum: Uint8Array) => Buffer.from(sum).toString("hex");

test("Tally does not depend on the order in which rows were added", () => {
  const rows = Array.from({ length: 50 }, (_, i) => [key(`account-${i}`), i + 1] as const);
  const sum = (list: typeof rows) => list.reduce((acc, [at, v]) => tally.add(acc, at, v), Tally.zero);
  assert.equal(hex(sum(rows)), hex(sum(rows.toReversed())));
});

test("Tally without a row is what it was before the row", (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = seededRandom(seed);
  let sum = Tally.zero;
  const rows = new Rounds({ short: 2000, long: 100_000 });
  for (const _ of rows) {
    const [at, version] = [key(`a-${Math.floor(random() * 9)}`), Math.floor(random() * 2 ** 50)];
    const more = tally.add(sum, at, version);
    assert.equal(hex(tally.subtract(more, at, version)), hex(sum));
    sum = more;
  }
  did(t, { "rows counted": rows.count }, { miscounted: 0 });
});

test("Tally is other for another version, another part of the key and another secret", () => {
  const sums = [
    tally.add(Tally.zero, key(), 1),
    tally.add(Tally.zero, key(), 2),
    tally.add(Tally.zero, key("you"), 1),
    tally.add(Tally.zero, key(undefined, "api_key"), 1),
    tally.add(Tally.zero, key(undefined, undefined, "exa.com"), 1),
    tally.add(Tally.zero, { domain: "exa.aime", identifier: "@example.org", itemType: "password" }, 1),
    new Tally(Secret.fromBytes(Buffer.alloc(32, 6))).add(Tally.zero, key(), 1),
    tally.add(tally.add(Tally.zero, key(), 1), key(), 1),
  ];
  assert.equal(new Set(sums.map(hex)).size, sums.length);
});

test("Tally borrows and carries across all of its 256 bits", () => {
  const below = tally.subtract(Tally.zero, key(), 1);
  assert.equal(hex(tally.add(below, key(), 1)), hex(Tally.zero));
});
