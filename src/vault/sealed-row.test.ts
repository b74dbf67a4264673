import assert from "node:assert/strict";
import { test } from "node:test";
import { did, Rounds, seed, seededRandom } from "../../test/support/fault-form.ts";
import { key } from "../../test/support/test-vault.ts";
import { Secret } from "../kernel/index.ts";
import { encodeFields } from "./binding.ts";
import { openRow, sealRow } from "./sealed-row.ts";

const dataKey = Secret.fromBytes(Buffer.alloc(32, 3));
const binding = { vaultId: Buffer.alloc(16, 4), key: key(), version: 7, keyVersion: 2 };
const meta = {
  label: "Work",
  source: "cli",
  obtainedAt: 1,
  updatedAt: 2,
  lastVerified: null,
  masked: "…9f2c",
};

test("openRow gives back value and metadata of what sealRow made, empty and large values too", () => {
  for (const value of ["", "canary", "ß".repeat(100_000), "\0\u{1f511}"]) {
    const sealed = sealRow(dataKey, Secret.fromText(value), meta, binding);
    const row = openRow(dataKey, sealed, binding);
    assert.equal(row?.value.reveal(), value);
    assert.deepEqual(row.meta, meta);
  }
});

test("sealRow makes other bytes of the same value every time, without the value in them", () => {
  const sealed = Array.from({ length: 200 }, () =>
    sealRow(dataKey, Secret.fromText("canary-3"), meta, binding),
  );
  assert.equal(new Set(sealed.map((row) => row.toString("hex", 1, 45))).size, 200, "salt and nonce");
  assert.ok(sealed.every((row) => !row.includes("canary") && !row.includes("9f2c")));
});

test("openRow refuses a row with any bit of it changed, and at any other length", () => {
  const sealed = sealRow(dataKey, Secret.fromText("canary-4"), meta, binding);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    sealed[bit >> 3]! ^= 1 << (bit & 7);
    assert.equal(openRow(dataKey, sealed, binding), undefined, `bit ${bit}`);
    sealed[bit >> 3]! ^= 1 << (bit & 7);
  }
  for (let length = 0; length < sealed.length; length++)
    assert.equal(openRow(dataKey, sealed.subarray(0, length), binding), undefined);
  assert.equal(openRow(dataKey, Buffer.concat([sealed, Buffer.of(0)]), binding), undefined);
  assert.equal(openRow(dataKey, sealed, binding)?.value.reveal(), "canary-4");
});

test("openRow crashes on no made-up row and accepts none", (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const genuine = [0, 1, 20, 300].map((length) =>
    sealRow(dataKey, Secret.fromBytes(Buffer.alloc(length, 0x61)), meta, binding),
  );
  const kinds = [
    () => Buffer.from(Array.from({ length: below(200) }, () => below(256))),
    () => Buffer.concat([Buffer.of(1), Buffer.from(Array.from({ length: below(200) }, () => below(256)))]),
    () => changed(Buffer.from(genuine[below(4)]!), 1 + below(8)),
    () => genuine[below(4)]!.subarray(0, below(60)),
    () => genuine[below(4)]!.subarray(below(60) + 1),
    () =>
      Buffer.concat([genuine[below(4)]!.subarray(0, 33), genuine[below(4)]!.subarray(33 + 1 + below(20))]),
    () => Buffer.concat([genuine[below(4)]!, Buffer.alloc(1 + below(40))]),
    // Salt of one row, the rest of another.
    () => {
      const one = below(4);
      return Buffer.concat([genuine[one]!.subarray(0, 33), genuine[(one + 1) % 4]!.subarray(33)]);
    },
  ];
  function changed(row: Buffer, times: number): Buffer {
    const original = Buffer.from(row);
    do for (let i = 0; i < times; i++) row[below(row.length)] = below(256);
    while (row.equals(original));
    return row;
  }
  const rows = new Rounds({ short: 100_000, long: 2_000_000 });
  for (const i of rows)
    assert.equal(openRow(dataKey, kinds[i % kinds.length]!(), binding), undefined, `case ${i}`);
  did(t, { "made-up rows": rows.count }, { accepted: 0 });
});

test("openRow refuses a genuine row under any binding that is not its own", () => {
  const sealed = sealRow(dataKey, Secret.fromText("canary-5"), meta, binding);
  const others = [
    { ...binding, vaultId: Buffer.alloc(16, 5) },
    { ...binding, version: 8 },
    { ...binding, version: -1 },
    { ...binding, version: Number.MAX_SAFE_INTEGER },
    { ...binding, keyVersion: 1 },
    { ...binding, version: 2, keyVersion: 7 },
    { ...binding, key: key("me@example.org ") },
    { ...binding, key: key("password", "me@example.org") },
    { ...binding, key: { domain: "exa.a", identifier: "ime@example.org", itemType: "password" } },
  ];
  for (const other of others) assert.equal(openRow(dataKey, sealed, other), undefined);
  assert.equal(openRow(Secret.fromBytes(Buffer.alloc(32, 9)), sealed, binding), undefined);
});

test("encodeFields gives different bytes for different lists, wherever the borders are", () => {
  const lists = [
    ["ab", "c"],
    ["a", "bc"],
    ["abc"],
    ["abc", ""],
    ["", "abc"],
    [],
    [""],
    ["", ""],
    [1],
    [1, 1],
    [-1],
  ];
  const encoded = lists.map((list) => encodeFields(...list).toString("hex"));
  assert.equal(new Set(encoded).size, lists.length);
});
