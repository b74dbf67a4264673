import { existsSync, renameSync, statSync } from "node:fs";
import type { Caller, ErrorCode } from "../../kernel/index.ts";
import { Database, type SqlRow, type SqlValue } from "../../platform/index.ts";
import type { LinkedRow, LogFilter, LogRow, Outcome } from "./log-row.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    agent TEXT NOT NULL,
    kind TEXT NOT NULL,
    instance TEXT NOT NULL,
    via TEXT NOT NULL,
    subject TEXT NOT NULL,
    operation TEXT NOT NULL,
    domain TEXT,
    account TEXT,
    hosts TEXT NOT NULL,
    methods TEXT NOT NULL,
    status INTEGER,
    bytes INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    code TEXT,
    hash BLOB NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS agents (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT,
    via TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    instances INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS synced (only INTEGER PRIMARY KEY CHECK (only = 1), count INTEGER NOT NULL) STRICT;
  INSERT OR IGNORE INTO synced VALUES (1, 0);`;

/** In the order they are hashed. */
const HASHED = [
  ..."id at agent kind instance via subject operation domain account".split(" "),
  ..."hosts methods status bytes duration_us outcome code".split(" "),
];
const COLUMNS = [...HASHED, "hash"].join(", ");
const INSERT = `INSERT INTO entries (${COLUMNS}) VALUES (${[...HASHED, "hash"].fill("?").join(", ")})`;

/** The file the log is in. What it says is believed only as far as the chain proves it. */
export class LogStore implements Disposable {
  readonly db: Database;
  readonly #file: string | undefined;

  constructor(path: string) {
    this.db = new Database({ path });
    try {
      this.db.exec(SCHEMA);
    } catch (error) {
      this.db.close();
      throw error;
    }
    this.#file = fileId(path);
  }

  /** Another reader of the file: one that has remembered nothing of it. */
  static reader(path: string): Database {
    return new Database({ path, readOnly: true });
  }

  /** False when the file was taken away, or another put in its place. */
  get isInPlace(): boolean {
    return fileId(this.db.path) === this.#file;
  }

  insert(columns: readonly SqlValue[], hash: Buffer): void {
    this.db.run(INSERT, ...columns, hash);
  }

  get lastId(): number {
    return Number(this.db.get("SELECT max(id) AS id FROM entries")?.["id"] ?? 0);
  }

  hashOf(id: number): Buffer | undefined {
    const row = this.db.get("SELECT hash FROM entries WHERE id = ?", id);
    return row && bytesOf(row["hash"]);
  }

  deleteThrough(id: number): void {
    this.db.transaction(() => this.db.run("DELETE FROM entries WHERE id <= ?", id));
  }

  /** What was written without waiting for the disk is there when this returns. */
  makeDurable(): void {
    this.db.transaction(() => this.db.run("UPDATE synced SET count = count + 1"));
  }

  /** The newest that match, oldest first. */
  latest(limit: number, { agent, subject }: LogFilter): LinkedRow[] {
    const sql = `SELECT ${COLUMNS} FROM entries WHERE agent = ifnull(?, agent) AND subject = ifnull(?, subject)
      ORDER BY id DESC LIMIT ?`;
    return this.db
      .all(sql, agent ?? null, subject ?? null, limit)
      .map(asRow)
      .toReversed();
  }

  [Symbol.dispose](): void {
    this.db.close();
  }
}

/** A row as it lies in the file. */
interface RawRow {
  readonly id: number;
  readonly columns: readonly SqlValue[];
  readonly hash: Buffer;
}

/** The next rows after an id, in order. */
export function rowsAfter(db: Database, id: number, limit: number): RawRow[] {
  return db.all(`SELECT ${COLUMNS} FROM entries WHERE id > ? ORDER BY id LIMIT ?`, id, limit).map((row) => ({
    id: Number(row["id"]),
    columns: HASHED.map((name) => row[name] ?? null),
    hash: bytesOf(row["hash"]),
  }));
}

/** What is hashed and stored of a row. */
export function columnsOf(row: LogRow): SqlValue[] {
  const { id, at, agent, kind, instance, via, subject, operation, domain, account } = row;
  const { status, bytes, durationUs, outcome, code } = row;
  const [hosts, methods] = [JSON.stringify(row.hosts), JSON.stringify(row.methods)];
  const who = [id, at, agent, kind, instance, via, subject, operation, domain, account];
  return [...who, hosts, methods, status, bytes, durationUs, outcome, code];
}

/** Out of the way, for its owner to look at. */
export function moveAside(path: string, now: number): string {
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const named = (more: string) => path.replace(/(\.db)?$/, `-${stamp}${more}.db`);
  let aside = named("");
  for (let nth = 2; existsSync(aside); nth++) aside = named(`-${nth}`);
  for (const suffix of ["", "-wal", "-shm"]) {
    if (statSync(path + suffix, { throwIfNoEntry: false })) renameSync(path + suffix, aside + suffix);
  }
  return aside;
}

function asRow(row: SqlRow): LinkedRow {
  return {
    id: Number(row["id"]),
    at: Number(row["at"]),
    agent: String(row["agent"]),
    kind: String(row["kind"]) as Caller["kind"],
    instance: String(row["instance"]),
    via: String(row["via"]) as Caller["via"],
    subject: String(row["subject"]),
    operation: String(row["operation"]),
    domain: textOrNull(row["domain"]),
    account: textOrNull(row["account"]),
    hosts: listOf(row["hosts"]),
    methods: listOf(row["methods"]),
    status: row["status"] == null ? null : Number(row["status"]),
    bytes: Number(row["bytes"]),
    durationUs: Number(row["duration_us"]),
    outcome: String(row["outcome"]) as Outcome,
    code: textOrNull(row["code"]) as ErrorCode | null,
    hash: bytesOf(row["hash"]),
  };
}

function bytesOf(value: SqlRow[string] | undefined): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.alloc(0);
}

function textOrNull(value: SqlRow[string] | undefined): string | null {
  return value == null ? null : String(value);
}

/** Somebody may have written what is no list: it then proves itself as little as any other change. */
function listOf(value: SqlRow[string] | undefined): string[] {
  try {
    const list: unknown = JSON.parse(String(value));
    return Array.isArray(list) ? list.map(String) : [];
  } catch {
    return [];
  }
}

function fileId(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}
