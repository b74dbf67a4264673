import assert from "node:assert/strict";
import { test } from "node:test";
import { ChildScript } from "../support/child-script.ts";
import { longForm } from "../support/fault-form.ts";
import { key, read, TestVault } from "../support/test-vault.ts";

const PROCESSES = 16;
const UPSERTS = longForm ? 10_000 : 150;
const COUNTERS = 64;

test(`${PROCESSES} processes that add ${UPSERTS} times each to shared counters lose none`, async (t) => {
  using vault = new TestVault();
  const args = [vault.path, String(UPSERTS), String(COUNTERS)];
  const children = Array.from({ length: PROCESSES }, () => new ChildScript("vault-counter.ts", args));
  await Promise.all(children.map((child) => child.said(1)));
  const begun = performance.now();
  for (const child of children) child.process.stdin!.write("go\n");
  const ended = await Promise.all(children.map((child) => child.ended));
  const seconds = (performance.now() - begun) / 1000;
  // DATABASE_BUSY, or anything else that reached a child, ends it with a message.
  for (const { status, stderr } of ended) assert.equal(status, 0, stderr);
  const opened = vault.open();
  assert.deepEqual(opened.verify(), { rows: COUNTERS, bad: [], problem: undefined });
  let sum = 0;
  for (let i = 0; i < COUNTERS; i++) sum += Number(read(opened, key(`counter-${i}`)));
  assert.equal(sum, PROCESSES * UPSERTS);
  const reports = ended.map(
    ({ lines }) => JSON.parse(lines.at(-1)!) as { conflicts: number; slowest: number },
  );
  const conflicts = reports.reduce((total, report) => total + report.conflicts, 0);
  const slowest = Math.max(...reports.map((report) => report.slowest));
  t.diagnostic(
    `${sum} upserts in ${seconds.toFixed(1)} s, ${conflicts} conflicts, the slowest took ${slowest.toFixed(0)} ms`,
  );
});
