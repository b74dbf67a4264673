/**
 * What the vault costs beside the least it could cost, both measured in this run, turn by turn: reading a row among
 * 10,000 against a bare node:sqlite get plus one AES-256-GCM open of the same size, and writing one, and 25 at once,
 * against bare upserts with the same durability. Target: a read at most twice its floor.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type RowKey, Secret } from "../src/kernel/index.ts";
import { Vault } from "../src/vault/index.ts";

const ROWS = 10_000;
const VALUE = 1000;
const READS = 1000;
const WRITES = 60;
const TOGETHER = 25;
const ROUNDS = 50;
const WARM_UP = 10;
const READ_TARGET = 2;
const META = { source: "bench", masked: "…" };

const folder = mkdtempSync(join(tmpdir(), "deputy-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const kek = Secret.fromBytes(randomBytes(32));
const value = Secret.fromBytes(randomBytes(VALUE));
const keys = Array.from({ length: ROWS }, (_, i): RowKey => {
  return { domain: `site-${i % 500}.example`, identifier: `account-${i}@example.org`, itemType: "password" };
});
const anyKey = () => keys[Math.floor(Math.random() * ROWS)]!;

const path = join(folder, "vault.db");
const open = () => Vault.open({ path, kek, clock: { now: () => Date.now() } });
Vault.create(path, { provider: "file", params: {} }, kek);
const vault = open();
for (const key of keys) vault.put(key, value, META);

// The floor has the vault's own bytes, so that both read and open the same size.
const bare = new DatabaseSync(join(folder, "bare.db"));
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

const contenders = {
  read: () => {
    const row = vault.find(anyKey());
    row!.value[Symbol.dispose]();
  },
  readFloor: () => {
    const key = anyKey();
    get.get(key.domain, key.identifier, key.itemType);
    const decipher = createDecipheriv("aes-256-gcm", cipherKey, nonce, { authTagLength: 16 });
    decipher.setAAD(additional).setAuthTag(tag);
    decipher.update(ciphertext);
    decipher.final();
  },
  write: () => {
    vault.put(anyKey(), value, META);
  },
  writeFloor: () => {
    const key = anyKey();
    upsert.run(key.domain, key.identifier, key.itemType, sealed);
  },
};

const someKeys = () => Array.from({ length: TOGETHER }, anyKey);
const together = {
  writeMany: () => {
    vault.putAll(someKeys().map((key) => ({ key, value, meta: META })));
  },
  writeManyFloor: () => {
    bare.exec("BEGIN IMMEDIATE");
    for (const key of someKeys()) upsert.run(key.domain, key.identifier, key.itemType, sealed);
    bare.exec("COMMIT");
  },
};

/** The middle of what single calls took, in microseconds. */
function p50(calls: number, call: () => void): number {
  const times = new Float64Array(calls);
  for (let i = 0; i < calls; i++) {
    const begun = performance.now();
    call();
    times[i] = performance.now() - begun;
  }
  return times.sort()[calls >> 1]! * 1000;
}

function callsOf(name: string): number {
  if (name.startsWith("read")) return READS;
  return name in together ? 5 : WRITES;
}

const results = new Map<string, number[]>();
for (let round = -WARM_UP; round < ROUNDS; round++) {
  for (const [name, call] of Object.entries({ ...contenders, ...together })) {
    const took = p50(callsOf(name), call);
    if (round >= 0) results.set(name, [...(results.get(name) ?? []), took]);
  }
}

function timeOf(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}
const opening = Array.from({ length: 5 }, () => timeOf(() => open()[Symbol.dispose]()));
const listing = Array.from({ length: 5 }, () => timeOf(() => vault.list()));

const median = (list: number[]) => list.toSorted((a, b) => a - b)[list.length >> 1]!;
const of = (name: string) => results.get(name)!;
const both = (list: number[], digits = 1) =>
  `${median(list).toFixed(digits)} (least ${Math.min(...list).toFixed(digits)})`;
const ratio = (name: string) => median(of(name).map((time, round) => time / of(`${name}Floor`)[round]!));
const perSecond = (name: string) => of(name).map((micros) => 1e6 / micros);
const met = ratio("read") <= READ_TARGET;
console.table({
  [`read a row among ${ROWS}, p50 µs`]: {
    ours: both(of("read")),
    floor: both(of("readFloor")),
    ratio: ratio("read").toFixed(2),
    target: `≤ ${READ_TARGET}`,
    met: met ? "yes" : "NO",
  },
  "write a row, per second": {
    ours: median(perSecond("write")).toFixed(0),
    floor: median(perSecond("writeFloor")).toFixed(0),
    ratio: ratio("write").toFixed(2),
  },
  [`write ${TOGETHER} rows at once, p50 µs`]: {
    ours: both(of("writeMany")),
    floor: both(of("writeManyFloor")),
    ratio: ratio("writeMany").toFixed(2),
  },
  [`open a vault of ${ROWS}, ms`]: { ours: both(opening) },
  [`list ${ROWS} rows, ms`]: { ours: both(listing) },
});
vault[Symbol.dispose]();
bare.close();
process.exitCode = met ? 0 : 1;
