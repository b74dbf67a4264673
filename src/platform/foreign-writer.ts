import { DatabaseSync, type StatementSync } from "node:sqlite";
import { DeputyError } from "../kernel/index.ts";
import type { SqlValue } from "./database.ts";
import { columnsOf, FOREIGN, type ForeignRow } from "./foreign-database.ts";
import { diskError, isBusy, primaryCode } from "./sqlite-error.ts";

/**
 * A database whose form another program decides: its journal mode, its schema and its other rows stay as they are.
 * Integers are BigInt, rows are arrays.
 */
export class ForeignWriter implements Disposable {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(path: string) {
    this.#path = path;
    this.#db = guard(path, () => new DatabaseSync(path, { ...FOREIGN, timeout: 0 }));
    // What is replaced must not stay readable in pages nobody uses any more.
    this.exec("PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON");
  }

  /** A file that must exist. Others may have it open: see `exclusively`. */
  static inPlace(path: string): ForeignWriter {
    return new ForeignWriter(path);
  }

  /** A file nobody else knows of yet: no journal and no syncing, since it is thrown away if anything fails. */
  static scratch(path: string): ForeignWriter {
    const writer = new ForeignWriter(path);
    writer.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE");
    return writer;
  }

  exec(sql: string): void {
    guard(this.#path, () => this.#db.exec(sql));
  }

  all(sql: string, ...params: SqlValue[]): ForeignRow[] {
    return guard(this.#path, () => this.#statement(sql).all(...params) as unknown as ForeignRow[]);
  }

  /** The number of rows changed. */
  run(sql: string, ...params: SqlValue[]): number {
    return guard(this.#path, () => Number(this.#statement(sql).run(...params).changes));
  }

  columns(table: string): string[] | undefined {
    return columnsOf(this, table);
  }

  /** All of `work` or nothing of it, while no other process reads or writes. DATABASE_BUSY where one does. */
  exclusively<T>(work: () => T): T {
    this.exec("BEGIN EXCLUSIVE");
    try {
      const result = work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        this.#db.exec("ROLLBACK");
      } catch {} // SQLite has done so already
      throw error;
    }
  }

  /**
   * The database's bytes as they would be in a file. Reading the file itself would not do: closing it would drop
   * this process's locks on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
   */
  image(): Uint8Array {
    return guard(this.#path, () => this.#db.serialize());
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    this.#db.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

function guard<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof Error) || primaryCode(cause) === undefined) throw cause;
    if (isBusy(cause))
      throw new DeputyError("DATABASE_BUSY", `Cannot write ${path}: another program has it open`, {
        hint: "Close that program, or try again in a moment.",
        cause,
      });
    const disk = diskError(cause, path);
    if (disk !== undefined) throw disk;
    throw new DeputyError("DATABASE_CORRUPT", `Cannot write ${path}: ${cause.message}`, {
      hint: "The file may be damaged. Nothing was changed.",
      cause,
    });
  }
}
