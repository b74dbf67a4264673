/** A reader written from docs/formats/vault.md alone, with nothing of Deputy's but the file it made. */
import assert from "node:assert/strict";
import { createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { test } from "node:test";
import { key, META, put, testKek, TestVault } from "../../test/support/test-vault.ts";
import { Secret } from "../kernel/index.ts";

function fields(...list: (string | number | Uint8Array)[]): Buffer {
  return Buffer.concat(
    list.flatMap((field) => {
      const number = Buffer.alloc(8);
      if (typeof field === "number") number.writeBigInt64BE(BigInt(field));
      const bytes = typeof field === "number" ? number : Buffer.from(field as string);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

function openGcm(cipherKey: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", cipherKey, sealed.subarray(0, 12));
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
}

const hmac = (secret: Uint8Array, data: Uint8Array) => createHmac("sha256", secret).update(data).digest();

interface Columns {
  header: { format: number; vault_id: Uint8Array; provider: string; params: string; mac: Uint8Array };
  ring: { key_version: number; wrapped: Uint8Array }[];
  state: { epoch: number; count: number; tally: Uint8Array; active_key: number; mac: Uint8Array };
  rows: {
    domain: string;
    identifier: string;
    item_type: string;
    version: number;
    key_version: number;
    sealed: Uint8Array;
  }[];
}

test("A reader written from the description of the format opens every row and adds them up", async () => {
  using vault = new TestVault();
  const opened = vault.open({ clock: { now: () => 1234 } });
  put(opened, key("one"), "canary-one");
  put(opened, key("zwei@münchen.example", "api_key"), "canary-zwei ß");
  put(opened, key("three"), "");
  await opened.rotate();
  using value = Secret.fromText("canary-new");
  opened.put(key("one"), value, { ...META, label: "Work" });
  opened.remove(key("three"));
  vault.close();

  const { header, ring, state, rows } = vault.raw((db) => ({
    header: db.prepare("SELECT * FROM header").get(),
    ring: db.prepare("SELECT * FROM ring").all(),
    state: db.prepare("SELECT * FROM state").get(),
    rows: db.prepare("SELECT * FROM rows").all(),
  })) as unknown as Columns;
  const id = header.vault_id;
  const derived = (purpose: string) =>
    new Uint8Array(hkdfSync("sha256", testKek().bytes(), id, `deputy/vault/1/${purpose}`, 32));
  assert.equal(header.format, 1);
  assert.deepEqual(
    Buffer.from(header.mac),
    hmac(derived("header"), fields("deputy-header", 1, id, header.provider, header.params)),
  );

  const dataKeys = new Map(
    ring.map((row) => [
      row.key_version,
      openGcm(derived("ring"), row.wrapped, fields("deputy-ring", 1, id, row.key_version)),
    ]),
  );
  const found: Record<string, { value: string; meta: unknown }> = {};
  let tally = 0n;
  for (const row of rows) {
    const names = [row.domain, row.identifier, row.item_type] as const;
    assert.equal(row.sealed[0], 1);
    const info = Buffer.concat([row.sealed.subarray(1, 33), Buffer.from("deputy/vault/1/row\x01")]);
    const aad = fields("deputy-row", 1, id, ...names, row.version, row.key_version);
    const plaintext = openGcm(hmac(dataKeys.get(row.key_version)!, info), row.sealed.subarray(33), aad);
    const end = 4 + plaintext.readUInt32BE(0);
    const meta: unknown = JSON.parse(plaintext.toString("utf8", 4, end));
    found[row.identifier] = { value: plaintext.toString("utf8", end), meta };
    tally += BigInt(`0x${hmac(derived("tally"), fields(...names, row.version)).toString("hex")}`);
  }
  const meta = {
    label: null,
    source: "test",
    obtainedAt: 1234,
    updatedAt: 1234,
    lastVerified: null,
    masked: "…",
  };
  assert.deepEqual(found, {
    one: { value: "canary-new", meta: { ...meta, label: "Work" } },
    "zwei@münchen.example": { value: "canary-zwei ß", meta },
  });

  assert.equal(state.count, 2);
  assert.equal((tally % 2n ** 256n).toString(16).padStart(64, "0"), Buffer.from(state.tally).toString("hex"));
  const stateFields = fields("deputy-state", 1, id, state.epoch, state.count, state.tally, state.active_key);
  assert.deepEqual(Buffer.from(state.mac), hmac(derived("state"), stateFields));
});
