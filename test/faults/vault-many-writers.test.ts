import assert from "node:assert/strict";
import { test } from "node:test";
import { ChildScript } from "../support/child-script.ts";
import { did, Rounds, seed } from "../support/fault-form.ts";
import { key, read, TestVault } from "../support/test-vault.ts";

const PROCESSES = 16;
/** Of each process in a round. */
const UPSERTS = 150;
const COUNTERS = 64;

test(`${PROCESSES} processes that add ${UPSERTS} times each to shared counters lose none`, async (t) => {
  t.diagnostic(`seed ${seed}`);
  using vault = new TestVault();
  const rounds = new Rounds({ short: 1, long: 66 });
  let [conflicts, slowest] = [0, 0];
  for (const round of rounds) {
    const children = Array.from({ length: PROCESSES }, (_, at) => {
      const own = seed + round * PROCESSES + at;
      return new ChildScript("vault-counter.ts", [vault.path, `${UPSERTS}`, `${COUNTERS}`, `${own}`]);
    });
    await Promise.all(children.map((child) => child.said(1)));
    for (const child of children) child.process.stdin!.write("go\n");
    // DATABASE_BUSY, or anything else that reached a child, ends it with a message.
    for (const { status, stderr, lines } of await Promise.all(children.map((child) => child.ended))) {
      assert.equal(status, 0, stderr);
      const report = JSON.parse(lines.at(-1)!) as { conflicts: number; slowest: number };
      conflicts += report.conflicts;
      slowest = Math.max(slowest, report.slowest);
    }
    using opened = vault.open();
    assert.deepEqual(opened.verify(), { rows: COUNTERS, bad: [], problem: undefined });
    let sum = 0;
    for (let i = 0; i < COUNTERS; i++) sum += Number(read(opened, key(`counter-${i}`)));
    assert.equal(sum, PROCESSES * UPSERTS * rounds.count);
  }
  t.diagnostic(`the slowest took ${slowest.toFixed(0)} ms`);
  did(t, { upserts: PROCESSES * UPSERTS * rounds.count, conflicts }, { lost: 0 });
});
