import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret } from "../../src/kernel/index.ts";
import type { StoredRow } from "../../src/vault/stored-row.ts";
import { openRow, sealRow } from "../../src/vault/sealed-row.ts";
import { did, Rounds, seed, seededRandom } from "../support/fault-form.ts";
import { codeOf, key, put, read, TestVault } from "../support/test-vault.ts";

const DOMAINS = ["exa.ai", "exa.com", "127.0.0.1"];
const ACCOUNTS = ["me@example.org", "me@example.or", "you"];
const TYPES = ["password", "api_key", "cookies"];

interface Copy extends Pick<StoredRow, "key" | "version" | "keyVersion" | "sealed"> {
  readonly value: string;
}

/** Every row that ever was: written over, removed and made again, under two keys. */
async function history(vault: TestVault): Promise<Copy[]> {
  const opened = vault.open();
  const copies: Copy[] = [];
  const keys = DOMAINS.flatMap((d) => ACCOUNTS.flatMap((a) => TYPES.map((t) => key(a, t, d))));
  const copyAll = () => {
    const rows = vault.raw((db) => db.prepare("SELECT * FROM rows").all());
    for (const row of rows) {
      const at = key(String(row["identifier"]), String(row["item_type"]), String(row["domain"]));
      const [version, keyVersion] = [Number(row["version"]), Number(row["key_version"])];
      const sealed = row["sealed"] as Uint8Array;
      copies.push({ key: at, version, keyVersion, sealed, value: read(opened, at)! });
    }
  };
  for (let round = 0; round < 6; round++) {
    for (const at of keys) {
      if (round % 2 === 1) opened.remove(at); // the next self is a row made anew
      put(opened, at, `canary ${round} ${JSON.stringify(at)}`);
    }
    copyAll();
    if (round === 2) await opened.rotate();
  }
  assert.equal(
    codeOf(() => opened.epoch),
    undefined,
  );
  return copies;
}

const columns = (copy: StoredRow) =>
  [copy.key.domain, copy.key.identifier, copy.key.itemType, copy.version, copy.keyVersion] as const;

test("No sealed row in the place of another opens", async (t) => {
  t.diagnostic(`seed ${seed}`);
  using vault = new TestVault();
  const copies = await history(vault);
  const random = seededRandom(seed);
  const pick = () => copies[Math.floor(random() * copies.length)]!;
  vault.close();
  const swaps = new Rounds({ short: 12_000, long: 200_000 });
  vault.raw((db) => {
    db.exec("PRAGMA synchronous = OFF");
    const write = db.prepare(
      `UPDATE rows SET version = ?, key_version = ?, sealed = ? WHERE domain = ? AND identifier = ? AND item_type = ?`,
    );
    const opened = vault.open();
    const now = new Map(copies.map((copy) => [JSON.stringify(copy.key), copy])); // the last of each
    for (const swap of swaps) {
      const target = now.get(JSON.stringify(pick().key))!;
      let from = pick();
      while (from === target) from = pick();
      // The blob alone, or with the version and key version it was sealed under.
      const kind = Math.floor(random() * 3);
      const version = kind === 0 ? target.version : from.version;
      const keyVersion = kind === 2 ? from.keyVersion : target.keyVersion;
      const [domain, account, type] = columns(target);
      write.run(version, keyVersion, from.sealed, domain, account, type);
      const code = codeOf(() => read(opened, target.key));
      assert.match(String(code), /^VAULT_(DAMAGED|ROLLED_BACK)$/, `swap ${swap} was accepted`);
      write.run(target.version, target.keyVersion, target.sealed, domain, account, type);
      assert.equal(read(opened, target.key), target.value);
    }
    assert.deepEqual(opened.verify().problem, undefined);
  });
  did(t, { swaps: swaps.count }, { accepted: 0 });
});

test("Old selves of a row are refused by a vault opened afterwards too", async (t) => {
  using vault = new TestVault();
  const copies = await history(vault);
  vault.close();
  const last = new Map(copies.map((copy) => [JSON.stringify(copy.key), copy]));
  let done = 0;
  vault.raw((db) => {
    db.exec("PRAGMA synchronous = OFF");
    const write = db.prepare(
      `UPDATE rows SET version = ?, key_version = ?, sealed = ? WHERE domain = ? AND identifier = ? AND item_type = ?`,
    );
    for (const copy of copies) {
      const target = last.get(JSON.stringify(copy.key))!;
      if (copy === target) continue;
      const [domain, account, type, version, keyVersion] = columns(copy);
      write.run(version, keyVersion, copy.sealed, domain, account, type);
      using opened = vault.open();
      assert.equal(opened.verify().problem?.code, "VAULT_TAMPERED");
      assert.equal(
        codeOf(() => opened.find(copy.key)),
        "VAULT_TAMPERED",
      );
      write.run(target.version, target.keyVersion, target.sealed, domain, account, type);
      done += 1;
    }
  });
  assert.equal(done, copies.length - last.size);
  did(t, { "old selves": done }, { accepted: 0 });
});

test("A sealed row opens under its own binding and under no other of a full grid", () => {
  const dataKey = Secret.fromBytes(Buffer.alloc(32, 9));
  const meta = { label: null, source: "t", obtainedAt: 0, updatedAt: 0, lastVerified: null, masked: "…" };
  const bindings = DOMAINS.flatMap((domain) =>
    ACCOUNTS.flatMap((account) =>
      TYPES.flatMap((type) =>
        [1, 2].flatMap((version) =>
          [1, 2].map((keyVersion) => ({
            vaultId: Buffer.alloc(16, 1),
            key: key(account, type, domain),
            version,
            keyVersion,
          })),
        ),
      ),
    ),
  );
  const sealed = bindings.map((binding) => sealRow(dataKey, Secret.fromText("canary"), meta, binding));
  let opened = 0;
  for (const [i, blob] of sealed.entries()) {
    for (const [j, binding] of bindings.entries()) {
      const row = openRow(dataKey, blob, binding);
      assert.equal(row !== undefined, i === j);
      opened += row === undefined ? 0 : 1;
    }
    assert.equal(openRow(dataKey, blob, { ...bindings[i]!, vaultId: Buffer.alloc(16, 2) }), undefined);
  }
  assert.equal(opened, bindings.length);
  assert.ok(sealed.length * bindings.length > 10_000);
});
