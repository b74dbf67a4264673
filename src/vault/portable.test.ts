import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { missing } from "../../test/support/fault-form.ts";
import { coded, key, put, read, TestVault } from "../../test/support/test-vault.ts";
import { Secret } from "../kernel/index.ts";
import { openExport, sealExport } from "./portable.ts";

const words = () => Secret.fromText("canary export passphrase");

function filled(): TestVault {
  const vault = new TestVault();
  const opened = vault.open({ clock: { now: () => 1000 } });
  put(opened, key("one"), "canary-one");
  put(opened, key("two", "cookies"), "canary-two \0\u{1f511}");
  put(opened, key("three", "password", "xn--mnchen-3ya.example"), "");
  return vault;
}

/** An age file of any content under the same passphrase, as another program might make it. */
async function sealText(text: string): Promise<Uint8Array> {
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  encrypter.setPassphrase(words().reveal());
  encrypter.setScryptWorkFactor(10);
  return encrypter.encrypt(text);
}

test("An export opens in another vault with the same rows, and holds none of them in clear", async () => {
  using vault = filled();
  const sealed = Buffer.from((await sealExport(vault.open(), words())).sealed);
  assert.ok(sealed.subarray(0, 21).toString() === "age-encryption.org/v1");
  for (const clear of ["canary", "one", "exa.ai", Buffer.from("canary-one").toString("base64")])
    assert.ok(!sealed.includes(clear), clear);
  using other = new TestVault(Secret.fromBytes(Buffer.alloc(32, 8)));
  const opened = other.open({ kek: Secret.fromBytes(Buffer.alloc(32, 8)) });
  assert.deepEqual(await openExport(opened, sealed, words()), { imported: 3, kept: 0, refused: [] });
  assert.equal(read(opened, key("one")), "canary-one");
  assert.equal(read(opened, key("two", "cookies")), "canary-two \0\u{1f511}");
  assert.equal(opened.list().length, 3);
  assert.deepEqual(
    await openExport(opened, sealed, words()),
    { imported: 0, kept: 3, refused: [] },
    "again changes nothing",
  );
});

test("An import keeps the rows that are newer here", async () => {
  using vault = filled();
  const { sealed } = await sealExport(vault.open(), words());
  const opened = vault.open({ clock: { now: () => 2000 } });
  put(opened, key("one"), "canary-newer");
  opened.remove(key("two", "cookies"));
  assert.deepEqual(await openExport(opened, sealed, words()), { imported: 1, kept: 2, refused: [] });
  assert.equal(read(opened, key("one")), "canary-newer");
  assert.equal(read(opened, key("two", "cookies")), "canary-two \0\u{1f511}");
});

test("An import keeps the time a login was written, so that it never passes for newer than it is", async () => {
  using vault = filled();
  using other = new TestVault();
  const { sealed } = await sealExport(vault.open(), words());
  const there = other.open({ clock: { now: () => 9000 } });
  await openExport(there, sealed, words());
  const back = (await sealExport(there, words())).sealed;
  const opened = vault.open({ clock: { now: () => 2000 } });
  put(opened, key("one"), "canary-newer");
  await openExport(opened, back, words());
  assert.equal(read(opened, key("one")), "canary-newer");
});

test("An export leaves a row out that no longer opens, and says so", async () => {
  using vault = filled();
  vault.raw((db) => db.exec("UPDATE rows SET sealed = zeroblob(80) WHERE identifier = 'one'"));
  const { rows, unreadable } = await sealExport(vault.open(), words());
  assert.deepEqual([rows, unreadable.map((one) => one.identifier)], [2, ["one"]]);
});

test("An import mends a row that no longer opens", async () => {
  using vault = filled();
  const { sealed } = await sealExport(vault.open(), words());
  vault.raw((db) => db.exec("UPDATE rows SET sealed = zeroblob(80) WHERE identifier = 'one'"));
  const opened = vault.open();
  assert.deepEqual(await openExport(opened, sealed, words()), { imported: 1, kept: 2, refused: [] });
  assert.deepEqual(opened.verify(), { rows: 3, bad: [], problem: undefined });
  assert.equal(read(opened, key("one")), "canary-one");
});

test("A wrong passphrase and a damaged or cut file are refused, and nothing is changed", async () => {
  using vault = filled();
  const opened = vault.open();
  const sealed = Buffer.from(
    await sealText(JSON.stringify({ kind: "deputy-vault-export", version: 1, rows: [] })),
  );
  const { epoch } = opened;
  await assert.rejects(openExport(opened, sealed, Secret.fromText("something else")), coded("WRONG_KEY"));
  const damaged = [sealed.subarray(0, 40), sealed.subarray(0, -1), Buffer.alloc(0), Buffer.from("no export")];
  for (let i = 0; i < 60; i++) {
    const flipped = Buffer.from(sealed);
    flipped[Math.floor((i / 60) * flipped.length)]! ^= 1 << (i % 8);
    damaged.push(flipped);
  }
  for (const [i, bytes] of damaged.entries()) {
    await assert.rejects(
      openExport(opened, bytes, words()),
      (error) => ["WRONG_KEY", "TOO_LARGE"].some((code) => coded(code)(error)),
      `damage ${i}`,
    );
  }
  assert.equal(opened.epoch, epoch);
});

test("A file that asks for too much work is told as that, and not as a wrong passphrase", async () => {
  using vault = new TestVault();
  const sealed = Buffer.from(await sealText("{}")).toString("latin1");
  // In the header in clear: what a machine would be busy with for minutes before it could say that it is wrong.
  const greedy = sealed.replace(/(-> scrypt \S+) 10\n/, "$1 25\n");
  assert.notEqual(greedy, sealed);
  const opening = openExport(vault.open(), Buffer.from(greedy, "latin1"), words());
  await assert.rejects(opening, coded("TOO_LARGE"));
});

test("An age file that holds something else is refused with a code", async () => {
  using vault = new TestVault();
  const opened = vault.open();
  const row = { key: key(), meta: {}, value: "" };
  const meta = { label: null, source: "", obtainedAt: 0, updatedAt: 0, lastVerified: null, masked: "" };
  const bad = { ...key(), domain: "a/b" };
  const contents: [code: string, text: string][] = [
    ["BAD_INPUT", "my notes"],
    ["BAD_INPUT", "null"],
    ["BAD_INPUT", "[]"],
    ["BAD_INPUT", JSON.stringify({ kind: "other", version: 1, rows: [] })],
    ["BAD_INPUT", JSON.stringify({ kind: "deputy-vault-export", version: 1, rows: [row] })],
    [
      "BAD_INPUT",
      JSON.stringify({ kind: "deputy-vault-export", version: 1, rows: [{ ...row, meta, key: bad }] }),
    ],
    ["VAULT_NEWER", JSON.stringify({ kind: "deputy-vault-export", version: 2, rows: [row] })],
  ];
  for (const [code, text] of contents)
    await assert.rejects(openExport(opened, await sealText(text), words()), coded(code), text);
  assert.deepEqual(opened.list(), []);
});

test("The age command opens an export", { skip: missing("age", "script") }, async () => {
  using vault = filled();
  const [file, clear] = [join(vault.folder, "export.age"), join(vault.folder, "clear.json")];
  writeFileSync(file, (await sealExport(vault.open(), words())).sealed);
  // age asks on a terminal only; script makes one.
  const age = spawn("script", ["-qec", `age -d -o '${clear}' '${file}'`, "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let said = "";
  let answered = false;
  age.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (answered || !said.includes("passphrase")) return;
    answered = true;
    age.stdin.write(`${words().reveal()}\n`);
  });
  const [status] = (await once(age, "close")) as [number];
  assert.equal(status, 0, said);
  const { kind, rows } = JSON.parse(readFileSync(clear, "utf8")) as {
    kind: string;
    rows: { value: string }[];
  };
  assert.equal(kind, "deputy-vault-export");
  assert.deepEqual(rows.map(({ value }) => Buffer.from(value, "base64").toString()).toSorted(), [
    "",
    "canary-one",
    "canary-two \0\u{1f511}",
  ]);
});
