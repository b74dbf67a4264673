import { accessSync, constants, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCode } from "../kernel/index.ts";
import { readDatabaseImage } from "./database-image.ts";
import { ForeignDatabase } from "./foreign-database.ts";

/** What is pending is held in memory whole, so a file that claims to be larger is refused, not read. */
const LARGEST = 256 * 1024 * 1024;
const ATTEMPTS = 40;
/** Linux stamps files by its clock tick, at most 10 ms: a younger change may hide another one. */
const SETTLED_MS = 20;

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
    const before = look(path);
    if (before === undefined) return { kind: "missing" };
    // Reading a pipe or a device that somebody put there could wait for ever.
    if (!before.isFile) return { kind: "denied", reason: "not a file" };
    if (before.size > LARGEST) return { kind: "too-large", size: before.size };
    // A time far ahead is a clock that was set back, not a write just now.
    if (Math.abs(Date.now() - before.changed) < SETTLED_MS) continue;
    try {
      accessSync(path, constants.R_OK);
      using db = before.isPending
        ? ForeignDatabase.inMemory(readDatabaseImage(path, LARGEST))
        : ForeignDatabase.inPlace(path);
      const value = ask(db);
      if (look(path)?.stamp === before.stamp) return { kind: "answer", value };
    } catch (error) {
      if (look(path)?.stamp !== before.stamp) continue; // It changed under our hands.
      if (error instanceof RangeError) return { kind: "too-large", size: before.size };
      const code = systemCode(error);
      if (code === "EACCES" || code === "EPERM") return { kind: "denied", reason: code };
      throw error;
    }
  }
  return { kind: "changing" };
}

/** Equal stamps mean an unchanged database: inode, size and time of the file and of what is pending beside it. */
export function databaseStamp(path: string): string {
  return look(path)?.stamp ?? "-";
}

function look(path: string) {
  const [main, wal, journal] = [path, `${path}-wal`, `${path}-journal`].map((file) =>
    statSync(file, { bigint: true, throwIfNoEntry: false }),
  );
  if (main === undefined) return undefined;
  const files = [main, wal, journal].filter((stat) => stat !== undefined);
  const pending = (wal?.size ?? 0n) + (journal?.size ?? 0n);
  return {
    stamp: [main, wal, journal]
      .map((stat) => (stat ? `${stat.ino}:${stat.size}:${stat.mtimeNs}` : "-"))
      .join(" "),
    isFile: files.every((stat) => stat.isFile()),
    isPending: pending > 0n,
    size: Number(main.size + pending),
    changed: Number(
      files.reduce((newest, { mtimeNs }) => (mtimeNs > newest ? mtimeNs : newest), 0n) / 1_000_000n,
    ),
  };
}
