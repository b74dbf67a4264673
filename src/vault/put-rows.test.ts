import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { coded, key, META, put, read, TestVault } from "../../test/support/test-vault.ts";
import { Secret } from "../kernel/index.ts";
import { LARGEST_VALUE, type NewRow } from "./put-rows.ts";

const row = (account: string, text: string, expect?: number): NewRow => ({
  key: key(account),
  value: Secret.fromText(text),
  meta: META,
  expect,
});

test("Rows put together are there for others at once, each with a version of its own", () => {
  using vault = new TestVault();
  const [one, other] = [vault.open(), vault.open()];
  put(one, key("a"), "canary-before");
  const done = one.putAll([row("a", "canary-a"), row("b", "canary-b", 0), row("a", "canary-again")]);
  assert.deepEqual(
    done.map((each) => each.kind === "stored" && each.version),
    [2, 3, 4],
  );
  assert.equal(read(other, key("a")), "canary-again");
  assert.equal(read(other, key("b")), "canary-b");
  assert.equal(other.epoch, 4);
  assert.deepEqual(other.verify(), { rows: 2, bad: [], problem: undefined });
});

test("A row that became another meanwhile is left as it is, and the rows beside it are stored", () => {
  using vault = new TestVault();
  const [one, other] = [vault.open(), vault.open()];
  put(one, key("a"), "canary-1");
  put(other, key("a"), "canary-2");
  assert.deepEqual(
    one.putAll([row("a", "canary-lost", 1), row("b", "canary-b", 0), row("c", "canary-c", 7)]),
    [
      { kind: "conflict", current: 2 },
      { kind: "stored", version: 3 },
      { kind: "conflict", current: 0 },
    ],
  );
  assert.equal(read(one, key("a")), "canary-2");
  assert.equal(read(one, key("c")), undefined);
  assert.deepEqual(one.verify(), { rows: 2, bad: [], problem: undefined });
});

test("Rows that are all in conflict, and no rows at all, change nothing", () => {
  using vault = new TestVault();
  const opened = vault.open();
  put(opened, key("a"), "canary");
  const { epoch } = opened;
  assert.deepEqual(opened.putAll([row("a", "canary-lost", 0)]), [{ kind: "conflict", current: 1 }]);
  assert.deepEqual(opened.putAll([]), []);
  assert.equal(opened.epoch, epoch);
});

test("One value that is too large keeps all of them out", () => {
  using vault = new TestVault();
  const opened = vault.open();
  put(opened, key("a"), "canary");
  const before = readFileSync(`${vault.path}-wal`);
  const large = { ...row("b", ""), value: Secret.fromBytes(Buffer.alloc(LARGEST_VALUE + 1)) };
  assert.throws(() => opened.putAll([row("a", "canary-lost"), large]), coded("TOO_LARGE"));
  assert.deepEqual(readFileSync(`${vault.path}-wal`), before);
  assert.equal(read(opened, key("a")), "canary");
});

test("A write that fails half-way leaves every row and what was seen of it as they were", () => {
  using vault = new TestVault();
  const opened = vault.open();
  for (const account of ["a", "b"]) put(opened, key(account), "canary-before");
  const gone = Secret.fromText("canary-gone");
  gone[Symbol.dispose]();
  assert.throws(() => opened.putAll([row("a", "canary-lost"), { ...row("b", ""), value: gone }]));
  for (const account of ["a", "b"]) assert.equal(read(opened, key(account)), "canary-before");
  assert.equal(opened.epoch, 2);
  assert.deepEqual(
    opened.putAll([row("a", "canary-a", 1), row("b", "canary-b", 2)]).map(({ kind }) => kind),
    ["stored", "stored"],
  );
});

test("Rows that need not be durable are so once a durable write has followed", () => {
  using vault = new TestVault();
  const opened = vault.open();
  put(opened, key("a"), "canary");
  opened.putAll([row("b", "canary-b"), row("c", "canary-c")], { durable: false });
  assert.ok(opened.durableEpoch < opened.epoch);
  assert.equal(opened.remove(key("b"), { durable: false }), true);
  assert.ok(opened.durableEpoch <= 1);
  put(opened, key("d"), "canary-d");
  assert.equal(opened.durableEpoch, opened.epoch);
});
