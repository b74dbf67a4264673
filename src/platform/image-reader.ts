import { DatabaseSync } from "node:sqlite";
import { DeputyError } from "../kernel/index.ts";
import type { SqlValue } from "./database.ts";

/** Rows as arrays in the order of the SELECT: a store of thousands of cookies is read several times faster. */
export type ImageRow = SqlValue[];

/**
 * Questions to a database image that somebody else wrote, and who may mean harm: its schema runs no functions
 * with side effects and no recursion. Integers come back as BigInt. Every failure is DATABASE_CORRUPT.
 */
export class ImageReader implements Disposable {
  readonly #db: DatabaseSync;

  constructor(bytes: Buffer) {
    this.#db = new DatabaseSync(":memory:", { readBigInts: true, returnArrays: true, defensive: true });
    this.#guard(() => {
      // SQLite takes no image of zero bytes, which is a database without tables.
      if (bytes.length > 0) this.#db.deserialize(bytes);
      this.#db.exec("PRAGMA trusted_schema = OFF");
    });
  }

  all(sql: string, ...params: SqlValue[]): ImageRow[] {
    return this.#guard(() => this.#db.prepare(sql).all(...params) as unknown as ImageRow[]);
  }

  /** The columns a real table stores; undefined where there is no such table. A view could compute for ever. */
  columns(table: string): string[] | undefined {
    // hidden: 1 is a virtual table's, 2 and 3 are generated columns.
    const rows = this.all(
      `SELECT c.name FROM pragma_table_list(?1) AS t, pragma_table_xinfo(?1) AS c
       WHERE t.schema = 'main' AND t.type = 'table' AND c.hidden = 0`,
      table,
    );
    return rows.length === 0 ? undefined : rows.map(([name]) => String(name));
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof Error && "errcode" in cause)
        throw new DeputyError("DATABASE_CORRUPT", `The database is damaged: ${cause.message}`, { cause });
      throw cause;
    }
  }
}
