import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Secret } from "../../src/kernel/index.ts";
import { sealExport } from "../../src/vault/portable.ts";
import { did } from "../support/fault-form.ts";
import { findInFiles, formsOf } from "../support/leaks.ts";
import { key, META, put, TestVault } from "../support/test-vault.ts";

const found = (folder: string, secrets: readonly string[]) =>
  secrets.flatMap((secret) =>
    findInFiles(folder, secret).map((where) => `${secret.slice(0, 20)} in ${where}`),
  );

const canary = (i: number, what: string) => `canary?${what}=${i}&${"q7Zk/+Ü".repeat(3)}`;

test("The search for canaries finds each form of one", () => {
  for (const { form, bytes } of formsOf(canary(1, "self"))) {
    using vault = new TestVault();
    vault.raw((db) => db.exec("CREATE TABLE leak (x BLOB)"));
    vault.raw((db) => db.prepare("INSERT INTO leak VALUES (?)").run(bytes));
    assert.ok(found(vault.folder, [canary(1, "self")]).length > 0, form);
  }
});

test("Values and their metadata are in no file of a vault, whatever was done with it", async (t) => {
  using vault = new TestVault();
  const opened = vault.open();
  const secrets: string[] = [];
  const store = (account: string, value: string) => {
    secrets.push(value);
    using secret = Secret.fromText(value);
    opened.put(key(account), secret, { ...META, label: `label ${value}`, masked: `masked ${value}` });
  };
  let searched = 0;
  const check = (after: string) => {
    assert.deepEqual(found(vault.folder, secrets), [], after);
    searched += 1;
  };
  for (let i = 0; i < 60; i++) store(`account-${i}`, canary(i, "put"));
  check("put");
  for (let i = 0; i < 60; i += 2) store(`account-${i}`, canary(i, "over"));
  store("large", canary(0, "large").repeat(3000));
  check("put over");
  for (let i = 0; i < 60; i += 3) opened.remove(key(`account-${i}`));
  opened.renameAccount("exa.ai", "account-1", "renamed");
  check("removed and renamed");
  await opened.rotate();
  check("rotated");
  assert.throws(() => put(opened, key("too-large"), canary(0, "too-large").repeat(300_000)));
  secrets.push(canary(0, "too-large"));
  await sealExport(opened, Secret.fromText("canary-passphrase"));
  secrets.push("canary-passphrase");
  check("refused and exported");
  opened.rekey({ provider: "file", params: {} }, Secret.fromBytes(Buffer.alloc(32, 3)));
  check("rekeyed");
  vault.close();
  check("closed");
  did(t, { "canaries in clear": secrets.length, "times searched": searched }, { found: 0 });
});

test("A vault's file shows domains, accounts and types, and of the keys nothing", () => {
  using vault = new TestVault();
  put(vault.open(), key(), "canary");
  vault.close();
  const bytes = readFileSync(vault.path);
  for (const clear of ["exa.ai", "me@example.org", "password"]) assert.ok(bytes.includes(clear), clear);
  for (const kek of [Buffer.alloc(32, 0x4b), Buffer.alloc(32, 0x4b).toString("base64")])
    assert.ok(!bytes.includes(kek));
});
