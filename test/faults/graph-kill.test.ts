import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { book, TestGraph } from "../support/test-graph.ts";
import { ChildScript } from "../support/child-script.ts";
import { allottedMs, did, longForm, Rounds, seed, seededRandom } from "../support/fault-form.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openGraphStore } from "../../src/graph/store/graph-store.ts";

/** The last import is of all of them, after the kills: in a smaller share of time, fewer. */
const FITTING = allottedMs === 0 ? 100_000 : Math.min(2_000 * Math.ceil(allottedMs / 30_000), 100_000);
const TASKS = longForm ? Math.max(FITTING, 4_000) : 4_000;

/** Half of them another graph's export, half what somebody wrote: both ways in are broken off. */
async function writeFile(path: string): Promise<void> {
  using other = new TestGraph();
  const record = (n: number) => ({
    id: `${n}`,
    name: `Task ${n}`,
    project: { project: { id: `p${n % 50}`, name: "P" } },
  });
  for (let from = 0; from < TASKS / 2; from += 1000)
    other.remember(
      "todo",
      "task[]",
      Array.from({ length: 1000 }, (_, at) => record(from + at)),
    );
  await other.later("exportTo", { path });
  const own = Array.from({ length: TASKS / 2 }, (_, at) =>
    JSON.stringify({ shape: "task", values: record(TASKS + at) }),
  );
  writeFileSync(path, `${own.join("\n")}\n`, { flag: "a" });
}

test("An import killed again and again and begun again loses nothing and doubles nothing", async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = seededRandom(seed);
  using folder = temporaryFolder("graph-kill");
  const path = join(folder.path, "graph.db");
  const file = join(folder.path, "tasks.jsonl");
  await writeFile(file);
  const noted: string[] = [];
  const collect = (lines: readonly string[]) => {
    for (const line of lines) if (line.startsWith("noted ")) noted.push(line.slice(6));
  };
  const kills = new Rounds({ short: 2, long: 60 });
  let during = 0;
  for (const kill of kills) {
    const child = new ChildScript("graph-importer.ts", [path, file, `k${kill}`]);
    await child.said(1 + Math.floor(random() * 6));
    await setTimeout(random() * 30);
    const { lines } = await child.kill();
    collect(lines);
    if (lines.length > 0 && !lines.some((line) => line.startsWith("imported"))) during += 1;
  }
  const last = await new ChildScript("graph-importer.ts", [path, file, "last"]).ended;
  assert.equal(last.status, 0, last.stderr);
  collect(last.lines);

  using store = openGraphStore({ path, book, now: Date.now() });
  const counts = store.counts({}, { at: 0, pause: async () => {} }) as Record<string, number>;
  assert.equal(counts["task"], TASKS);
  assert.equal(counts["project"], 100, "those of either half are one skill's each");
  using db = new DatabaseSync(path);
  const number = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0]);
  const notes = db
    .prepare("SELECT v.value FROM entity_values v JOIN words w ON w.key = v.field WHERE w.word = 'id'")
    .all();
  const ids = new Set(notes.map((row) => row["value"]));
  for (const id of noted) assert.ok(ids.has(id), `${id} was acknowledged and is gone`);
  assert.equal(
    number(
      "SELECT count(*) FROM entities e WHERE NOT EXISTS (SELECT 1 FROM changes c WHERE c.target = e.key AND c.n = 1) AND e.changes > 0",
    ),
    0,
    "everything has its beginning",
  );
  assert.equal(
    number("SELECT count(*) FROM links l JOIN words w ON w.key = l.label WHERE w.word = 'project'"),
    TASKS,
  );
  assert.equal(number("SELECT count(*) FROM meta WHERE key LIKE 'import:%'"), 0);
  assert.equal(db.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
  db.exec("INSERT INTO entity_text (entity_text) VALUES ('integrity-check')");
  assert.equal(number("SELECT count(*) FROM entity_text WHERE entity_text MATCH 'task'"), TASKS);
  did(
    t,
    { kills: kills.count, "during the import": during, records: TASKS, "notes acknowledged": noted.length },
    { lost: 0, doubled: 0 },
  );
});
