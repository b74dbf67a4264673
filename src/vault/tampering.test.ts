import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { codeOf, coded, key, put, read, testKek, TestVault } from "../../test/support/test-vault.ts";
import { Secret } from "../kernel/index.ts";

const ACCOUNTS = ["one", "two", "three"];

function filled(): TestVault {
  const vault = new TestVault();
  const opened = vault.open();
  for (const account of ACCOUNTS) put(opened, key(account), `canary-${account}`);
  return vault;
}

/** What a vault opened now says of the whole. */
function problemOf(vault: TestVault, knownEpoch?: number): string | undefined {
  using opened = vault.open({ knownEpoch });
  const problem = opened.verify().problem?.code;
  assert.equal(
    codeOf(() => opened.find(key("one"))),
    problem,
    "no row is given out of a vault that is not whole",
  );
  assert.equal(
    codeOf(() => put(opened, key("one"), "canary-new")),
    problem,
  );
  return problem;
}

for (const account of ACCOUNTS) {
  test(`A deleted row is found, be it the oldest, the newest or between: ${account}`, () => {
    using vault = filled();
    vault.raw((db) => db.prepare("DELETE FROM rows WHERE identifier = ?").run(account));
    assert.equal(problemOf(vault), "VAULT_TAMPERED");
  });
}

test("All rows deleted, and a count that says so, are found", () => {
  using vault = filled();
  vault.raw((db) => db.exec("DELETE FROM rows; UPDATE state SET count = 0, tally = zeroblob(32)"));
  assert.equal(problemOf(vault), "VAULT_TAMPERED");
});

test("A row put back from an older copy is found", () => {
  using vault = filled();
  const old = vault.raw((db) => db.prepare("SELECT * FROM rows WHERE identifier = 'one'").get())!;
  put(vault.open(), key("one"), "canary-newer");
  vault.raw((db) =>
    db
      .prepare("UPDATE rows SET version = ?, key_version = ?, sealed = ? WHERE identifier = 'one'")
      .run(old["version"]!, old["key_version"]!, old["sealed"]!),
  );
  assert.equal(problemOf(vault), "VAULT_TAMPERED");
});

test("A removed row put back is found", () => {
  using vault = filled();
  const old = vault.raw((db) => db.prepare("SELECT * FROM rows WHERE identifier = 'two'").get())!;
  vault.open().remove(key("two"));
  vault.raw((db) => db.prepare("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?)").run(...Object.values(old)));
  assert.equal(problemOf(vault), "VAULT_TAMPERED");
});

test("A state put back from an older copy is found", () => {
  using vault = filled();
  const old = vault.raw((db) => db.prepare("SELECT * FROM state").get())!;
  put(vault.open(), key("one"), "canary-newer");
  vault.raw((db) => db.prepare("REPLACE INTO state VALUES (?, ?, ?, ?, ?, ?)").run(...Object.values(old)));
  assert.equal(problemOf(vault), "VAULT_TAMPERED");
});

test("A missing state is found", () => {
  using vault = filled();
  vault.raw((db) => db.exec("DELETE FROM state"));
  assert.equal(problemOf(vault), "VAULT_TAMPERED");
});

test("A missing key ring, and a ring without the active key, are found", () => {
  using vault = filled();
  vault.raw((db) => db.exec("DELETE FROM ring"));
  assert.throws(() => vault.open(), coded("VAULT_DAMAGED"));
  using other = filled();
  const opened = other.open();
  other.raw((db) => db.exec("UPDATE ring SET key_version = 5"));
  assert.equal(
    codeOf(() => put(opened, key("one"), "canary")),
    undefined,
    "the key in memory still serves",
  );
  assert.throws(() => other.open(), coded("VAULT_DAMAGED"));
});

test("A whole file put back is found where the epoch is known, and only there", () => {
  using vault = filled();
  vault.close();
  const backup = join(vault.folder, "backup.db");
  copyFileSync(vault.path, backup);
  const opened = vault.open();
  put(opened, key("one"), "canary-newer");
  const { epoch } = opened;
  vault.close();
  copyFileSync(backup, vault.path);
  for (const log of ["-wal", "-shm"]) rmSync(vault.path + log, { force: true });
  assert.equal(problemOf(vault, epoch), "VAULT_ROLLED_BACK");
  assert.equal(problemOf(vault, epoch - 1), undefined, "the file is whole: nothing but the epoch can tell");
});

test("A running vault refuses an older row than it has seen, and a removed one put back", () => {
  using vault = filled();
  const running = vault.open();
  const rows = vault.raw((db) => db.prepare("SELECT * FROM rows ORDER BY identifier").all());
  const back = (account: string) => {
    const row = rows.find((row) => row["identifier"] === account)!;
    vault.raw((db) => db.prepare("REPLACE INTO rows VALUES (?, ?, ?, ?, ?, ?)").run(...Object.values(row)));
  };
  put(running, key("one"), "canary-newer");
  running.remove(key("two"));
  put(vault.open(), key("three"), "canary-newer"); // by another process, and then seen by this one
  assert.equal(read(running, key("three")), "canary-newer");
  for (const account of ACCOUNTS) {
    back(account);
    assert.equal(
      codeOf(() => running.find(key(account))),
      "VAULT_ROLLED_BACK",
    );
  }
  assert.deepEqual(
    running.list().map(({ meta }) => meta),
    ["VAULT_ROLLED_BACK", "VAULT_ROLLED_BACK", "VAULT_ROLLED_BACK"],
  );
});

test("A running vault refuses to write over an older state than it has seen", () => {
  using vault = filled();
  const running = vault.open();
  const old = vault.raw((db) => db.prepare("SELECT * FROM state").get())!;
  put(running, key("one"), "canary-newer");
  vault.raw((db) => db.prepare("REPLACE INTO state VALUES (?, ?, ?, ?, ?, ?)").run(...Object.values(old)));
  assert.equal(
    codeOf(() => put(running, key("two"), "canary-newer")),
    "VAULT_ROLLED_BACK",
  );
});

test("A row that no longer proves itself does not hide the others, and can be removed or replaced", () => {
  using vault = filled();
  vault.raw((db) => db.exec("UPDATE rows SET sealed = zeroblob(200) WHERE identifier <> 'three'"));
  const opened = vault.open();
  assert.deepEqual(opened.verify(), {
    rows: 3,
    bad: ["one", "two"].map((account) => ({ key: key(account), code: "VAULT_DAMAGED" })),
    problem: undefined,
  });
  assert.throws(() => opened.find(key("one")), coded("VAULT_DAMAGED"));
  assert.equal(read(opened, key("three")), "canary-three");
  assert.equal(opened.list().filter(({ meta }) => meta === "VAULT_DAMAGED").length, 2);
  put(opened, key("one"), "canary-again");
  assert.equal(opened.remove(key("two")), true);
  assert.deepEqual(opened.verify(), { rows: 2, bad: [], problem: undefined });
});

test("accept takes the rows that are there, and what was deleted before stays refused", () => {
  using vault = filled();
  const old = vault.raw((db) => db.prepare("SELECT * FROM rows WHERE identifier = 'three'").get())!;
  vault.raw((db) => db.exec("DELETE FROM rows WHERE identifier = 'three'"));
  const opened = vault.open();
  assert.throws(() => opened.list(), coded("VAULT_TAMPERED"));
  opened.accept();
  assert.equal(read(opened, key("one")), "canary-one");
  assert.ok(opened.epoch > 3, "beyond every version that was ever used, the deleted one included");
  vault.close();
  assert.equal(problemOf(vault), undefined);
  vault.raw((db) => db.prepare("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?)").run(...Object.values(old)));
  assert.equal(problemOf(vault), "VAULT_TAMPERED");
});

test("accept is not led astray by a made-up version", () => {
  using vault = filled();
  vault.raw((db) => db.exec("UPDATE rows SET version = 9007199254740991 WHERE identifier = 'one'"));
  const opened = vault.open();
  opened.accept();
  assert.ok(opened.epoch < 100);
  assert.throws(() => opened.find(key("one")), coded("VAULT_DAMAGED"));
  put(opened, key("one"), "canary-again");
  vault.close();
  assert.equal(problemOf(vault), undefined);
});

test("accept goes beyond the epoch known from elsewhere", () => {
  using vault = filled();
  const opened = vault.open({ knownEpoch: 50 });
  assert.throws(() => opened.list(), coded("VAULT_ROLLED_BACK"));
  opened.accept();
  assert.ok(opened.epoch > 50);
  vault.close();
  assert.equal(problemOf(vault, 50), undefined);
});

test("rekey refuses to count anew where rows are missing", () => {
  using vault = filled();
  const opened = vault.open();
  vault.raw((db) => db.exec("DELETE FROM rows WHERE identifier = 'two'"));
  const kek = Secret.fromBytes(Buffer.alloc(32, 2));
  assert.throws(() => opened.rekey({ provider: "file", params: {} }, kek), coded("VAULT_TAMPERED"));
  assert.equal(
    codeOf(() => vault.open({ kek: testKek() })),
    undefined,
    "still under its old key",
  );
});
