import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { DeputyError } from "../kernel/index.ts";
import type { SqlValue } from "./database.ts";

/** Rows as arrays in the order of the SELECT: a store of thousands of cookies is read several times faster. */
export type ForeignRow = SqlValue[];

/** How a database is opened whose content others decide. */
export const FOREIGN = { readBigInts: true, returnArrays: true, defensive: true } as const;

/**
 * Questions to a database somebody else wrote, who may mean harm: its schema runs no functions with side effects.
 * Integers come back as BigInt. Every failure of SQLite is DATABASE_CORRUPT.
 */
export class ForeignDatabase implements Disposable {
  readonly #db: DatabaseSync;

  private constructor(open: () => DatabaseSync) {
    this.#db = guard(open);
    guard(() => this.#db.exec("PRAGMA trusted_schema = OFF"));
  }

  /** Reads the file where it is, without a lock and without its -wal: right only while nobody writes to it. */
  static inPlace(path: string): ForeignDatabase {
    const url = pathToFileURL(path);
    url.searchParams.set("immutable", "1"); // https://www.sqlite.org/uri.html#uriimmutable
    return new ForeignDatabase(() => new DatabaseSync(url, { ...FOREIGN, readOnly: true }));
  }

  static inMemory(image: Uint8Array): ForeignDatabase {
    return new ForeignDatabase(() => {
      const db = new DatabaseSync(":memory:", FOREIGN);
      // SQLite takes no image of zero bytes, which is a database without tables.
      if (image.length > 0) db.deserialize(image);
      return db;
    });
  }

  all(sql: string, ...params: SqlValue[]): ForeignRow[] {
    return guard(() => this.#db.prepare(sql).all(...params) as unknown as ForeignRow[]);
  }

  /** The columns a real table stores; undefined where there is no such table. A view could compute for ever. */
  columns(table: string): string[] | undefined {
    return columnsOf(this, table);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

/** What may be asked of another program's database, whether it is only read or also written. */
export type AskableDatabase = Pick<ForeignDatabase, "all" | "columns">;

export function columnsOf(db: Pick<ForeignDatabase, "all">, table: string): string[] | undefined {
  // hidden: 1 is a virtual table's, 2 and 3 are generated columns.
  const rows = db.all(
    `SELECT c.name FROM pragma_table_list(?1) AS t, pragma_table_xinfo(?1) AS c
     WHERE t.schema = 'main' AND t.type = 'table' AND c.hidden = 0`,
    table,
  );
  return rows.length === 0 ? undefined : rows.map(([name]) => String(name));
}

function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof Error && "errcode" in cause)
      throw new DeputyError("DATABASE_CORRUPT", `The database is damaged: ${cause.message}`, { cause });
    throw cause;
  }
}
