import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { ChildScript } from "../support/child-script.ts";
import { did, Rounds, seed, seededRandom } from "../support/fault-form.ts";
import { key, put, read, TestVault } from "../support/test-vault.ts";

const ROWS = 200;

const wrappedKeys = (vault: TestVault) =>
  vault.raw((db) =>
    db
      .prepare("SELECT wrapped FROM ring")
      .all()
      .map((row) => row["wrapped"] as Uint8Array),
  );

test("Rotation under 4 writers and 4 readers, killed at random points, leaves every row readable", async (t) => {
  t.diagnostic(`seed ${seed}`);
  using vault = new TestVault();
  const opened = vault.open();
  for (let i = 0; i < ROWS; i++) put(opened, key(`fixed-${i}`), `canary ${i}`);
  vault.close();
  const random = seededRandom(seed);
  const start = (role: string, name: string) =>
    new ChildScript("vault-rotation-worker.ts", [role, vault.path, name, String(ROWS)]);
  const workers = Array.from({ length: 8 }, (_, i) => start(i < 4 ? "writer" : "reader", `writer${i}`));
  await Promise.all(workers.map((worker) => worker.said(1)));

  const ringsSeen: Uint8Array[] = [];
  const kills = new Rounds({ short: 12, long: 500 });
  let rotations = 0;
  for (const _ of kills) {
    ringsSeen.push(...wrappedKeys(vault));
    const rotator = start("rotator", "");
    await rotator.said(1 + Math.floor(random() * 10)); // somewhere in the first or the second rotation
    await setTimeout(random() * 20);
    const { signal, lines, stderr } = await rotator.kill();
    assert.equal(signal, "SIGKILL", stderr);
    rotations += lines.filter((line) => line === "rotated").length;
  }
  for (const worker of workers) worker.process.stdin!.end();
  const ended = await Promise.all(workers.map((worker) => worker.ended));
  for (const { status, stderr } of ended) assert.equal(status, 0, stderr);
  const calls = ended.map(({ lines }) => Number(lines.at(-1)));
  assert.ok(
    calls.every((count) => count > 0),
    "everybody got a turn",
  );

  const last = vault.open();
  await last.finishRotation();
  const versions = vault.raw((db) => ({
    rows: db
      .prepare("SELECT DISTINCT key_version AS v FROM rows")
      .all()
      .map(({ v }) => v),
    ring: db
      .prepare("SELECT key_version AS v FROM ring")
      .all()
      .map(({ v }) => v),
    active: db.prepare("SELECT active_key AS v FROM state").get()?.["v"],
  }));
  assert.deepEqual(versions.rows, [versions.active]);
  assert.deepEqual(versions.ring, [versions.active]);
  assert.deepEqual(last.verify(), { rows: ROWS + 40, bad: [], problem: undefined });
  for (let i = 0; i < ROWS; i++) assert.equal(read(last, key(`fixed-${i}`)), `canary ${i}`);
  for (const [i, count] of calls.slice(0, 4).entries()) {
    const round = count - 1;
    assert.equal(read(last, key(`writer${i}-${round % 10}`)), String(round), "a writer's last row");
  }
  const [current] = wrappedKeys(vault);
  vault.close();
  const bytes = readFileSync(vault.path);
  assert.ok(bytes.includes(current!));
  const lingering = ringsSeen.filter(
    (wrapped) => bytes.includes(wrapped) && !Buffer.from(wrapped).equals(current!),
  );
  assert.equal(lingering.length, 0, "old keys linger in the file");
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  const [writes, reads] = [sum(calls.slice(0, 4)), sum(calls.slice(4))];
  did(
    t,
    { kills: kills.count, "whole rotations": rotations, writes, reads },
    { lost: 0, "old keys left": 0 },
  );
});
