import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { DeputyError } from "../kernel/index.ts";

export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

export interface OpenDatabase {
  readonly path: string;
  /** The file must exist and is never changed. Default false. */
  readonly readOnly?: boolean;
  /** Integers come back as BigInt: for columns beyond 2^53. Default false. */
  readonly bigints?: boolean;
  /** FULL survives a power cut after every commit. Default FULL. */
  readonly synchronous?: "FULL" | "NORMAL";
}

/** How long a process waits for others before it gives up: many writers on a slow disk take their turns. */
const PATIENCE_MS = 60_000;
const BUSY_TIMEOUT_MS = 2_000;

// Primary result codes, https://www.sqlite.org/rescode.html
const SQLITE = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
};

/** One SQLite file: statements cached by their text, WAL, waiting for other processes, coded errors. */
export class Database implements Disposable {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #bigints: boolean;
  readonly #statements = new Map<string, StatementSync>();
  #inTransaction = false;

  constructor(options: OpenDatabase) {
    this.path = options.path;
    this.#bigints = options.bigints ?? false;
    const readOnly = options.readOnly ?? false;
    // SQLite gives -wal and -shm the mode of the main file, so creating that file privately is enough.
    if (!readOnly && !existsSync(options.path))
      this.#guard(() => closeSync(openSync(options.path, "a", 0o600)));
    this.#db = this.#guard(() => new DatabaseSync(options.path, { readOnly, timeout: BUSY_TIMEOUT_MS }));
    try {
      if (!readOnly) {
        this.#patiently(() => this.#db.exec("PRAGMA journal_mode = WAL"));
        this.exec(`PRAGMA synchronous = ${options.synchronous ?? "FULL"}`);
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
    const rows = this.#patiently(() => this.#db.prepare(sql).iterate(...params));
    for (;;) {
      const next = this.#guard(() => rows.next());
      if (next.done) return;
      yield next.value;
    }
  }

  /** The number of rows changed. */
  run(sql: string, ...params: SqlValue[]): number {
    return Number(this.#patiently(() => this.#statement(sql).run(...params)).changes);
  }

  /**
   * All of `work` or nothing of it. The write lock is taken first (IMMEDIATE), so that what `work` reads is
   * still true when it writes. `work` must be synchronous.
   */
  transaction<T>(work: () => T): T {
    if (this.#inTransaction) throw new TypeError("Transactions do not nest");
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

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      if (this.#bigints) statement.setReadBigInts(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** SQLite's own waiting is not fair: under many writers a turn may not come within its timeout. */
  #patiently<T>(work: () => T): T {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        return work();
      } catch (error) {
        const code = primaryCode(error);
        const busy = code === SQLITE.BUSY || code === SQLITE.LOCKED;
        if (!busy || this.#inTransaction || Date.now() > until) throw asDeputyError(error, this.path);
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

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number")
    return undefined;
  return error.errcode & 0xff;
}

function asDeputyError(error: unknown, path: string): unknown {
  if (error instanceof Error && "code" in error) {
    if (error.code === "ENOSPC") return diskFull(path, error);
    // node:sqlite refuses integers beyond 2^53 unless asked for BigInts; we never write such ones.
    if (error.code === "ERR_OUT_OF_RANGE") return corrupt(path, error);
    if (error.code === "EACCES" || error.code === "EROFS" || error.code === "EPERM")
      return readOnly(path, error);
  }
  switch (primaryCode(error)) {
    case SQLITE.BUSY:
    case SQLITE.LOCKED:
      return new DeputyError(
        "DATABASE_BUSY",
        `Cannot use ${path}: another process has held it for a minute`,
        {
          hint: "See which program has the file open, then try again.",
          cause: error,
        },
      );
    case SQLITE.READONLY:
      return readOnly(path, error);
    case SQLITE.FULL:
      return diskFull(path, error);
    case SQLITE.IOERR:
      return new DeputyError("DISK_FULL", `Cannot read or write ${path}: the disk reported an error`, {
        hint: "Check that the disk has room and is healthy; what was saved before is still there.",
        cause: error,
      });
    case SQLITE.CORRUPT:
    case SQLITE.NOTADB:
      return new DeputyError(
        "DATABASE_CORRUPT",
        `Cannot use ${path}: the file is damaged or not a database`,
        {
          hint: "Keep a copy of the file, then put back a backup (deputy vault import reads an export).",
          cause: error,
        },
      );
    case SQLITE.CANTOPEN:
      return new DeputyError("HOME_UNUSABLE", `Cannot open ${path}`, {
        hint: "Check that the folder exists and belongs to you.",
        cause: error,
      });
    default:
      return error;
  }
}

function corrupt(path: string, cause: unknown): DeputyError {
  return new DeputyError("DATABASE_CORRUPT", `Cannot use ${path}: the file is damaged or not a database`, {
    hint: "Keep a copy of the file, then put back a backup (deputy vault import reads an export).",
    cause,
  });
}

function readOnly(path: string, cause: unknown): DeputyError {
  return new DeputyError("READ_ONLY", `Cannot write ${path}: it is read-only for this user`, {
    hint: "Check who owns the folder and how it is mounted. Nothing was changed.",
    cause,
  });
}

function diskFull(path: string, cause: unknown): DeputyError {
  return new DeputyError("DISK_FULL", `Cannot write ${path}: the disk is full`, {
    hint: "Free some space and try again. What was saved before is still there.",
    cause,
  });
}
