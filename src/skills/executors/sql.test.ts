import assert from "node:assert/strict";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { fails } from "../../../test/support/fails.ts";
import { noJail, TestSkill } from "../../../test/support/test-skill.ts";

const skip = noJail;
const FOREVER = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)";

const QUERIES: Record<string, object> = {
  all: { query: "SELECT id, name FROM item ORDER BY id" },
  named: {
    query: "SELECT :q AS q, typeof(:q) AS t, @b AS b, typeof(@b) AS bt, $l AS l FROM item LIMIT :n",
    params: { q: ".params.q", b: { base64: "AP8=" }, l: [1, "x"], n: 1 },
  },
  values: { query: "SELECT 9223372036854775807 big, 1.5 r, x'00ff' b, NULL n, 9e999 inf, 'ü' t, 2 i" },
  joined: {
    query: "SELECT item.name, price.eur FROM item JOIN o.price USING (id) ORDER BY id",
    attach: { o: "~/app/prices.db" },
  },
  several: { query: "SELECT 1; DELETE FROM item" },
  remark: { query: "SELECT ';' AS a -- ; not the end\n;" },
  attach: { query: "ATTACH '/etc/passwd' AS p" },
  vacuum: { query: "VACUUM INTO '/tmp/stolen.db'", write: true },
  schema: { query: "PRAGMA writable_schema = 1", write: true },
  journal: { query: "PRAGMA journal_mode = DELETE", write: true },
  extension: { query: "SELECT load_extension('/tmp/x.so')" },
  columns: { query: "PRAGMA table_info(item)" },
  insert: { query: "INSERT INTO item (id, name) VALUES (99, 'new')" },
  write: { query: "INSERT INTO item (id, name) VALUES (99, 'new')", write: true },
  returning: { query: "UPDATE item SET name = 'b' WHERE id = 2 RETURNING id, name", write: true },
  elsewhere: { query: "DELETE FROM o.price", attach: { o: "~/app/prices.db" }, write: true },
  endless: { query: `${FOREVER} SELECT count(*) FROM c` },
  greedy: { query: `${FOREVER} SELECT group_concat(zeroblob(1000000)) FROM c` },
  rows: { query: `${FOREVER} SELECT n FROM c` },
  wrong: { query: "SELECT nope FROM item" },
  unknown: { query: "SELECT 1", params: { extra: 1 } },
  link: { query: "SELECT * FROM item", database: "~/app/link.db" },
  own: { query: "SELECT * FROM item", database: "~/.deputy/vault.db" },
  linked: { query: "SELECT * FROM item", database: "~/app/vault-link.db" },
  missing: { query: "SELECT 1", database: "~/app/nope.db" },
  text: { query: "SELECT 1", database: "~/app/text.db" },
};

async function app(more: { timeout?: number } = {}) {
  const operations = Object.fromEntries(
    Object.entries(QUERIES).map(([name, sql]) => [name, { params: { q: "json" }, ...more, sql }]),
  );
  const skill = await TestSkill.load({ connections: { local: { sqlite: "~/app/data.db" } }, operations });
  const folder = join(skill.home, "app");
  mkdirSync(folder);
  const database = new DatabaseSync(join(folder, "data.db"));
  database.exec(
    "CREATE TABLE item (id INTEGER PRIMARY KEY, name); INSERT INTO item VALUES (1, 'a'), (2, 'bb')",
  );
  using prices = new DatabaseSync(join(folder, "prices.db"));
  prices.exec("CREATE TABLE price (id, eur); INSERT INTO price VALUES (1, 10), (2, 20)");
  copyFileSync(join(folder, "data.db"), join(skill.home, ".deputy/vault.db"));
  writeFileSync(join(folder, "text.db"), "words ".repeat(1000));
  symlinkSync("data.db", join(folder, "link.db"));
  symlinkSync("../.deputy/vault.db", join(folder, "vault-link.db"));
  skill.allow = (need) => need.kind === "read" || need.kind === "write";
  return {
    skill,
    folder,
    database,
    async [Symbol.asyncDispose]() {
      database.close();
      await skill[Symbol.asyncDispose]();
    },
  };
}

test("sql answers with rows, binds by name, and says in JSON what JSON cannot", { skip }, async () => {
  await using it = await app();
  const run = (name: string, q: unknown = null) => it.skill.run(name, { params: { q } });
  assert.deepEqual(await run("all"), [
    { id: 1, name: "a" },
    { id: 2, name: "bb" },
  ]);
  const named = { b: { base64: "AP8=" }, bt: "blob", l: '[1,"x"]' };
  assert.deepEqual(await run("named", 7), [{ q: 7, t: "integer", ...named }]);
  assert.deepEqual(await run("named", "x'; DROP TABLE item; --"), [
    { q: "x'; DROP TABLE item; --", t: "text", ...named },
  ]);
  assert.deepEqual(await run("named", true), [{ q: 1, t: "integer", ...named }]);
  assert.deepEqual(await run("values"), [
    { big: "9223372036854775807", r: 1.5, b: { base64: "AP8=" }, n: null, inf: null, t: "ü", i: 2 },
  ]);
  assert.deepEqual(await run("remark"), [{ a: ";" }]);
  assert.equal(((await run("columns")) as unknown[]).length, 2);
});

test("sql attaches the files that were declared and no others", { skip }, async () => {
  await using it = await app();
  assert.deepEqual(await it.skill.run("joined"), [
    { name: "a", eur: 10 },
    { name: "bb", eur: 20 },
  ]);
  await fails(it.skill.run("attach"), "DENIED", /shop attach: the query failed: ATTACH is not allowed/);
  await fails(it.skill.run("elsewhere"), "SKILL_FAILED", /readonly database/);
  assert.ok(
    it.skill.asked.some((need) => need.kind === "read" && need.path === join(it.folder, "prices.db")),
  );
});

test("sql refuses what changes more than rows, whoever allowed it to write", { skip }, async () => {
  await using it = await app();
  const before = readFileSync(join(it.folder, "data.db"));
  for (const name of ["vacuum", "schema", "journal", "extension", "insert", "several"])
    await fails(it.skill.run(name), "DENIED", /is not allowed in a query|one statement/);
  assert.deepEqual(readFileSync(join(it.folder, "data.db")), before);
});

test("sql writes only where the manifest says write and the owner allowed it", { skip }, async () => {
  await using it = await app();
  it.skill.allow = (need) => need.kind === "read";
  await fails(it.skill.run("write"), "DENIED", /nobody allowed it to write .*data\.db/);
  it.skill.allow = (need) => need.kind === "write";
  assert.deepEqual(await it.skill.run("write"), { changes: 1, last_row_id: 99 });
  assert.deepEqual(await it.skill.run("returning"), [{ id: 2, name: "b" }]);
  const rows = it.database.prepare("SELECT name FROM item ORDER BY id").all();
  assert.deepEqual(
    rows.map(({ name }) => name),
    ["a", "b", "new"],
  );
  await fails(it.skill.run("all"), "DENIED", /nobody allowed it to read .*data\.db/);
});

test("sql opens neither Deputy's own files nor what a link leads to unless that is allowed", {
  skip,
}, async () => {
  await using it = await app();
  await fails(it.skill.run("own"), "DENIED", /one of Deputy's own files/);
  await fails(it.skill.run("linked"), "DENIED", /one of Deputy's own files/);
  const link = join(it.folder, "link.db");
  it.skill.allow = (need) => need.kind === "read" && need.path === link;
  await fails(it.skill.run("link"), "DENIED", /nobody allowed it to read .*data\.db/);
  it.skill.allow = () => true;
  assert.equal(((await it.skill.run("link")) as unknown[]).length, 2);
});

test("sql's failures are told with the operation and SQLite's reason", { skip }, async () => {
  await using it = await app();
  await fails(it.skill.run("wrong"), "SKILL_FAILED", /shop wrong: the query failed: no such column: nope/);
  await fails(it.skill.run("unknown"), "SKILL_FAILED", /Unknown named parameter 'extra'/);
  await fails(it.skill.run("missing"), "NOT_FOUND", /nope\.db/);
  await fails(it.skill.run("text"), "DATABASE_CORRUPT", /not a database/);
  assert.match((await fails(it.skill.run("rows"), "TOO_LARGE", /more than 50000 rows/)).hint ?? "", /LIMIT/);
});

test("queries that never end are ended: by time, by memory, and by the caller", { skip }, async () => {
  await using it = await app({ timeout: 3 });
  await fails(it.skill.run("endless"), "TIMEOUT", /shop endless took longer than 3 s/);
  await fails(it.skill.run("endless", { signal: AbortSignal.timeout(500) }), "CANCELLED", /cancelled/);
  await using patient = await app({ timeout: 60 });
  await fails(patient.skill.run("greedy"), "TOO_LARGE", /more memory than it may/);
});

/** Adds pairs of rows for ever, each pair in a transaction of its own, so that an odd number was never true. */
const WRITER = `
const { DatabaseSync } = require("node:sqlite");
const { parentPort, workerData } = require("node:worker_threads");
const db = new DatabaseSync(workerData.path);
db.exec("PRAGMA journal_mode = " + workerData.mode + "; PRAGMA synchronous = OFF");
(function write() {
  db.exec("BEGIN; INSERT INTO item (name) VALUES ('x'); INSERT INTO item (name) VALUES ('y'); COMMIT");
  parentPort.postMessage("wrote");
  setTimeout(write, workerData.pause);
})();`;

for (const [mode, pause] of [
  ["WAL", 1],
  ["DELETE", 300],
] as const) {
  test(`sql sees whole transactions of a program that writes meanwhile (${mode})`, { skip }, async () => {
    await using it = await app();
    const workerData = { path: join(it.folder, "data.db"), mode, pause };
    it.database.close();
    const writer = new Worker(WRITER, { eval: true, workerData });
    try {
      await once(writer, "message");
      const counts: number[] = [];
      for (let n = 0; n < 5; n++) counts.push(((await it.skill.run("all")) as unknown[]).length);
      assert.ok(
        counts.every((count) => count % 2 === 0),
        counts.join(),
      );
      assert.ok((counts.at(-1) ?? 0) > (counts[0] ?? 0), counts.join());
    } finally {
      await writer.terminate();
      it.database.open();
    }
  });
}

test("sql reads a write-ahead log that a crashed program left, and leaves it as it is", {
  skip,
}, async () => {
  await using it = await app();
  it.database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; INSERT INTO item VALUES (3, 'in the log')",
  );
  const crashed = join(it.folder, "crashed");
  mkdirSync(crashed);
  for (const suffix of ["", "-wal"])
    copyFileSync(join(it.folder, `data.db${suffix}`), join(crashed, `data.db${suffix}`));
  it.database.close();
  for (const suffix of ["", "-wal"])
    copyFileSync(join(crashed, `data.db${suffix}`), join(it.folder, `data.db${suffix}`));
  assert.ok(!existsSync(join(it.folder, "data.db-shm")));
  const before = readdirSync(it.folder);
  assert.equal(((await it.skill.run("all")) as unknown[]).length, 3);
  assert.deepEqual(readdirSync(it.folder), before);
  it.database.open();
});
