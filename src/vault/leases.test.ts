import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, key, put, read, TestVault } from "../../test/support/test-vault.ts";
import { LONGEST_LEASE_MS } from "./leases.ts";

const joe = { domain: "exa.ai", identifier: "joe" };

/** Two processes' views of one vault, with a clock a test can turn. */
function twoOf(vault: TestVault) {
  const time = { now: 1_000_000 };
  const clock = { now: () => time.now };
  return { time, one: vault.open({ clock }), two: vault.open({ clock }) };
}

test("A lease is held by one at a time, for one purpose and one identity", () => {
  using vault = new TestVault();
  const { one, two } = twoOf(vault);
  using held = one.lease(joe, "refresh", 1000);
  assert.ok(held);
  assert.equal(two.lease(joe, "refresh", 1000), undefined);
  assert.equal(one.lease(joe, "refresh", 1000), undefined, "nor by the same process twice");
  using other = two.lease(joe, "login", 1000);
  using ann = two.lease({ ...joe, identifier: "ann" }, "refresh", 1000);
  assert.ok(other && ann);
});

test("A released lease is free at once", () => {
  using vault = new TestVault();
  const { one, two } = twoOf(vault);
  one.lease(joe, "refresh", 1000)![Symbol.dispose]();
  assert.ok(two.lease(joe, "refresh", 1000));
});

test("A lease nobody released is free when its time is over, and its old holder cannot end the new one", () => {
  using vault = new TestVault();
  const { time, one, two } = twoOf(vault);
  const first = one.lease(joe, "refresh", 1000)!;
  time.now += 999;
  assert.equal(two.lease(joe, "refresh", 1000), undefined);
  time.now += 1;
  assert.equal(first.renew(1000), false, "it is over for its holder too");
  const second = two.lease(joe, "refresh", 1000)!;
  first[Symbol.dispose]();
  assert.equal(first.renew(1000), false);
  assert.equal(one.lease(joe, "refresh", 1000), undefined);
  assert.equal(second.renew(5000), true);
  time.now += 4000;
  assert.equal(one.lease(joe, "refresh", 1000), undefined);
});

test("A clock that was set back, or an end somebody made up, locks nobody out", () => {
  using vault = new TestVault();
  const { time, one, two } = twoOf(vault);
  one.lease(joe, "refresh", 1e12);
  time.now += LONGEST_LEASE_MS - 1;
  assert.equal(two.lease(joe, "refresh", 1000), undefined, "cut to the longest there is");
  time.now -= 24 * 3_600_000;
  assert.ok(two.lease(joe, "refresh", 1000));
  for (const until of [2n ** 62n, -(2n ** 62n)]) {
    vault.raw((db) => db.prepare("UPDATE leases SET until = ?").run(until));
    using taken = one.lease(joe, "refresh", 1000);
    assert.ok(taken, String(until));
  }
  assert.throws(() => one.lease(joe, "refresh", Number.NaN), TypeError);
});

test("Leases change no row, no epoch and no tally, and leave nothing when they are released", () => {
  using vault = new TestVault();
  const { one } = twoOf(vault);
  put(one, key(), "canary");
  const { epoch } = one;
  const state = () => vault.raw((db) => db.prepare("SELECT * FROM state").get());
  const before = state();
  {
    using _ = one.lease(joe, "refresh", 1000);
    assert.deepEqual(state(), before);
  }
  assert.equal(one.epoch, epoch);
  assert.deepEqual(one.verify(), { rows: 1, bad: [], problem: undefined });
  assert.equal(
    vault.raw((db) => db.prepare("SELECT count(*) AS n FROM leases").get()?.["n"]),
    0,
  );
});

test("A vault without the table opens and gets it with its first lease; any other table of that name is refused", async () => {
  using vault = new TestVault();
  const opened = vault.open();
  put(opened, key(), "canary");
  vault.close();
  const tables = () =>
    vault.raw((db) => db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()).length;
  assert.equal(tables(), 4);
  const again = vault.open();
  again.lease(joe, "refresh", 1000);
  assert.equal(tables(), 5);
  await again.rotate();
  vault.close();
  assert.equal(read(vault.open(), key()), "canary");
  vault.close();
  for (const sql of [
    "CREATE TRIGGER t AFTER INSERT ON leases BEGIN DELETE FROM rows; END",
    "DROP TRIGGER t; ALTER TABLE leases ADD COLUMN extra TEXT",
    "DROP TABLE leases; CREATE TABLE leases (x)",
    "DROP TABLE leases; CREATE VIEW leases AS SELECT 1",
  ]) {
    vault.raw((db) => db.exec(sql));
    assert.equal(
      codeOf(() => vault.open()),
      "VAULT_DAMAGED",
      sql,
    );
  }
});

test("A lease that outlives its vault ends quietly", () => {
  using vault = new TestVault();
  const { one } = twoOf(vault);
  const held = one.lease(joe, "refresh", 1000)!;
  vault.close();
  held[Symbol.dispose]();
});
