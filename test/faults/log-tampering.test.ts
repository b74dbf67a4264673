/** Whatever is done to the activity log's file, `verify` finds it; what was not touched it finds whole. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { did, Rounds, seed, seededRandom } from "../support/fault-form.ts";
import { CALLER, TestLog } from "../support/test-log.ts";

const ROWS = 60;
const random = seededRandom(seed);
const pick = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));

const TEXTS = [
  "agent",
  "kind",
  "instance",
  "via",
  "subject",
  "operation",
  "domain",
  "account",
  "outcome",
  "code",
];
const NUMBERS = ["at", "status", "bytes", "duration_us"];

type Tampering = readonly [name: string, change: (db: DatabaseSync) => void];

const swapped = (db: DatabaseSync, a: number, b: number) => {
  db.exec(`UPDATE entries SET id = -1 WHERE id = ${a}; UPDATE entries SET id = ${a} WHERE id = ${b};
    UPDATE entries SET id = ${b} WHERE id = -1`);
};

/** One of each kind, at a place of its own. */
function tamperings(): Tampering[] {
  const row = pick(1, ROWS);
  const other = ((row + pick(0, ROWS - 3)) % ROWS) + 1;
  const text = TEXTS[pick(0, TEXTS.length - 1)]!;
  const number = NUMBERS[pick(0, NUMBERS.length - 1)]!;
  const from = pick(2, ROWS - 1);
  return [
    [
      `${text} of row ${row} edited`,
      (db) => db.exec(`UPDATE entries SET ${text} = ifnull(${text}, '') || 'x' WHERE id = ${row}`),
    ],
    [
      `${number} of row ${row} edited`,
      (db) => db.exec(`UPDATE entries SET ${number} = ifnull(${number}, 0) + 1 WHERE id = ${row}`),
    ],
    [
      `hosts of row ${row} edited`,
      (db) => db.exec(`UPDATE entries SET hosts = '["evil.test"]' WHERE id = ${row}`),
    ],
    [`hosts of row ${row} made no list`, (db) => db.exec(`UPDATE entries SET hosts = 'x' WHERE id = ${row}`)],
    [`methods of row ${row} edited`, (db) => db.exec(`UPDATE entries SET methods = '[ ]' WHERE id = ${row}`)],
    [
      `hash of row ${row} edited`,
      (db) => db.exec(`UPDATE entries SET hash = randomblob(32) WHERE id = ${row}`),
    ],
    [`row ${row} deleted`, (db) => db.exec(`DELETE FROM entries WHERE id = ${row}`)],
    [
      `row ${row} deleted, the rest moved up`,
      (db) => {
        db.exec(`DELETE FROM entries WHERE id = ${row}`);
        for (let id = row + 1; id <= ROWS; id++)
          db.exec(`UPDATE entries SET id = ${id - 1} WHERE id = ${id}`);
      },
    ],
    [`the end deleted from ${from}`, (db) => db.exec(`DELETE FROM entries WHERE id >= ${from}`)],
    ["the last row deleted", (db) => db.exec(`DELETE FROM entries WHERE id = ${ROWS}`)],
    [`the beginning deleted to ${from}`, (db) => db.exec(`DELETE FROM entries WHERE id <= ${from}`)],
    ["all deleted", (db) => db.exec("DELETE FROM entries")],
    ["the table dropped", (db) => db.exec("DROP TABLE entries")],
    [`rows ${row} and ${other} swapped`, (db) => swapped(db, row, other)],
    [
      `row ${row} written over with row ${other}`,
      (db) =>
        db.exec(`DELETE FROM entries WHERE id = ${row};
        CREATE TABLE t AS SELECT * FROM entries WHERE id = ${other}; UPDATE t SET id = ${row};
        INSERT INTO entries SELECT * FROM t; DROP TABLE t`),
    ],
    [
      `row ${row} copied to the end`,
      (db) =>
        db.exec(`CREATE TABLE t AS SELECT * FROM entries WHERE id = ${row}; UPDATE t SET id = ${ROWS + 1};
        INSERT INTO entries SELECT * FROM t; DROP TABLE t`),
    ],
    [
      `row ${row} copied far beyond the end`,
      (db) =>
        db.exec(`CREATE TABLE t AS SELECT * FROM entries WHERE id = ${row}; UPDATE t SET id = ${ROWS + 99};
        INSERT INTO entries SELECT * FROM t; DROP TABLE t`),
    ],
    [
      `row ${row} copied to before the beginning`,
      (db) =>
        db.exec(`CREATE TABLE t AS SELECT * FROM entries WHERE id = ${row}; UPDATE t SET id = ${-pick(0, 9)};
        INSERT INTO entries SELECT * FROM t; DROP TABLE t`),
    ],
  ];
}

test("every kind of tampering is found, with the engine stopped and again after it went on", async (t) => {
  t.diagnostic(`seed ${seed}`);
  await using log = new TestLog();
  await log.written(ROWS);
  log.keepCopy();
  const rounds = new Rounds({ short: 2, long: 100 });
  let count = 0;
  for (const _ of rounds) {
    for (const [name, change] of tamperings()) {
      if (name.startsWith("rows") && /rows (\d+) and \1 /.test(name)) continue;
      log.putBack();
      const unchanged = fingerprint(log);
      log.raw(change);
      if (fingerprint(log) === unchanged) continue; // a row written over with itself
      const { finding } = await log.open().verify();
      await log.stop();
      assert.notEqual(finding, undefined, name);
      count += 1;
    }
  }
  assert.ok(count >= rounds.count * 15);
  log.putBack();
  assert.deepEqual(await log.open().verify(), { rows: ROWS, lost: 0 });
  did(t, { tamperings: count }, { unnoticed: 0 });
});

test("what was tampered with stays found while rows are added, and after every restart", async () => {
  const changes: Tampering[] = [
    ["an edit", (db) => db.exec("UPDATE entries SET agent = 'owner' WHERE id = 7")],
    ["the end deleted", (db) => db.exec("DELETE FROM entries WHERE id > 50")],
    [
      "a row made up at the end",
      (db) =>
        db.exec(`CREATE TABLE t AS SELECT * FROM entries WHERE id = 3; UPDATE t SET id = ${ROWS + 1};
        INSERT INTO entries SELECT * FROM t; DROP TABLE t`),
    ],
    ["all deleted", (db) => db.exec("DELETE FROM entries")],
  ];
  for (const [name, change] of changes) {
    await using log = new TestLog();
    await log.written(ROWS);
    log.raw(change);
    for (let start = 0; start < 3; start++) {
      await log.written(5);
      assert.notEqual((await log.open().verify()).finding, undefined, name);
      await log.stop();
    }
  }
});

test("a file taken away, emptied, or filled with noise while the engine runs is found", async () => {
  await using log = new TestLog();
  await log.written(20);
  const running = log.open();
  assert.equal((await running.verify()).finding, undefined);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(log.path + suffix, { force: true });
  assert.equal((await running.verify()).finding?.what, "end-missing");
  await running.begin({ caller: CALLER, subject: "exa", operation: "search", identity: null }).end("ok");
  assert.notEqual((await running.verify()).finding, undefined);
});

test("the log of another vault is put aside, not believed", async () => {
  await using one = new TestLog();
  await using two = new TestLog();
  await one.written(10);
  await two.written(10);
  one.keepCopy();
  const copy = `${one.path}.kept`;
  two.raw((db) =>
    db.exec(`ATTACH '${copy}' AS other; DELETE FROM main.entries;
    INSERT INTO main.entries SELECT * FROM other.entries`),
  );
  assert.equal((await two.open().verify()).finding?.what, "changed");
});

/** What the rows are, apart from how SQLite lays them out. */
function fingerprint(log: TestLog): string {
  return log.raw((db) => {
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'entries'").get() === undefined) return "none";
    return JSON.stringify(db.prepare("SELECT *, hex(hash) AS h FROM entries ORDER BY id").all());
  });
}
