import { pathToFileURL } from "node:url";
import { DatabaseSync } from "node:sqlite";
import { lookAtDatabase } from "../database-files.ts";
import { readDatabaseImage } from "../database-image.ts";
import type { ReadFrom } from "./sql-job.ts";

/** What has to be put together from two files is held in memory whole. */
const LARGEST_IMAGE = 256 * 1024 * 1024;
const BUSY_MS = 5000;

const OPTIONS = { readBigInts: true, defensive: true, timeout: BUSY_MS } as const;

/** A file was being written: to be tried again. */
export class Unsettled extends Error {}

export interface Opened {
  readonly db: DatabaseSync;
  readonly from: readonly ReadFrom[];
}

/** Whether what was read is of one moment: a file read in its place has not changed since. */
export function isOfOneMoment(from: readonly ReadFrom[]): boolean {
  return from.every(({ path, way, stamp }) => way !== "place" || lookAtDatabase(path).stamp === stamp);
}

/**
 * Where a file's content is read from, so that the program that has it open notices nothing:
 * - `place`: the file alone, without locks. Right if it is the same afterwards.
 * - `live`: with its -wal by the -shm the writer keeps, where a reader holds up nobody.
 * - `image`: a copy in memory, with the -wal applied and an unfinished -journal undone.
 */
type Way = ReadFrom["way"];

export function openFiles(
  database: string,
  attach: Readonly<Record<string, string>>,
  write: boolean,
): Opened {
  if (!write) {
    try {
      return openWith(database, attach, "live");
    } catch (error) {
      if (error instanceof Unsettled || !isSqlite(error)) throw error;
      // A -shm that belongs to nobody, or to a writer that lets no one in.
      return openWith(database, attach, "image");
    }
  }
  const db = new DatabaseSync(fileUrl(database, "mode", "rw"), OPTIONS);
  return attachFiles(db, attach, "live", []);
}

function openWith(database: string, attach: Readonly<Record<string, string>>, pending: Way): Opened {
  const from: ReadFrom[] = [];
  const way = wayOf(database, pending, from);
  if (way === "image") {
    const db = new DatabaseSync(":memory:", OPTIONS);
    fill(db, "main", database);
    return attachFiles(db, attach, pending, from);
  }
  const db = new DatabaseSync(readUrl(database, way), OPTIONS);
  return attachFiles(db, attach, pending, from);
}

function attachFiles(
  db: DatabaseSync,
  attach: Readonly<Record<string, string>>,
  pending: Way,
  from: ReadFrom[],
): Opened {
  try {
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    for (const [name, path] of Object.entries(attach)) {
      const way = wayOf(path, pending, from);
      const target = way === "image" ? ":memory:" : readUrl(path, way).href;
      db.prepare(`ATTACH ? AS "${name.replaceAll('"', '""')}"`).run(target);
      if (way === "image") fill(db, name, path);
    }
    return { db, from };
  } catch (error) {
    db.close();
    throw error;
  }
}

function wayOf(path: string, pending: Way, from: ReadFrom[]): Way {
  const { stamp, settled, wal, journal, shm } = lookAtDatabase(path);
  const isLive = wal && shm && !journal && pending === "live";
  if (!isLive && !settled) throw new Unsettled();
  const way = isLive ? "live" : wal || journal ? "image" : "place";
  from.push({ path, way, stamp });
  return way;
}

function fill(db: DatabaseSync, name: string, path: string): void {
  const { stamp } = lookAtDatabase(path);
  const image = readDatabaseImage(path, LARGEST_IMAGE);
  if (lookAtDatabase(path).stamp !== stamp) throw new Unsettled();
  // SQLite takes no image of zero bytes, which is a database without tables.
  if (image.length > 0) db.deserialize(image, { dbName: name });
}

function readUrl(path: string, way: Exclude<Way, "image">): URL {
  // https://www.sqlite.org/uri.html#uriimmutable
  return way === "place" ? fileUrl(path, "immutable", "1") : fileUrl(path, "mode", "ro");
}

function fileUrl(path: string, key: string, value: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set(key, value);
  return url;
}

export function isSqlite(error: unknown): error is Error & { errcode: number } {
  return error instanceof Error && "errcode" in error;
}
