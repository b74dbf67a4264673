import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { codeOf, coded, key, META, put, read, testKek, TestVault } from "../../test/support/test-vault.ts";
import { Secret } from "../kernel/index.ts";
import { findHeader } from "./header.ts";
import { LARGEST_VALUE } from "./put-rows.ts";
import { Vault } from "./vault.ts";

function change(path: string, sql: string): void {
  using db = new DatabaseSync(path);
  db.exec(sql);
}

test("Vault gives back what was put, and what was put over it", () => {
  using vault = new TestVault();
  const opened = vault.open();
  assert.equal(read(opened, key()), undefined);
  assert.deepEqual(put(opened, key(), "canary-1"), { kind: "stored", version: 1 });
  assert.equal(read(opened, key()), "canary-1");
  assert.deepEqual(put(opened, key(), "canary-2"), { kind: "stored", version: 2 });
  assert.equal(read(opened, key()), "canary-2");
  vault.close();
  assert.equal(read(vault.open(), key()), "canary-2");
});

test("Vault keeps rows apart by domain, account and type", () => {
  using vault = new TestVault();
  const opened = vault.open();
  const keys = [key(), key("you"), key(undefined, "api_key"), key(undefined, undefined, "exa.com")];
  for (const [i, at] of keys.entries()) put(opened, at, `canary-${i}`);
  for (const [i, at] of keys.entries()) assert.equal(read(opened, at), `canary-${i}`);
  assert.equal(opened.list().length, 4);
});

test("Vault lists metadata and times, never a value", () => {
  using vault = new TestVault();
  let now = 1000;
  const opened = vault.open({ clock: { now: () => now } });
  using value = Secret.fromText("canary-listed");
  opened.put(key(), value, { source: "cli", masked: "…sted", label: "Work" });
  now = 2000;
  opened.put(key(), value, { source: "cli", masked: "…sted", obtainedAt: 1000, lastVerified: 1500 });
  const meta = {
    label: null,
    source: "cli",
    obtainedAt: 1000,
    updatedAt: 2000,
    lastVerified: 1500,
    masked: "…sted",
  };
  assert.deepEqual(opened.list(), [{ key: key(), version: 2, meta }]);
  assert.doesNotMatch(JSON.stringify(opened.list()), /canary/);
});

test("Vault puts over the expected version only", () => {
  using vault = new TestVault();
  const [one, other] = [vault.open(), vault.open()];
  assert.deepEqual(put(one, key(), "canary-1", 0), { kind: "stored", version: 1 });
  assert.deepEqual(put(other, key(), "canary-2", 0), { kind: "conflict", current: 1 });
  assert.deepEqual(put(other, key(), "canary-2", 1), { kind: "stored", version: 2 });
  assert.deepEqual(put(one, key(), "canary-3", 1), { kind: "conflict", current: 2 });
  assert.equal(read(one, key()), "canary-2");
  assert.equal(one.remove(key()), true);
  assert.deepEqual(put(other, key(), "canary-4", 2), { kind: "conflict", current: 0 });
});

test("Vault never uses a version twice, not for a row made again either", () => {
  using vault = new TestVault();
  const opened = vault.open();
  const versions = new Set<number>();
  for (let i = 0; i < 20; i++) {
    const stored = put(opened, key(i % 2 === 0 ? "me" : "you"), "canary");
    assert.equal(stored.kind, "stored");
    versions.add(stored.kind === "stored" ? stored.version : 0);
    if (i % 3 === 0) opened.remove(key("me"));
  }
  assert.equal(versions.size, 20);
});

test("Vault removes a row, an identity, and says whether there was one", () => {
  using vault = new TestVault();
  const opened = vault.open();
  for (const type of ["password", "cookies"]) put(opened, key("me", type), "canary");
  put(opened, key("you"), "canary");
  assert.equal(opened.remove(key("nobody")), false);
  assert.equal(opened.remove(key("me")), true);
  assert.equal(opened.remove(key("me")), false);
  assert.equal(opened.removeIdentity("exa.ai", "me"), 1);
  assert.equal(opened.removeIdentity("exa.ai", "me"), 0);
  assert.deepEqual(opened.verify(), { rows: 1, bad: [], problem: undefined });
});

test("Vault renames an account with all its rows, or none where the name is taken", () => {
  using vault = new TestVault();
  const opened = vault.open();
  for (const type of ["password", "cookies"]) put(opened, key("old", type), `canary ${type}`);
  put(opened, key("taken"), "canary");
  assert.throws(() => opened.renameAccount("exa.ai", "old", "taken"), coded("CONFLICT"));
  assert.equal(read(opened, key("old")), "canary password");
  assert.equal(opened.renameAccount("exa.ai", "old", "new"), 2);
  assert.equal(read(opened, key("old")), undefined);
  assert.equal(read(opened, key("new", "cookies")), "canary cookies");
  assert.equal(opened.renameAccount("exa.ai", "nobody", "x"), 0);
  assert.equal(opened.renameAccount("exa.ai", "new", "new"), 2);
  assert.deepEqual(opened.verify(), { rows: 3, bad: [], problem: undefined });
});

test("Vault refuses a value that is too large and changes nothing", () => {
  using vault = new TestVault();
  const opened = vault.open();
  put(opened, key(), "canary");
  const { epoch } = opened;
  const before = readFileSync(vault.path);
  using large = Secret.fromBytes(Buffer.alloc(10 * 1024 * 1024));
  assert.throws(() => opened.put(key(), large, META), coded("TOO_LARGE"));
  assert.deepEqual(readFileSync(vault.path), before);
  assert.equal(opened.epoch, epoch);
  assert.equal(read(opened, key()), "canary");
  using fits = Secret.fromBytes(Buffer.alloc(LARGEST_VALUE, 1));
  assert.equal(opened.put(key(), fits, META).kind, "stored");
  assert.equal(opened.find(key())?.value.length, LARGEST_VALUE);
});

test("Vault opens under its own key only", () => {
  using vault = new TestVault();
  put(vault.open(), key(), "canary");
  const other = Secret.fromBytes(Buffer.alloc(32, 1));
  assert.equal(
    codeOf(() => vault.open({ kek: other })),
    "WRONG_KEY",
  );
});

test("Vault.create never overwrites a vault", () => {
  using vault = new TestVault();
  put(vault.open(), key(), "canary");
  const header = { provider: "file" as const, params: {} };
  assert.throws(() => Vault.create(vault.path, header, testKek()), coded("CONFLICT"));
  assert.equal(read(vault.open(), key()), "canary");
});

test("findHeader finds no vault where there is no file, or one whose creation was cut short", () => {
  using vault = new TestVault();
  assert.equal(findHeader(join(vault.folder, "none.db")), undefined);
  const empty = join(vault.folder, "empty.db");
  writeFileSync(empty, "");
  assert.equal(findHeader(empty), undefined);
  Vault.create(empty, { provider: "file", params: {} }, testKek());
  assert.equal(findHeader(empty)?.provider, "file");
});

test("A file that is no vault gets a code and stays as it is", () => {
  using vault = new TestVault();
  const text = join(vault.folder, "text.db");
  writeFileSync(text, "these are my notes\n".repeat(500));
  const before = readFileSync(text);
  for (const work of [() => findHeader(text), () => vault.open({ path: text })])
    assert.equal(codeOf(work), "DATABASE_CORRUPT");
  assert.deepEqual(readFileSync(text), before);
});

test("A database that is no vault is refused, and so is a vault with tables or triggers of somebody else's", () => {
  using vault = new TestVault();
  put(vault.open(), key(), "canary");
  vault.close();
  const additions = [
    "CREATE TABLE more (x)",
    "CREATE TRIGGER t AFTER UPDATE ON rows BEGIN DELETE FROM rows; END",
    "CREATE VIEW v AS SELECT 1",
    "CREATE INDEX i ON rows (version)",
    "ALTER TABLE rows ADD COLUMN extra TEXT",
    "DROP TABLE ring",
    "DROP TABLE header",
  ];
  for (const sql of additions) {
    const copy = join(vault.folder, "copy.db");
    copyFileSync(vault.path, copy);
    change(copy, sql);
    assert.equal(
      codeOf(() => vault.open({ path: copy })),
      "VAULT_DAMAGED",
      sql,
    );
  }
});

test("A vault of a newer format is refused and not a byte of it changed", () => {
  using vault = new TestVault();
  put(vault.open(), key(), "canary");
  vault.close();
  const newer = "UPDATE header SET format = 2; ALTER TABLE rows ADD COLUMN extra TEXT";
  // As a newer Deputy leaves it, after a crash of it, and with another kind of journal.
  for (const journal of ["", "PRAGMA journal_mode = DELETE;"]) {
    const copy = join(vault.folder, `newer-${journal.length}.db`);
    copyFileSync(vault.path, copy);
    change(copy, `${journal} ${newer}`);
    const before = readFileSync(copy);
    assert.equal(
      codeOf(() => findHeader(copy)),
      "VAULT_NEWER",
    );
    assert.deepEqual(readFileSync(copy), before);
  }
  vault.raw((db) => {
    db.exec(newer);
    const [file, log] = [readFileSync(vault.path), readFileSync(`${vault.path}-wal`)];
    assert.equal(
      codeOf(() => findHeader(vault.path)),
      "VAULT_NEWER",
    );
    assert.equal(
      codeOf(() => vault.open()),
      "VAULT_NEWER",
    );
    assert.deepEqual([readFileSync(vault.path), readFileSync(`${vault.path}-wal`)], [file, log]);
  });
});

test("A disposed vault is closed and its keys are gone", () => {
  using vault = new TestVault();
  const opened = vault.open();
  put(opened, key(), "canary");
  opened[Symbol.dispose]();
  assert.throws(() => opened.find(key()));
});
