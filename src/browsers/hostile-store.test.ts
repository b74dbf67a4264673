/** Databases made to mislead: each gives warnings or the cookies that are there, at once. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { cookie, NOW, settle } from "../../test/contracts/cookie-reader.ts";
import { writeChromiumProfile } from "../../test/support/chromium-profile.ts";
import { FIREFOX_SCHEMA, writeFirefoxProfile } from "../../test/support/firefox-profile.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { CHROMIUM_SCHEMA } from "../chromium/index.ts";
import { createBrowsers, type ReadResult } from "./index.ts";

const browsers = createBrowsers({ env: {}, clock: { now: () => NOW }, platform: "linux" });
const soon = { timeout: 60_000 };

const stores = [
  {
    family: "chromium",
    file: "Cookies",
    table: "cookies",
    host: "host_key",
    schema: CHROMIUM_SCHEMA,
    write: writeChromiumProfile,
  },
  {
    family: "firefox",
    file: "cookies.sqlite",
    table: "moz_cookies",
    host: "host",
    schema: FIREFOX_SCHEMA,
    write: writeFirefoxProfile,
  },
] as const;

for (const { family, file, table, host, schema, write } of stores) {
  const profileAt = (path: string) => ({
    browser: family,
    family,
    profile: "p",
    folder: "p",
    path,
    isDefault: true,
  });
  /** Makes a database by SQL, reads it in every way, and gives the codes of the warnings. */
  const readAfter = async (
    prepare: (db: DatabaseSync, path: string) => void,
    seeded = false,
  ): Promise<ReadResult[]> => {
    using folder = temporaryFolder("hostile");
    const path = join(folder.path, file);
    if (seeded) write(folder.path, [cookie({ name: "good" })]);
    {
      using db = new DatabaseSync(path);
      db.exec("PRAGMA synchronous = OFF");
      prepare(db, path);
    }
    settle(path);
    const reader = browsers.reader(profileAt(folder.path));
    const results: ReadResult[] = [];
    for (const query of [{}, { host: "www.example.com" }, { under: "example.com" }])
      results.push(await reader.read(query));
    await reader.summary();
    return results;
  };
  const columnsOf = (db: DatabaseSync) =>
    db
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name))
      .filter((name) => name !== "id");
  /** As many rows like the one there is. */
  const multiply = (db: DatabaseSync, count: number) => {
    const columns = columnsOf(db);
    const values = columns.map((name) => (name === "name" ? "'n' || i" : `${table}.${name}`));
    db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${count})
      INSERT INTO ${table} (${columns.join(",")}) SELECT ${values.join(",")} FROM n, ${table}`);
  };
  const codes = (results: ReadResult[]) =>
    new Set(results.flatMap(({ warnings }) => warnings.map(({ code }) => code)));

  test(`${family}: a database with other tables is foreign`, soon, async () => {
    assert.deepEqual(
      codes(await readAfter((db) => db.exec("CREATE TABLE other (x)"))),
      new Set(["STORE_FOREIGN"]),
    );
    const poor = await readAfter((db) => db.exec(`CREATE TABLE ${table} (name, value)`));
    assert.deepEqual(codes(poor), new Set(["STORE_FOREIGN"]));
  });

  test(`${family}: a view that counts for ever in place of the table is foreign`, soon, async () => {
    const results = await readAfter((db) =>
      db.exec(`CREATE VIEW ${table} AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
        SELECT x AS name, x AS value, x AS ${host}, '/' AS path, x AS expiry, x AS expires_utc, x AS creation_utc FROM n`),
    );
    assert.deepEqual(codes(results), new Set(["STORE_FOREIGN"]));
  });

  test(`${family}: a column that computes is not read`, soon, async () => {
    const slow = "length(hex(zeroblob(1000000)))";
    const results = await readAfter((db) => {
      db.exec(schema.replace(/name TEXT( NOT NULL)?,/, `name TEXT AS (${slow}),`));
      db.exec(`INSERT OR IGNORE INTO ${table} (${host}, path) VALUES ('www.example.com', '/')`);
    });
    assert.deepEqual(codes(results), new Set(["STORE_FOREIGN"]));
  });

  test(`${family}: rows of wrong types cost themselves, not the rest`, soon, async () => {
    const results = await readAfter((db) => {
      const wanted = columnsOf(db);
      for (const wrong of [
        "x'00ff'",
        "-9223372036854775808",
        "9223372036854775807",
        "1e300",
        "''",
        "'text'",
      ]) {
        const values = wanted.map((name) => (name === host ? "'www.example.com'" : wrong));
        db.exec(`INSERT OR IGNORE INTO ${table} (${wanted.join(",")}) VALUES (${values.join(",")})`);
      }
      db.exec(
        `INSERT OR IGNORE INTO ${table} (${wanted.join(",")}) VALUES (${wanted.map(() => "zeroblob(100000)").join(",")})`,
      );
    }, true);
    for (const { cookies } of results) assert.ok(cookies.some(({ name }) => name === "good"));
    assert.ok(codes(results).has("MALFORMED"));
    const [all] = results;
    for (const { created, updated, expires } of all?.cookies ?? [])
      for (const time of [created, updated, expires ?? 0]) assert.ok(Number.isFinite(time));
  });

  test(`${family}: a value of many megabytes is not read`, soon, async () => {
    const column = family === "chromium" ? "encrypted_value" : "value";
    const results = await readAfter(
      (db) => db.exec(`UPDATE ${table} SET ${column} = zeroblob(5000000)`),
      true,
    );
    assert.deepEqual(codes(results), new Set(["MALFORMED"]));
  });

  test(`${family}: more rows than any browser keeps are cut off, and said so`, soon, async () => {
    const results = await readAfter((db) => multiply(db, 21_000), true);
    assert.ok(codes(results).has("STORE_TRUNCATED"));
    assert.ok((results[0]?.cookies.length ?? 0) >= 19_000);
  });

  test(`${family}: a tree that folds back on itself, with endless rows, is cut off`, soon, async () => {
    const results = await readAfter((db, path) => {
      multiply(db, 1000);
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      const root = Number(
        db.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = '${table}'`).get()?.["rootpage"],
      );
      db.close();
      foldTree(path, root);
      db.open();
    }, true);
    assert.ok(codes(results).has("STORE_TRUNCATED"), [...codes(results)].join());
  });

  test(`${family}: a store another process holds exclusively is read all the same`, soon, async () => {
    using folder = temporaryFolder("locked");
    const path = write(folder.path, [cookie({ name: "good" })]);
    using holder = new DatabaseSync(path);
    holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    settle(path);
    const { cookies, warnings } = await browsers.read(profileAt(folder.path));
    assert.deepEqual([cookies.length, warnings], [1, []]);
  });

  test(
    `${family}: a pipe or an endless file in place of the store is named, not waited for`,
    soon,
    async (t) => {
      if (process.platform === "win32") return t.skip("Windows has no such files");
      using folder = temporaryFolder("pipe");
      const path = join(folder.path, file);
      const read = async () => (await browsers.read(profileAt(folder.path))).warnings.map(({ code }) => code);
      execFileSync("mkfifo", [path]);
      assert.deepEqual(await read(), ["STORE_DENIED"]);
      rmSync(path);
      writeFileSync(path, "");
      truncateSync(path, 2 ** 40); // Sparse: no room taken.
      assert.deepEqual(await read(), ["STORE_TOO_LARGE"]);
    },
  );
}

/**
 * Makes a chain of interior pages out of leaves, each cell of each leading to the next page: a small file with more
 * rows than could ever be counted, and no cycle SQLite would notice.
 */
function foldTree(path: string, root: number): void {
  const bytes = readFileSync(path);
  const pageSize = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16);
  const page = (number: number) => bytes.subarray((number - 1) * pageSize, number * pageSize);
  const interior = Buffer.from(page(root));
  assert.ok(root > 1 && interior[0] === 5, "the root is an interior page");
  const cells = Array.from({ length: interior.readUInt16BE(3) }, (_, i) => interior.readUInt16BE(12 + i * 2));
  const leaves = [...cells.map((cell) => interior.readUInt32BE(cell)), interior.readUInt32BE(8)].slice(0, 18);
  assert.ok(leaves.length >= 8 && cells.length >= 8);
  [root, ...leaves.slice(0, -1)].forEach((number, level) => {
    interior.copy(page(number));
    for (const at of [8, ...cells]) page(number).writeUInt32BE(leaves[level] ?? 0, at);
  });
  writeFileSync(path, bytes);
}
