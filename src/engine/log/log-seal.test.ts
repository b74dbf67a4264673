import assert from "node:assert/strict";
import { test } from "node:test";
import { CALLER, TestLog } from "../../../test/support/test-log.ts";
import { coded } from "../../../test/support/test-vault.ts";
import { createLogSeal } from "./log-seal.ts";

test("the chain goes on through a rotation of the vault's keys and a new opening", async () => {
  await using home = new TestLog();
  const vault = home.vault.open();
  const log = home.open(vault);
  const call = async () =>
    log.begin({ caller: CALLER, subject: "exa", operation: "search", identity: null }).end("ok");
  await call();
  await vault.rotate();
  await call();
  const { resealed } = await vault.rotate({ counts: ({ domain }) => !domain.startsWith("@") });
  assert.equal(resealed, 0, "the log's own row is nobody's login");
  await call();
  assert.deepEqual(await log.verify(), { rows: 3, lost: 0 });
  await home.stop();
  assert.deepEqual(await home.open().verify(), { rows: 3, lost: 0 });
});

test("two writers of one log do not pass unseen", async () => {
  await using home = new TestLog();
  await home.written(1);
  const vault = home.vault.open();
  const [one, two] = [createLogSeal(vault), createLogSeal(vault)];
  const [head, same] = [one.read(), two.read()];
  assert.ok(head && same);
  one.write({ ...head, durable: 7 }, { durable: false });
  assert.throws(() => two.write(same, { durable: false }), coded("CONFLICT"));
});

test("a mark in the keyring never promises more than a power cut leaves", async () => {
  await using home = new TestLog();
  const vault = home.vault.open();
  const log = home.open(vault);
  const before = vault.durableEpoch;
  await log.begin({ caller: CALLER, subject: "exa", operation: "search", identity: null }).end("ok");
  await log.begin({ caller: CALLER, subject: "exa", operation: "search", identity: null }).end("ok");
  assert.ok(vault.epoch > vault.durableEpoch);
  assert.ok(vault.durableEpoch >= before);
  await log[Symbol.asyncDispose]();
  assert.equal(vault.durableEpoch, vault.epoch);
});
