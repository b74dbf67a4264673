import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./sqlite-error.ts";

/**
 * A lock other processes respect and that the kernel releases when its holder dies, however it dies.
 * Node has no flock; SQLite's exclusive lock is one, on every system.
 */
export class FileLock implements Disposable {
  readonly #db: DatabaseSync;

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Undefined when another process holds it after `waitMs`. */
  static tryTake(path: string, waitMs = 0): FileLock | undefined {
    const db = new DatabaseSync(path, { timeout: waitMs });
    try {
      db.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
      return new FileLock(db);
    } catch (error) {
      db.close();
      if (isBusy(error)) return undefined;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
