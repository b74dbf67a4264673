import { accessSync, constants } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCode } from "../kernel/index.ts";
import { lookAtDatabase, SETTLED_MS } from "./database-files.ts";
import { readDatabaseImage } from "./database-image.ts";
import { ForeignDatabase } from "./foreign-database.ts";

/** What is pending is held in memory whole, so a file that claims to be larger is refused, not read. */
const LARGEST = 256 * 1024 * 1024;
const ATTEMPTS = 40;

type Asked<T> =
  | { readonly kind: "answer"; readonly value: T }
  | { readonly kind: "missing" }
  | { readonly kind: "denied"; readonly reason: string }
  | { readonly kind: "too-large"; readonly size: number }
  | { readonly kind: "changing" };

/**
 * Asks another program's SQLite database, which that program may have open, as of one moment: with what is
 * committed in its -wal, without what is unfinished in its -journal. Takes no lock and writes nothing anywhere, so
 * that the owner of the file notices nothing. Consistent because an answer during which a file changed is not used.
 */
export async function askDatabase<T>(path: string, ask: (db: ForeignDatabase) => T): Promise<Asked<T>> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(SETTLED_MS);
    const before = lookAtDatabase(path);
    if (!before.exists) return { kind: "missing" };
    // Reading a pipe or a device that somebody put there could wait for ever.
    if (!before.isPlain) return { kind: "denied", reason: "not a file" };
    if (before.size > LARGEST) return { kind: "too-large", size: before.size };
    if (!before.settled) continue;
    try {
      accessSync(path, constants.R_OK);
      using db =
        before.wal || before.journal
          ? ForeignDatabase.inMemory(readDatabaseImage(path, LARGEST))
          : ForeignDatabase.inPlace(path);
      const value = ask(db);
      if (databaseStamp(path) === before.stamp) return { kind: "answer", value };
    } catch (error) {
      if (databaseStamp(path) !== before.stamp) continue; // It changed under our hands.
      if (error instanceof RangeError) return { kind: "too-large", size: before.size };
      const code = systemCode(error);
      if (code === "EACCES" || code === "EPERM") return { kind: "denied", reason: code };
      throw error;
    }
  }
  return { kind: "changing" };
}

/** Equal stamps mean an unchanged database. */
export function databaseStamp(path: string): string {
  return lookAtDatabase(path).stamp;
}
