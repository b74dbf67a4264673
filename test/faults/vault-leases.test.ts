import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ChildScript } from "../support/child-script.ts";
import { did, Rounds } from "../support/fault-form.ts";
import { TestVault } from "../support/test-vault.ts";

const PROCESSES = 4;
/** Of each process in a round. */
const COUNTS = 50;

function counting(vault: TestVault): string {
  const path = join(vault.folder, "count");
  writeFileSync(path, "0");
  return path;
}

test(`${PROCESSES} processes that count under a lease ${COUNTS} times each never hold it together`, async (t) => {
  using vault = new TestVault();
  const count = counting(vault);
  const args = [vault.path, count, "count", String(COUNTS), "60000"];
  const rounds = new Rounds({ short: 1, long: 20 });
  for (const _ of rounds) {
    const children = Array.from({ length: PROCESSES }, () => new ChildScript("vault-leaser.ts", args));
    await Promise.all(children.map((child) => child.said(1)));
    for (const child of children) child.process.stdin!.write("go\n");
    for (const { status, stderr } of await Promise.all(children.map((child) => child.ended)))
      assert.equal(status, 0, stderr);
    assert.equal(readFileSync(count, "utf8"), String(PROCESSES * COUNTS * rounds.count));
  }
  did(t, { leases: PROCESSES * COUNTS * rounds.count }, { "held by two": 0 });
});

test("A holder that was killed blocks the others until its time is over, and they go on then", async () => {
  using vault = new TestVault();
  const count = counting(vault);
  const ms = 1500;
  const holder = new ChildScript("vault-leaser.ts", [vault.path, count, "hold", "0", String(ms)]);
  const waiting = new ChildScript("vault-leaser.ts", [vault.path, count, "count", "1", "60000"]);
  await Promise.all([holder.said(1), waiting.said(1)]);
  const { signal } = await holder.kill();
  assert.equal(signal, "SIGKILL");
  const [held, at] = holder.lines[0]!.split(" ");
  assert.equal(held, "held");
  waiting.process.stdin!.write("go\n");
  const { status, lines, stderr } = await waiting.ended;
  assert.equal(status, 0, stderr);
  const waited = Number(lines.at(-1)!.split(" ")[1]) - Number(at);
  assert.ok(waited >= ms, `${waited} ms`);
  assert.equal(readFileSync(count, "utf8"), "1");
});
