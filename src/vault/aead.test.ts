import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open, seal } from "./aead.ts";

interface Vector {
  readonly source: string;
  readonly key: string;
  readonly iv: string;
  readonly aad: string;
  readonly ct: string;
  readonly tag: string;
  /** Null where the published answer is FAIL. */
  readonly pt: string | null;
}

const file = join(import.meta.dirname, "../../test/vectors/aes-gcm/aes-256-gcm.json");
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vector[];
const bytes = (hex: string) => Buffer.from(hex, "hex");

test("open gives the published answer for every published vector", () => {
  let failures = 0;
  for (const { source, key, iv, aad, ct, tag, pt } of vectors) {
    const sealed = bytes(iv + ct + tag);
    const plaintext = open(bytes(key), sealed, bytes(aad));
    assert.equal(plaintext?.toString("hex") ?? null, pt, `${source}, key ${key}`);
    if (pt === null) failures += 1;
  }
  assert.deepEqual([vectors.length, failures], [32, 6]);
});

test("open refuses every published vector with one bit of anything changed", () => {
  for (const { key, iv, aad, ct, tag, pt } of vectors) {
    if (pt === null) continue;
    const parts = { key: bytes(key), sealed: bytes(iv + ct + tag), aad: bytes(aad) };
    for (const part of Object.values(parts)) {
      for (let bit = 0; bit < part.length * 8; bit++) {
        part[bit >> 3]! ^= 1 << (bit & 7);
        assert.equal(open(parts.key, parts.sealed, parts.aad), undefined);
        part[bit >> 3]! ^= 1 << (bit & 7);
      }
    }
    assert.equal(open(parts.key, parts.sealed, parts.aad)?.toString("hex"), pt);
  }
});

test("open refuses what is too short to be sealed, at any length", () => {
  const key = Buffer.alloc(32, 1);
  const sealed = seal(key, Buffer.from("canary"), Buffer.from("aad"));
  for (let length = 0; length < sealed.length; length++)
    assert.equal(open(key, sealed.subarray(0, length), Buffer.from("aad")), undefined);
});

test("seal never uses a nonce twice and open gives back what was sealed", () => {
  const key = Buffer.alloc(32, 2);
  const nonces = new Set<string>();
  for (let i = 0; i < 2000; i++) {
    const plaintext = Buffer.alloc(i, i & 0xff);
    const sealed = seal(key, plaintext, Buffer.from(`aad ${i}`));
    nonces.add(sealed.toString("hex", 0, 12));
    assert.deepEqual(open(key, sealed, Buffer.from(`aad ${i}`)), plaintext);
  }
  assert.equal(nonces.size, 2000);
});
