/**
 * What remembering costs beside bare SQLite inserts of the very same rows, how long searches and lookups take among
 * 100,000 entities, and whether they hold up the thread that asks.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { bundledShapes, createGraph, type Entity, loadShapes } from "../src/graph/index.ts";
import { textOf } from "../src/graph/store/entity-text.ts";
import { prepareSchema } from "../src/graph/store/schema.ts";
import { Database } from "../src/platform/index.ts";

const ENTITIES = 100_000;
const LINKS_EACH = 3;
const BATCH = 1000;
const ROUND = 10_000;
const SOURCE = { agent: "owner", skill: "mail", operation: "list" } as const;
const folder = mkdtempSync(join(tmpdir(), "deputy-bench-graph-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "graph.db");
const book = loadShapes({ folders: [bundledShapes] });

let state = 42;
const random = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
/** Few words are in almost every text and most in a handful, as in any language. */
const word = () => `w${Math.floor(20_000 ** random())}`;
const words = (count: number) => Array.from({ length: count }, word).join(" ");

function batch(from: number): Entity[] {
  return Array.from({ length: BATCH }, (_, at) => ({
    shape: "email",
    value: {
      id: `m${from + at}`,
      name: words(6),
      from_email: `user${Math.floor(random() * 5000)}@example.com`,
      published: new Date(1.7e12 + (from + at) * 60_000).toISOString(),
      starred: random() < 0.1,
      text: words(12),
      content: words(60),
    },
    links: Array.from({ length: LINKS_EACH }, (_, nth) => ({
      label: ["replies_to", "mentions", "tag"][nth % 3]!,
      to: (at + 1 + Math.floor(random() * (BATCH - 1))) % BATCH,
    })),
  }));
}

/** Which of a table's columns grows with what is added. */
const TABLES = {
  words: "key",
  origins: "key",
  entities: "key",
  tags: "entity",
  entity_values: "entity",
  identities: "entity",
  links: "source",
  changes: "key",
} as const;

/** The rows that were added, and the same texts in the same index, by prepared statements and nothing else. */
class BareCopy {
  readonly #from = new DatabaseSync(path, { readOnly: true });
  readonly #to: DatabaseSync;
  readonly #last = new Map<string, number>();
  #texts = 0;

  constructor() {
    const target = join(folder, "bare.db");
    using prepared = new Database({ path: target });
    prepareSchema(prepared);
    this.#to = new DatabaseSync(target);
    this.#to.exec("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
  }

  /** The seconds it took to insert them. */
  take(entities: readonly Entity[]): number {
    let total = 0;
    for (const [table, column] of Object.entries(TABLES)) {
      const after = this.#last.get(table) ?? 0;
      const rows = this.#from.prepare(`SELECT * FROM ${table} WHERE ${column} > ?`).all(after);
      this.#last.set(table, Math.max(after, ...rows.map((row) => Number(row[column]))));
      total += this.#insert(table, rows);
    }
    const texts = entities.map(({ shape, value }) => ({
      rowid: ++this.#texts,
      ...textOf(book, shape, value),
    }));
    return total + this.#insert("entity_text", texts);
  }

  #insert(table: string, rows: readonly Record<string, any>[]): number {
    const names = Object.keys(rows[0] ?? {});
    if (names.length === 0) return 0;
    const marks = names.map(() => "?").join(", ");
    const statement = this.#to.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks})`);
    const lists = rows.map((row) => names.map((name) => row[name]));
    const step = Math.ceil(lists.length / (ROUND / BATCH));
    const started = performance.now();
    for (let at = 0; at < lists.length; at += step) {
      this.#to.exec("BEGIN IMMEDIATE");
      for (const list of lists.slice(at, at + step)) statement.run(...list);
      this.#to.exec("COMMIT");
    }
    return (performance.now() - started) / 1000;
  }

  close(): void {
    this.#to.close();
    this.#from.close();
  }
}

const seconds = async (work: () => unknown) => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};
const quantile = (times: number[], at: number) =>
  times.sort((a, b) => a - b)[Math.floor(times.length * at)] ?? 0;

const graph = createGraph({ path, shapes: () => book, clock: { now: () => Date.now() } });
await graph.counts({});
let ids: string[] = [];
const bare = new BareCopy();
const rounds: { ours: number; floor: number }[] = [];
// Turn by turn, so that both meet the same machine.
for (let from = 0; from < ENTITIES; from += ROUND) {
  let ours = 0;
  const texts: Entity[] = [];
  for (let at = from; at < from + ROUND; at += BATCH) {
    const entities = batch(at);
    texts.push(...entities);
    ours += await seconds(
      async () => (ids = [...ids, ...(await graph.remember({ entities, source: SOURCE })).ids]),
    );
  }
  rounds.push({ ours, floor: bare.take(texts) });
}
bare.close();
const sum = (which: "ours" | "floor") => rounds.reduce((total, round) => total + round[which], 0);
state = 42;
let again = 0;
for (let from = 0; from < ENTITIES / 10; from += BATCH) {
  const entities = batch(from);
  again += await seconds(() => graph.remember({ entities, source: SOURCE }));
}

const asked = await measureAnswers();
const one = await measureOne();
await graph[Symbol.asyncDispose]();

const ratio = quantile(
  rounds.map(({ ours, floor }) => floor / ours),
  0.5,
);
const rows = {
  "remember, entities a second": {
    ours: (ENTITIES / sum("ours")).toFixed(0),
    floor: (ENTITIES / sum("floor")).toFixed(0),
    ratio: ratio.toFixed(2),
    target: "≥ 0.33",
    met: ratio >= 1 / 3,
  },
  "the same again, entities a second": { ours: (ENTITIES / 10 / again).toFixed(0) },
  "remember one entity, p50 ms": { ours: one.ours.toFixed(2), floor: one.floor.toFixed(2) },
  ...asked,
};
console.table(rows);
const missed = Object.values(rows).some((row) => "met" in row && !row.met);
process.exitCode = missed ? 1 : 0;

async function measureAnswers() {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const time = async (count: number, work: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let at = 0; at < count; at++) times.push((await seconds(work)) * 1000);
    return times;
  };
  const row = (times: number[], target?: number) => ({
    ours: `${quantile(times, 0.5).toFixed(2)} / ${quantile(times, 0.99).toFixed(2)}`,
    ...(target === undefined ? {} : { target: `p50 < ${target}`, met: quantile(times, 0.5) < target }),
  });
  const rare = await time(200, () => graph.search({ query: `w${15_000 + Math.floor(random() * 4000)}` }));
  const common = await time(20, () => graph.search({ query: "w1" }));
  const both = await time(20, () => graph.search({ query: "w1 w2" }));
  const get = await time(500, () => graph.get({ id: ids[Math.floor(random() * ids.length)]! }));
  const where = [{ field: "starred", is: "eq", value: true }] as const;
  const listed = await time(20, () => graph.list({ shape: "message", where, sort: "-published", limit: 20 }));
  const newest = await time(50, () => graph.list({ shape: "email", limit: 20 }));
  delay.disable();
  const held = delay.percentile(99) / 1e6;
  return {
    "search a rare word, p50 / p99 ms": row(rare, 20),
    "search a common word, p50 / p99 ms": row(common, 200),
    "search two common words, p50 / p99 ms": row(both, 200),
    "get with links, p50 / p99 ms": row(get, 2),
    "list, filtered and sorted, p50 / p99 ms": row(listed),
    "list the newest, p50 / p99 ms": row(newest),
    "event loop held up meanwhile, p99 ms": { ours: held.toFixed(2), target: "< 20", met: held < 20 },
  };
}

/** As a run does it, beside one row committed with the same durability. */
async function measureOne() {
  const bare = new DatabaseSync(join(folder, "one.db"));
  bare.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE t (v)");
  const statement = bare.prepare("INSERT INTO t (v) VALUES (?)");
  const ours: number[] = [];
  const floor: number[] = [];
  for (let at = 0; at < 300; at++) {
    const entities = [{ shape: "task", value: { id: `t${at}`, name: words(5), done: false }, links: [] }];
    ours.push((await seconds(() => graph.remember({ entities, source: SOURCE }))) * 1000);
    floor.push((await seconds(() => statement.run(words(5)))) * 1000);
  }
  bare.close();
  return { ours: quantile(ours, 0.5), floor: quantile(floor, 0.5) };
}
