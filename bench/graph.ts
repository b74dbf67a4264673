/**
 * What remembering costs beside bare SQLite inserts of the very same rows, how long searches and lookups take among
 * 100,000 entities with 300,000 links, and whether they hold up the thread that asks. Targets: remembering takes at most
 * three times as long as bare inserts; at the median a search answers in 20 ms for a rare word and 200 ms for common
 * ones, and an entity with its links in 2 ms; the thread that asks is not held up by 20 ms.
 */
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { bundledShapes, createGraph, type Entity, loadShapes } from "../src/graph/index.ts";
import { textOf } from "../src/graph/store/entity-text.ts";
import { prepareSchema } from "../src/graph/store/schema.ts";
import { Database } from "../src/platform/index.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { inTurns, timed } from "./support/in-turns.ts";
import { report } from "./support/report.ts";

const ENTITIES = 100_000;
const LINKS_EACH = 3;
const BATCH = 1000;
const ROUND = 10_000;
const SOURCE = { agent: "owner", skill: "mail", operation: "list" } as const;
using folder = temporaryFolder("bench");
const path = join(folder.path, "graph.db");
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
class BareCopy implements Disposable {
  readonly #from = new DatabaseSync(path, { readOnly: true });
  readonly #to: DatabaseSync;
  readonly #last = new Map<string, number>();
  #texts = 0;

  constructor() {
    const target = join(folder.path, "bare.db");
    using prepared = new Database({ path: target });
    prepareSchema(prepared);
    this.#to = new DatabaseSync(target);
    this.#to.exec("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
  }

  /** The milliseconds it took to insert them. */
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
    return performance.now() - started;
  }

  [Symbol.dispose](): void {
    this.#to.close();
    this.#from.close();
  }
}

await using graph = createGraph({ path, shapes: () => book, clock: { now: () => Date.now() } });
await graph.counts({});
const ids: string[] = [];
const remember = (entities: Entity[]) =>
  timed(async () => void ids.push(...(await graph.remember({ entities, source: SOURCE })).ids));
const times = { new: [] as number[], bare: [] as number[], again: [] as number[] };
{
  using bare = new BareCopy();
  // Turn by turn, so that both meet the same machine.
  for (let from = 0; from < ENTITIES; from += ROUND) {
    let ours = 0;
    const all: Entity[] = [];
    for (let at = from; at < from + ROUND; at += BATCH) {
      const entities = batch(at);
      all.push(...entities);
      ours += await remember(entities);
    }
    times.new.push(ours);
    times.bare.push(bare.take(all));
  }
}
const beside = { what: "bare inserts of the same rows", samples: times.bare };
const threeTimes = { kind: "ratio at most", value: 3 } as const;
report({ what: "remember 10,000 entities", unit: "ms", ours: times.new, beside, target: threeTimes });

state = 42;
for (let from = 0; from < ROUND; from += BATCH) times.again.push(await remember(batch(from)));
report({ what: "remember 1,000 known entities", unit: "ms", ours: times.again });
await measureOne();
await measureAnswers();

/** As a run does it, beside one row committed with the same durability. */
async function measureOne(): Promise<void> {
  using bare = new DatabaseSync(join(folder.path, "one.db"));
  bare.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE t (v)");
  const statement = bare.prepare("INSERT INTO t (v) VALUES (?)");
  let count = 0;
  const task = () => ({
    shape: "task",
    value: { id: `t${count++}`, name: words(5), done: false },
    links: [],
  });
  const one = await inTurns(
    {
      ours: () => graph.remember({ entities: [task()], source: SOURCE }),
      bare: () => void statement.run(words(5)),
    },
    { rounds: 300 },
  );
  const beside = { what: "a bare insert", samples: one.bare };
  report({ what: "remember one entity", unit: "ms", ours: one.ours, beside });
}

async function measureAnswers(): Promise<void> {
  using delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const ask = async (what: string, rounds: number, ask: () => Promise<unknown>, target?: number) => {
    const { ours } = await inTurns({ ours: async () => void (await ask()) }, { rounds, seconds: 3 });
    const limit = target !== undefined && ({ target: { kind: "at most", value: target } } as const);
    report({ what, unit: "ms", ours, ...limit });
  };
  const rare = () => `w${15_000 + Math.floor(random() * 4000)}`;
  const where = [{ field: "starred", is: "eq", value: true }] as const;
  await ask("search a rare word", 200, () => graph.search({ query: rare() }), 20);
  await ask("search a common word", 20, () => graph.search({ query: "w1" }), 200);
  await ask("search two common words", 20, () => graph.search({ query: "w1 w2" }), 200);
  await ask("get with links", 500, () => graph.get({ id: ids[Math.floor(random() * ids.length)]! }), 2);
  const starred = { shape: "message", where, sort: "-published", limit: 20 } as const;
  await ask("list, filtered and sorted", 10, () => graph.list(starred));
  await ask("list the newest", 50, () => graph.list({ shape: "email", limit: 20 }));
  delay.disable();
  report({
    what: "event loop held up meanwhile, p99",
    unit: "ms",
    ours: delay.percentile(99) / 1e6,
    target: { kind: "at most", value: 20 },
  });
}
