import assert from "node:assert/strict";
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import { DeputyError } from "../kernel/index.ts";
import { readDatabaseImage } from "./database-image.ts";
import { askDatabase, databaseStamp, ForeignDatabase } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "deputy-image-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of the database and what is pending, as a crash would leave it, old enough to count as settled. */
function freeze(path: string, as: string): string {
  const copy = join(folder, as);
  for (const suffix of ["", "-wal", "-journal"]) {
    if (statSync(path + suffix, { throwIfNoEntry: false }) === undefined) continue;
    copyFileSync(path + suffix, copy + suffix);
    utimesSync(copy + suffix, 1, 1);
  }
  return copy;
}

async function rowsOf(path: string): Promise<unknown[]> {
  const asked = await askDatabase(path, (db) => db.all("SELECT x FROM t ORDER BY x").map(([x]) => x));
  assert.equal(asked.kind, "answer");
  return asked.kind === "answer" ? asked.value : [];
}

test("askDatabase applies what is committed in the write-ahead log and nothing else", async () => {
  const path = join(folder, "wal.db");
  using db = new DatabaseSync(path);
  db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x INTEGER, filler BLOB)",
  );
  db.exec("INSERT INTO t VALUES (1, zeroblob(9000)); PRAGMA wal_checkpoint(TRUNCATE)");
  db.exec("INSERT INTO t VALUES (2, zeroblob(9000)); UPDATE t SET x = 10 WHERE x = 1");
  const committed = freeze(path, "committed.db");
  db.exec("PRAGMA cache_size = 1; BEGIN; INSERT INTO t SELECT 99, zeroblob(9000) FROM t, t AS u, t AS v");
  const unfinished = freeze(path, "unfinished.db");
  assert.ok(statSync(`${unfinished}-wal`).size > statSync(`${committed}-wal`).size, "spilled into the log");
  assert.deepEqual(await rowsOf(committed), [2n, 10n]);
  assert.deepEqual(await rowsOf(unfinished), [2n, 10n]);
});

test("askDatabase ignores frames of a log from before its last checkpoint, and damaged ones", async () => {
  const path = join(folder, "reset.db");
  using db = new DatabaseSync(path);
  db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x INTEGER, filler BLOB)",
  );
  for (let x = 0; x < 20; x++) db.exec(`INSERT INTO t VALUES (${x}, zeroblob(9000))`);
  db.exec("PRAGMA wal_checkpoint(RESTART); DELETE FROM t WHERE x > 2");
  const copy = freeze(path, "restarted.db");
  assert.deepEqual(await rowsOf(copy), [0n, 1n, 2n]);
  writeFileSync(`${copy}-wal`, Buffer.alloc(100_000, 7));
  utimesSync(`${copy}-wal`, 1, 1);
  assert.equal((await rowsOf(copy)).length, 20);
});

test("askDatabase undoes an unfinished transaction of a rollback journal", async () => {
  const path = join(folder, "hot.db");
  using db = new DatabaseSync(path);
  db.exec("CREATE TABLE t (x INTEGER, filler BLOB)");
  for (let x = 0; x < 50; x++) db.exec(`INSERT INTO t VALUES (${x}, zeroblob(3000))`);
  // With so small a cache the pages are written before the commit: journal and half-done database, as in a crash.
  db.exec(
    "PRAGMA cache_size = 1; BEGIN; UPDATE t SET x = x + 1000; INSERT INTO t SELECT 5000 + x, filler FROM t",
  );
  const copy = freeze(path, "crashed.db");
  assert.ok(statSync(`${copy}-journal`).size > 10_000);
  const mine = await rowsOf(copy);
  db.exec("ROLLBACK");
  assert.deepEqual(
    mine,
    Array.from({ length: 50 }, (_, x) => BigInt(x)),
  );
});

test("askDatabase leaves the database, its folder and its times alone", async () => {
  const place = mkdtempSync(join(folder, "untouched-"));
  const path = join(place, "live.db");
  using db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  for (const name of readdirSync(place)) utimesSync(join(place, name), 5, 5);
  const before = [readdirSync(place), databaseStamp(path)];
  assert.deepEqual(await rowsOf(path), [1n]);
  assert.deepEqual([readdirSync(place), databaseStamp(path)], before);
});

for (const mode of ["DELETE", "TRUNCATE", "WAL"])
  test(`askDatabase is consistent while another thread writes (${mode})`, {
    timeout: 60_000,
  }, async () => {
    const path = join(folder, `busy-${mode}.db`);
    {
      using db = new DatabaseSync(path);
      db.exec(
        `PRAGMA journal_mode = ${mode}; PRAGMA synchronous = OFF; CREATE TABLE t (x INTEGER, filler BLOB)`,
      );
      for (let i = 0; i < 200; i++) db.exec("INSERT INTO t VALUES (0, zeroblob(3000))");
    }
    // Every commit gives all rows one number, on many pages: a torn read would see two.
    const writer = new Worker(
      `const { DatabaseSync } = require("node:sqlite");
       const db = new DatabaseSync(${JSON.stringify(path)});
       db.exec("PRAGMA synchronous = OFF");
       const write = () => { db.exec("UPDATE t SET x = x + 1"); setTimeout(write, 25 + Math.random() * 40); };
       write();`,
      { eval: true },
    );
    try {
      const seen = new Set<unknown>();
      // Until the writer, which starts when it can, has been at work for a while.
      const until = Date.now() + 30_000;
      for (let reads = 0; (reads < 30 || seen.size < 5) && Date.now() < until; reads++) {
        const rows = await rowsOf(path);
        assert.equal(rows.length, 200);
        assert.equal(new Set(rows).size, 1, "all rows are of one commit");
        seen.add(rows[0]);
      }
      assert.ok(seen.size >= 5, "the writer did write");
    } finally {
      await writer.terminate();
    }
  });

test("askDatabase reads a file whose time lies ahead, as after a clock was set back", async () => {
  const path = join(folder, "ahead.db");
  {
    using db = new DatabaseSync(path);
    db.exec("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  }
  const tomorrow = Date.now() / 1000 + 86_400;
  utimesSync(path, tomorrow, tomorrow);
  assert.deepEqual(await rowsOf(path), [1n]);
});

test("askDatabase names what it cannot read", async () => {
  assert.deepEqual(await askDatabase(join(folder, "none.db"), () => 1), { kind: "missing" });
  assert.equal((await askDatabase(folder, () => 1)).kind, "denied");
});

test("readDatabaseImage refuses a file larger than may be held, with and without what is pending beside it", () => {
  const path = join(folder, "large.db");
  for (const suffix of ["", "-wal"]) {
    writeFileSync(path + suffix, "");
    truncateSync(path + suffix, 2000);
    assert.throws(() => readDatabaseImage(path, 1000), RangeError);
  }
});

test("ForeignDatabase sees no columns in views, virtual tables and generated columns", () => {
  using db = new DatabaseSync(":memory:");
  db.exec("CREATE VIEW v AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n");
  db.exec("CREATE VIRTUAL TABLE f USING fts5(x); CREATE TABLE t (x, y AS (x + 1))");
  using reader = ForeignDatabase.inMemory(Buffer.from(db.serialize()));
  assert.deepEqual(
    [reader.columns("v"), reader.columns("f"), reader.columns("t")],
    [undefined, undefined, ["x"]],
  );
});

test("ForeignDatabase says that bytes are no database", () => {
  const coded = (error: unknown) => error instanceof DeputyError && error.code === "DATABASE_CORRUPT";
  for (const bytes of [Buffer.alloc(4096, 7), Buffer.from("SQLite format 3\0rest is missing")])
    assert.throws(() => ForeignDatabase.inMemory(bytes).all("SELECT * FROM sqlite_schema"), coded);
  assert.deepEqual(ForeignDatabase.inMemory(Buffer.alloc(0)).all("SELECT name FROM sqlite_schema"), []);
});
