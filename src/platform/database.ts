import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { DeputyError, systemCode } from "../kernel/index.ts";
import { fileError } from "./file-error.ts";
import { diskError, isBusy, primaryCode, SQLITE } from "./sqlite-error.ts";

export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

interface OpenDatabase {
  readonly path: string;
  /** The file must exist and is never changed. Default false. */
  readonly readOnly?: boolean;
  /** Integers come back as BigInt: for columns beyond 2^53. Default false. */
  readonly bigints?: boolean;
  /** How long to wait for other processes before giving up. Default: a minute. */
  readonly patienceMs?: number;
  /** FULL survives a power cut after every commit. Default FULL. */
  readonly synchronous?: "FULL" | "NORMAL";
}

/** How long a process waits for others before it gives up: many writers on a slow disk take their turns. */
const PATIENCE_MS = 60_000;
/** SQLite's own waiting sleeps ever longer, up to 100 ms, and many writers then starve one: we ask more often. */
const BUSY_TIMEOUT_MS = 5;
const LOG_PATIENCE_MS = 2_000;

/** One SQLite file: statements cached by their text, WAL, waiting for other processes, coded errors. */
export class Database implements Disposable {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #bigints: boolean;
  readonly #statements = new Map<string, StatementSync>();
  readonly #patienceMs: number;
  readonly #synchronous: "FULL" | "NORMAL";
  #durable = true;
  #inTransaction = false;

  constructor(options: OpenDatabase) {
    this.path = options.path;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
    this.#bigints = options.bigints ?? false;
    this.#synchronous = options.synchronous ?? "FULL";
    const readOnly = options.readOnly ?? false;
    // SQLite gives -wal and -shm the mode of the main file, so creating that file privately is enough.
    if (statSync(options.path, { throwIfNoEntry: false })?.isDirectory()) {
      throw new DeputyError("HOME_UNUSABLE", `Cannot use ${options.path}: it is a folder`, {
        hint: "A file of Deputy's belongs there. Move the folder away.",
      });
    }
    if (!readOnly && !existsSync(options.path))
      this.#guard(() => closeSync(openSync(options.path, "a", 0o600)));
    this.#db = this.#guard(() => new DatabaseSync(options.path, { readOnly, timeout: BUSY_TIMEOUT_MS }));
    try {
      this.#requireDatabase();
      if (!readOnly) {
        this.#patiently(() => this.#db.exec("PRAGMA journal_mode = WAL"));
        this.exec(`PRAGMA synchronous = ${this.#synchronous}`);
        this.exec("PRAGMA secure_delete = ON");
      }
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  exec(sql: string): void {
    this.#patiently(() => this.#db.exec(sql));
  }

  get(sql: string, ...params: SqlValue[]): SqlRow | undefined {
    return this.#patiently(() => this.#statement(sql).get(...params));
  }

  all(sql: string, ...params: SqlValue[]): SqlRow[] {
    return this.#patiently(() => this.#statement(sql).all(...params));
  }

  /** Rows one at a time, for tables that need not fit in memory. */
  *iterate(sql: string, ...params: SqlValue[]): Generator<SqlRow> {
    const statement = this.#patiently(() => this.#db.prepare(sql));
    if (this.#bigints) statement.setReadBigInts(true);
    const rows = this.#guard(() => statement.iterate(...params));
    let row = this.#patiently(() => rows.next());
    try {
      for (; !row.done; row = this.#guard(() => rows.next())) yield row.value;
    } finally {
      // A reader that stops early would otherwise keep its view of the file, and the log from being emptied.
      if (!row.done) rows.return?.();
    }
  }

  /** The number of rows changed. */
  run(sql: string, ...params: SqlValue[]): number {
    if (!this.#durable && !this.#inTransaction) return this.transaction(() => this.run(sql, ...params));
    return Number(this.#patiently(() => this.#statement(sql).run(...params)).changes);
  }

  /**
   * All of `work` or nothing of it. The write lock is taken first (IMMEDIATE), so that what `work` reads is
   * still true when it writes. `work` must be synchronous. `durable: false` outlives the process but not a power cut,
   * until the next durable one: it costs no wait for the disk.
   */
  transaction<T>(work: () => T, { durable = true }: { durable?: boolean } = {}): T {
    if (this.#inTransaction) throw new TypeError("Transactions do not nest");
    if (durable !== this.#durable) {
      this.#guard(() => this.#db.exec(`PRAGMA synchronous = ${durable ? this.#synchronous : "NORMAL"}`));
      this.#durable = durable;
    }
    this.#patiently(() => this.#db.exec("BEGIN IMMEDIATE"));
    this.#inTransaction = true;
    try {
      const result = work();
      this.#guard(() => this.#db.exec("COMMIT"));
      return result;
    } catch (error) {
      // After some failures (a full disk) SQLite has already rolled back: then this throws, and rightly so.
      try {
        this.#db.exec("ROLLBACK");
      } catch {}
      throw error;
    } finally {
      this.#inTransaction = false;
    }
  }

  /** Moves the log into the file and cuts it to nothing. False when readers elsewhere keep it from going. */
  emptyLog(): boolean {
    const until = Date.now() + LOG_PATIENCE_MS;
    for (;;) {
      if (this.get("PRAGMA wal_checkpoint(TRUNCATE)")?.["busy"] === 0) return true;
      if (Date.now() > until) return false;
      pause(10);
    }
  }

  /** Throws DATABASE_CORRUPT unless tables and indexes agree, as far as SQLite can tell. */
  checkIntegrity(): void {
    const found = this.get("PRAGMA integrity_check(1)")?.["integrity_check"];
    if (found !== "ok") throw corrupt(this.path, new Error(String(found)));
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** A damaged first page gives errors of all kinds; this statement can have no other reason to fail with ERROR. */
  #requireDatabase(): void {
    this.#patiently(() => {
      try {
        this.#db.exec("SELECT 1 FROM sqlite_schema");
      } catch (error) {
        throw primaryCode(error) === SQLITE.ERROR ? corrupt(this.path, error) : error;
      }
    });
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      // A write answers with the last rowid of the connection, which a text index sets beyond 2^53.
      if (this.#bigints || statement.columns().length === 0) statement.setReadBigInts(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #patiently<T>(work: () => T): T {
    const until = Date.now() + this.#patienceMs;
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || this.#inTransaction || Date.now() > until)
          throw asDeputyError(error, this.path);
        pause(Math.random() * 5);
      }
    }
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asDeputyError(error, this.path);
    }
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function asDeputyError(error: unknown, path: string): unknown {
  // node:sqlite refuses integers beyond 2^53 unless asked for BigInts; we never write such ones.
  if (systemCode(error) === "ERR_OUT_OF_RANGE") return corrupt(path, error);
  if (isBusy(error))
    return new DeputyError("DATABASE_BUSY", `Cannot use ${path}: another process holds it`, {
      hint: "See which program has the file open, then try again.",
      cause: error,
    });
  switch (primaryCode(error)) {
    case SQLITE.CORRUPT:
    case SQLITE.NOTADB:
      return corrupt(path, error);
    case SQLITE.CANTOPEN:
      return (
        diskError(error, path) ??
        new DeputyError("HOME_UNUSABLE", `Cannot open ${path}`, {
          hint: "Check that the folder exists and belongs to you.",
          cause: error,
        })
      );
    default:
      return diskError(error, path) ?? fileError(error, path);
  }
}

function corrupt(path: string, cause: unknown): DeputyError {
  return new DeputyError("DATABASE_CORRUPT", `Cannot use ${path}: the file is damaged or not a database`, {
    hint: "Put back a backup of it. Without one: deputy engine stop, move the file away, deputy setup, and import an export.",
    cause,
  });
}
