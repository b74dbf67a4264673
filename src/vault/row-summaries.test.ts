import assert from "node:assert/strict";
import { test } from "node:test";
import { coded, key, put, TestVault } from "../../test/support/test-vault.ts";

test("a glance says what a list says, whatever others did between two of them", async () => {
  using vault = new TestVault();
  const [one, other] = [vault.open(), vault.open()];
  const same = () => assert.deepEqual(one.glance(), one.list());
  same();
  for (const account of ["a", "b", "c"]) put(other, key(account), "canary");
  same();
  put(one, key("a"), "canary-2");
  other.remove(key("b"));
  same();
  put(other, key("b"), "canary-3");
  await other.rotate();
  same();
  assert.equal(one.glance().length, 3);
});

test("a glance opens each version of a row once, and damage in a version it has not seen is told", () => {
  using vault = new TestVault();
  const opened = vault.open();
  for (const account of ["a", "b"]) put(opened, key(account), "canary");
  const before = opened.glance();
  vault.raw((db) => db.exec("UPDATE rows SET sealed = zeroblob(100) WHERE identifier = 'a'"));
  assert.deepEqual(opened.glance(), before);
  assert.throws(() => opened.find(key("a")), coded("VAULT_DAMAGED"));
  assert.equal(opened.list()[0]?.meta, "VAULT_DAMAGED");
  vault.raw((db) => db.exec("UPDATE rows SET version = version + 7 WHERE identifier = 'b'"));
  assert.deepEqual(
    opened.glance().map(({ meta }) => typeof meta === "string" && meta),
    [false, "VAULT_DAMAGED"],
  );
});
