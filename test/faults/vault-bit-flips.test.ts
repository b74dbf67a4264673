import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { after, test, type TestContext } from "node:test";
import type { RowKey } from "../../src/kernel/index.ts";
import { did, Rounds, seed, seededRandom } from "../support/fault-form.ts";
import { key, put, TestVault } from "../support/test-vault.ts";
import { verdict } from "../support/vault-verdict.ts";

const folder = mkdtempSync(join(tmpdir(), "deputy-flips-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const ROWS = new Map<RowKey, string>([
  [key("one@example.org"), "canary-one"],
  [key("two@example.org", "api_key"), "canary-two"],
  [key("drei@münchen.example", "cookies", "127.0.0.1"), "canary-three".repeat(40)],
]);

/** With two keys in the ring, as in the midst of a rotation, so that both are flipped. */
async function prepare(): Promise<TestVault> {
  const vault = new TestVault();
  const opened = vault.open();
  for (const [at, value] of ROWS) put(opened, at, value);
  await assert.rejects(opened.rotate({ signal: AbortSignal.abort() }));
  const [last] = [...ROWS].at(-1)!;
  put(opened, last, ROWS.get(last)!);
  vault.close();
  assert.equal(verdict(vault.path, ROWS), "clean");
  return vault;
}

const TABLES = {
  header: ["format", "vault_id", "provider", "params", "mac"],
  ring: ["key_version", "wrapped"],
  state: ["epoch", "count", "tally", "active_key", "mac"],
  rows: ["domain", "identifier", "item_type", "version", "key_version", "sealed"],
};

/** Values that differ from `value` in one bit: of a number each, of bytes another one in each of eight rounds. */
function* flips(value: unknown, round: number): Generator<bigint | Buffer> {
  if (typeof value === "bigint") {
    for (let bit = 0n; bit < 64n; bit++) yield BigInt.asIntN(64, value ^ (1n << bit));
    return;
  }
  const bytes = Buffer.from(value as string);
  for (let i = 0; i < bytes.length; i++) {
    const flipped = Buffer.from(bytes);
    flipped[i]! ^= 1 << ((i + round) % 8);
    yield flipped;
  }
}

interface Place {
  readonly table: string;
  readonly column: string;
  readonly round: number;
}

function flipColumn(
  db: DatabaseSync,
  { table, column, round }: Place,
  check: (what: string) => void,
): number {
  const select = db.prepare(`SELECT rowid AS row, ${column} AS value FROM ${table}`);
  select.setReadBigInts(true);
  let count = 0;
  for (const { row, value } of select.all()) {
    const cast = typeof value === "string" ? "CAST(? AS TEXT)" : "?";
    // A primary key moves its row with it.
    const update = db.prepare(
      `UPDATE ${table} SET ${column} = ${cast} WHERE ${column} = ${cast} AND rowid = ?`,
    );
    const before = typeof value === "string" ? Buffer.from(value) : value!;
    const isRowid = table === "ring" && column === "key_version";
    for (const flipped of flips(value, round)) {
      update.run(flipped, before, row!);
      check(`${table}.${column} of row ${row}, flip ${count}`);
      update.run(before, flipped, isRowid ? flipped : row!);
      count += 1;
    }
  }
  return count;
}

for (const [table, columns] of Object.entries(TABLES)) {
  test(`A bit flipped at any byte of any column of ${table} is refused`, async (t) => {
    using vault = await prepare();
    const rounds = new Rounds({ short: 1, long: 8, most: 8, share: 0.1 });
    let count = 0;
    const codes = new Set<string>();
    vault.raw((db) => {
      db.exec("PRAGMA synchronous = OFF");
      for (const round of rounds) {
        for (const column of columns) {
          count += flipColumn(db, { table, column, round }, (what) => {
            const found = verdict(vault.path, ROWS);
            assert.notEqual(found, "clean", `${what} went unnoticed`);
            codes.add(found);
          });
        }
      }
    });
    assert.equal(verdict(vault.path, ROWS), "clean", "all flips undone");
    t.diagnostic(`refused by ${[...codes].join(", ")}`);
    did(t, { "bits flipped": count }, { unnoticed: 0 });
  });
}

/** Damage of the file as bytes, whatever they mean. */
function damage(t: TestContext, cases: Rounds, damaged: (bytes: Buffer) => Buffer, original: Buffer): void {
  const path = join(folder, `${t.name.length}.db`);
  const found = new Map<string, number>();
  for (const _ of cases) {
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
    writeFileSync(path, damaged(Buffer.from(original)));
    const outcome = verdict(path, ROWS);
    found.set(outcome, (found.get(outcome) ?? 0) + 1);
  }
  t.diagnostic([...found].map(([outcome, count]) => `${outcome}: ${count}`).join(", "));
  did(t, { "damaged files": cases.count }, { "wrong values": 0 });
}

test("A file with random bytes changed gives a coded error or right values", async (t) => {
  t.diagnostic(`seed ${seed}`);
  using vault = await prepare();
  const random = seededRandom(seed);
  const change = (bytes: Buffer) => {
    for (let i = random() < 0.7 ? 1 : 1 + Math.floor(random() * 20); i > 0; i--)
      bytes[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8);
    return bytes;
  };
  damage(t, new Rounds({ short: 500, long: 50_000, share: 0.3 }), change, readFileSync(vault.path));
});

test("A file with bytes changed where SQLite keeps its structure gives a coded error or right values", async (t) => {
  using vault = await prepare();
  const original = readFileSync(vault.path);
  const random = seededRandom(seed + 1);
  // The file's header, the schema page and the first bytes of every page say how to read all the rest.
  const offsets = Array.from({ length: original.length }, (_, i) => i).filter(
    (i) => i < 100 || i % 4096 < 40,
  );
  let next = 0;
  const change = (bytes: Buffer) => {
    const offset = offsets[next++ % offsets.length]!;
    bytes[offset]! ^= 1 + Math.floor(random() * 255);
    return bytes;
  };
  const cases = new Rounds({ short: offsets.length, long: 20 * offsets.length, share: 0.15 });
  damage(t, cases, change, original);
});

test("A truncated file gives a coded error or right values", async (t) => {
  using vault = await prepare();
  const original = readFileSync(vault.path);
  const random = seededRandom(seed + 2);
  const lengths = [0, 1, 15, 16, 99, 100, 512, 4095];
  for (let page = 1; page * 4096 < original.length; page++) lengths.push(page * 4096, page * 4096 + 1);
  const cut = (bytes: Buffer) => bytes.subarray(0, lengths.pop() ?? Math.floor(random() * bytes.length));
  damage(t, new Rounds({ short: 150, long: 2000, share: 0.05 }), cut, original);
});

test("A damaged log falls back to an older state of the vault, which the known epoch finds", async (t) => {
  using vault = await prepare();
  const at = [...ROWS.keys()][0]!;
  const opened = vault.open();
  const known = opened.epoch + 1;
  put(opened, at, "canary-one-newer");
  const newest = new Map(ROWS).set(at, "canary-one-newer");
  const log = readFileSync(`${vault.path}-wal`);
  const random = seededRandom(seed + 3);
  let found = 0;
  const cases = new Rounds({ short: 300, long: 5000, share: 0.1 });
  for (const i of cases) {
    const copy = join(folder, `log-${i}.db`);
    copyFileSync(vault.path, copy);
    const changed = Buffer.from(log);
    changed[Math.floor(random() * changed.length)]! ^= 1 << Math.floor(random() * 8);
    const bytes = random() < 0.5 ? changed : log.subarray(0, Math.floor(random() * log.length));
    writeFileSync(`${copy}-wal`, bytes);
    const outcome = verdict(copy, newest, known);
    assert.notEqual(outcome, "clean");
    if (outcome === "VAULT_ROLLED_BACK") found += 1;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(copy + suffix, { force: true });
  }
  assert.ok(found > 0);
  did(t, { "damaged logs": cases.count, "older states": found }, { unnoticed: 0 });
});
