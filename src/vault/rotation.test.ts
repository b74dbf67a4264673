import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { codeOf, coded, key, put, read, TestVault } from "../../test/support/test-vault.ts";
import { Secret } from "../kernel/index.ts";

const ROWS = 200;

function filled(): TestVault {
  const vault = new TestVault();
  const opened = vault.open();
  for (let i = 0; i < ROWS; i++) put(opened, key(`account-${i}`), `canary-${i}`);
  return vault;
}

const ringOf = (vault: TestVault) =>
  vault.raw((db) => db.prepare("SELECT key_version, wrapped FROM ring ORDER BY key_version").all());
const keyVersionsOf = (vault: TestVault) =>
  vault.raw((db) =>
    db
      .prepare("SELECT DISTINCT key_version AS v FROM rows")
      .all()
      .map(({ v }) => v),
  );

test("rotate seals every row anew under a new key and destroys the old one", async () => {
  using vault = filled();
  const opened = vault.open();
  const [before] = ringOf(vault);
  const progress: number[] = [];
  const done = await opened.rotate({ onProgress: (count) => progress.push(count) });
  assert.deepEqual(done, { resealed: ROWS, unreadable: [], swept: true });
  assert.equal(progress.at(-1), ROWS);
  assert.deepEqual(
    ringOf(vault).map((row) => row["key_version"]),
    [2],
  );
  assert.deepEqual(keyVersionsOf(vault), [2]);
  for (let i = 0; i < ROWS; i++) assert.equal(read(opened, key(`account-${i}`)), `canary-${i}`);
  vault.close();
  assert.ok(
    !readFileSync(vault.path).includes(before!["wrapped"] as Uint8Array),
    "the wrapped old key lingers",
  );
  assert.deepEqual(vault.open().verify(), { rows: ROWS, bad: [], problem: undefined });
});

test("rotate leaves neither the old key nor old rows in the file or its log, with the vault still open", async () => {
  using vault = filled();
  vault.close();
  const opened = vault.open();
  const [before] = ringOf(vault);
  const row = vault.raw((db) => db.prepare("SELECT sealed FROM rows LIMIT 1").get());
  await opened.rotate();
  const bytes = Buffer.concat([readFileSync(vault.path), readFileSync(`${vault.path}-wal`)]);
  assert.ok(!bytes.includes(before!["wrapped"] as Uint8Array));
  assert.ok(!bytes.includes(row!["sealed"] as Uint8Array));
});

test("rotate keeps the versions, so that a writer's expected version stays right", async () => {
  using vault = filled();
  const opened = vault.open();
  const { version } = opened.find(key("account-7"))!;
  await opened.rotate();
  assert.equal(put(opened, key("account-7"), "canary-new", version).kind, "stored");
});

test("Another process goes on reading and writing through a rotation it was not told of", async () => {
  using vault = filled();
  const [one, other] = [vault.open(), vault.open()];
  assert.equal(read(other, key("account-1")), "canary-1");
  await one.rotate();
  assert.equal(read(other, key("account-1")), "canary-1");
  put(other, key("account-2"), "canary-new");
  assert.equal(read(one, key("account-2")), "canary-new");
  assert.deepEqual(keyVersionsOf(vault), [2]);
  assert.equal(other.list().length, ROWS);
});

test("A rotation cut short is taken up again, and there is nothing to take up afterwards", async () => {
  using vault = filled();
  const opened = vault.open();
  const abort = new AbortController();
  await assert.rejects(
    opened.rotate({ signal: abort.signal, onProgress: () => abort.abort() }),
    coded("CANCELLED"),
  );
  assert.deepEqual(new Set(keyVersionsOf(vault)), new Set([1, 2]));
  for (let i = 0; i < ROWS; i++) assert.equal(read(opened, key(`account-${i}`)), `canary-${i}`);
  vault.close();
  const again = vault.open();
  const rest = await again.finishRotation();
  assert.ok(rest!.resealed > 0 && rest!.resealed < ROWS);
  assert.deepEqual(keyVersionsOf(vault), [2]);
  assert.equal(await again.finishRotation(), undefined);
});

test("A row that cannot be opened keeps the old key alive until it is removed", async () => {
  using vault = filled();
  vault.raw((db) => db.exec("UPDATE rows SET sealed = zeroblob(100) WHERE identifier = 'account-5'"));
  const opened = vault.open();
  const done = await opened.rotate();
  assert.deepEqual(done, { resealed: ROWS - 1, unreadable: [key("account-5")], swept: false });
  assert.equal(ringOf(vault).length, 2);
  opened.remove(key("account-5"));
  await opened.finishRotation();
  assert.equal(ringOf(vault).length, 1);
});

test("Two rotations at once end with one key and every row readable", async () => {
  using vault = filled();
  const [one, other] = [vault.open(), vault.open()];
  await Promise.all([one.rotate(), other.rotate()]);
  await one.finishRotation();
  assert.deepEqual(
    ringOf(vault).map((row) => row["key_version"]),
    [3],
  );
  assert.deepEqual(keyVersionsOf(vault), [3]);
  for (let i = 0; i < ROWS; i++) assert.equal(read(other, key(`account-${i}`)), `canary-${i}`);
});

test("rotate of an empty vault gives it a new key", async () => {
  using vault = new TestVault();
  assert.deepEqual(await vault.open().rotate(), { resealed: 0, unreadable: [], swept: true });
  assert.equal(ringOf(vault)[0]?.["key_version"], 2);
});

test("rekey puts the same rows under another key, and the old one opens nothing", () => {
  using vault = filled();
  const opened = vault.open();
  const other = vault.open();
  const [before] = ringOf(vault);
  const kek = Secret.fromBytes(Buffer.alloc(32, 7));
  opened.rekey({ provider: "passphrase", params: { salt: "x" } }, kek);
  assert.equal(
    codeOf(() => opened.list()),
    "VAULT_LOCKED",
  );
  assert.match(
    String(codeOf(() => put(other, key(), "canary"))),
    /^VAULT_/,
    "nobody writes on under the old key",
  );
  vault.close();
  assert.equal(
    codeOf(() => vault.open()),
    "WRONG_KEY",
  );
  const again = vault.open({ kek });
  for (let i = 0; i < ROWS; i++) assert.equal(read(again, key(`account-${i}`)), `canary-${i}`);
  assert.deepEqual(again.verify(), { rows: ROWS, bad: [], problem: undefined });
  assert.ok(!readFileSync(vault.path).includes(before!["wrapped"] as Uint8Array));
});

test("rekey in the midst of a rotation keeps both keys of the ring", async () => {
  using vault = filled();
  const opened = vault.open();
  const abort = new AbortController();
  await assert.rejects(opened.rotate({ signal: abort.signal, onProgress: () => abort.abort() }));
  const kek = Secret.fromBytes(Buffer.alloc(32, 7));
  opened.rekey({ provider: "file", params: {} }, kek);
  vault.close();
  const again = vault.open({ kek });
  assert.deepEqual(again.verify(), { rows: ROWS, bad: [], problem: undefined });
  await again.finishRotation();
  assert.deepEqual(keyVersionsOf(vault), [2]);
});
