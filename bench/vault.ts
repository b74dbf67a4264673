/**
 * What the vault costs beside the least it could cost, both measured in this run, turn by turn: reading a row among
 * 10,000 against a bare node:sqlite get plus one AES-256-GCM open of the same size, and writing one, and 25 at once,
 * against bare upserts with the same durability. Target: a read at most twice its floor.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type RowKey, Secret } from "../src/kernel/index.ts";
import { Vault } from "../src/vault/index.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { inTurns } from "./support/in-turns.ts";
import { report } from "./support/report.ts";
import { median } from "./support/statistics.ts";

const ROWS = 10_000;
const VALUE = 1000;
const READS = 1000;
const WRITES = 30;
const TOGETHER = 25;
const META = { source: "bench", masked: "…" };

using scratch = temporaryFolder("bench");
const folder = scratch.path;
const kek = Secret.fromBytes(randomBytes(32));
const value = Secret.fromBytes(randomBytes(VALUE));
const keys = Array.from({ length: ROWS }, (_, i): RowKey => {
  return { domain: `site-${i % 500}.example`, identifier: `account-${i}@example.org`, itemType: "password" };
});
const anyKey = () => keys[Math.floor(Math.random() * ROWS)]!;

const path = join(folder, "vault.db");
const open = () => Vault.open({ path, kek, clock: { now: () => Date.now() } });
Vault.create(path, { provider: "file", params: {} }, kek);
using vault = open();
vault.putAll(keys.map((key) => ({ key, value, meta: META })));

// The floor has the vault's own bytes, so that both read and open the same size.
using bare = new DatabaseSync(join(folder, "bare.db"));
bare.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ATTACH '${path}' AS vault;
  CREATE TABLE rows (domain TEXT NOT NULL, identifier TEXT NOT NULL, item_type TEXT NOT NULL, sealed BLOB NOT NULL,
    PRIMARY KEY (domain, identifier, item_type)) STRICT;
  INSERT INTO rows SELECT domain, identifier, item_type, sealed FROM vault.rows; DETACH vault`);
const get = bare.prepare("SELECT sealed FROM rows WHERE domain = ? AND identifier = ? AND item_type = ?");
const upsert = bare.prepare(`INSERT INTO rows VALUES (?, ?, ?, ?)
  ON CONFLICT (domain, identifier, item_type) DO UPDATE SET sealed = excluded.sealed`);

const sealed = get.get(keys[0]!.domain, keys[0]!.identifier, keys[0]!.itemType)!["sealed"] as Uint8Array;
const [cipherKey, nonce, additional] = [randomBytes(32), randomBytes(12), randomBytes(100)];
const cipher = createCipheriv("aes-256-gcm", cipherKey, nonce).setAAD(additional);
const ciphertext = Buffer.concat([cipher.update(sealed.subarray(61)), cipher.final()]);
const tag = cipher.getAuthTag();

const read = () => vault.find(anyKey())?.value[Symbol.dispose]();
const bareRead = () => {
  const key = anyKey();
  get.get(key.domain, key.identifier, key.itemType);
  const decipher = createDecipheriv("aes-256-gcm", cipherKey, nonce, { authTagLength: 16 });
  decipher.setAAD(additional).setAuthTag(tag);
  decipher.update(ciphertext);
  decipher.final();
};
const write = () => vault.put(anyKey(), value, META);
const bareWrite = () => {
  const key = anyKey();
  upsert.run(key.domain, key.identifier, key.itemType, sealed);
};
const someKeys = () => Array.from({ length: TOGETHER }, anyKey);
const writeMany = () => vault.putAll(someKeys().map((key) => ({ key, value, meta: META })));
const bareWriteMany = () => {
  bare.exec("BEGIN IMMEDIATE");
  for (const key of someKeys()) upsert.run(key.domain, key.identifier, key.itemType, sealed);
  bare.exec("COMMIT");
};

/** A way that measures itself: the middle of so many calls, in microseconds. */
const middleOf = (calls: number, call: () => unknown) => () => {
  const times = Array.from({ length: calls }, () => {
    const begun = performance.now();
    call();
    return performance.now() - begun;
  });
  return median(times) * 1000;
};
const times = await inTurns(
  {
    read: middleOf(READS, read),
    bareRead: middleOf(READS, bareRead),
    write: middleOf(WRITES, write),
    bareWrite: middleOf(WRITES, bareWrite),
    writeMany: middleOf(5, writeMany),
    bareWriteMany: middleOf(5, bareWriteMany),
  },
  { rounds: 50, warmUp: 5, seconds: 15 },
);
report({
  what: "read a row among 10,000",
  unit: "µs",
  ours: times.read,
  beside: { what: "bare get and one open", samples: times.bareRead },
  target: { kind: "ratio at most", value: 2 },
});
const upserts = { what: "bare upserts", samples: times.bareWrite };
report({ what: "write a row", unit: "µs", ours: times.write, beside: upserts });
const many = { what: "bare upserts", samples: times.bareWriteMany };
report({ what: `write ${TOGETHER} rows at once`, unit: "µs", ours: times.writeMany, beside: many });

const whole = await inTurns(
  { opening: () => open()[Symbol.dispose](), listing: () => void vault.list() },
  { rounds: 5 },
);
report({ what: "open a vault of 10,000", unit: "ms", ours: whole.opening });
report({ what: "list 10,000 rows", unit: "ms", ours: whole.listing });
