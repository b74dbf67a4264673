import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { ChildScript } from "../support/child-script.ts";
import { did, Rounds, seed, seededRandom } from "../support/fault-form.ts";
import type { Vault } from "../../src/vault/vault.ts";
import { key, read, TestVault, TOGETHER, togetherKeys } from "../support/test-vault.ts";

/** What an account's row must hold now: what was acknowledged last, or what was under way at the kill. */
type Expected = Map<string, string[]>;

async function killOnce(path: string, expected: Expected, random: () => number): Promise<boolean> {
  const child = new ChildScript("vault-writer.ts", [path, String(Math.floor(random() * 2 ** 31))]);
  // Most kills in the midst of writing, some while the vault is being opened.
  if (random() < 0.9) await child.said(1 + Math.floor(random() * 40));
  await setTimeout(random() * 5);
  const { signal, lines, stderr } = await child.kill();
  assert.equal(signal, "SIGKILL", stderr);
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith("begin ")) continue;
    const [, account, content] = line.split(" ");
    const acknowledged = lines[index + 1] === "done";
    expected.set(account!, acknowledged ? [content!] : [content!, ...(expected.get(account!) ?? [""])]);
  }
  return lines.length > 0;
}

function check(vault: TestVault, expected: Expected): void {
  using opened = vault.open();
  assert.deepEqual(opened.verify(), { rows: opened.list().length, bad: [], problem: undefined });
  for (const [account, possible] of expected) {
    const found = contentOf(opened, account);
    assert.ok(possible.includes(found), `${account} holds "${found}", not ${JSON.stringify(possible)}`);
    expected.set(account, [found]);
  }
  vault.raw((db) => assert.equal(db.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok"));
}

function contentOf(vault: Vault, account: string): string {
  const keys = account === TOGETHER ? togetherKeys() : [key(account)];
  const found = new Set(keys.map((at) => read(vault, at)?.split(" ")[0] ?? ""));
  assert.equal(
    found.size,
    1,
    `some of the rows put together are there, and some are not: ${[...found].join(", ")}`,
  );
  return [...found].join();
}

async function lane(random: () => number, keepOpen: boolean) {
  using vault = new TestVault();
  if (keepOpen) vault.open();
  const expected: Expected = new Map();
  const kills = new Rounds({ short: 25, long: 1000 });
  let during = 0;
  for (const _ of kills) {
    if (await killOnce(vault.path, expected, random)) during += 1;
    check(vault, expected);
  }
  return { kills: kills.count, during, writes: vault.open().epoch };
}

test("No acknowledged row is lost when the writer is killed at random points", async (t) => {
  t.diagnostic(`seed ${seed}`);
  const lanes = await Promise.all([
    // Nobody else has the file open: the log of the killed process is recovered by the next one.
    lane(seededRandom(seed), false),
    // Somebody has: the log is never emptied at closing, and kills meet the copying of a long one too.
    lane(seededRandom(seed + 1), true),
  ]);
  const sum = (what: "kills" | "during" | "writes") => lanes.reduce((total, lane) => total + lane[what], 0);
  assert.ok(sum("during") > sum("kills") * 0.6, "too few kills hit a writer");
  did(t, { kills: sum("kills"), "while writing": sum("during"), writes: sum("writes") }, { lost: 0 });
});
