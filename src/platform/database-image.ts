import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { rollBackJournal } from "./journal.ts";
import { replayWal } from "./wal.ts";

/** An image is held in memory whole, so a file that claims to be larger is refused, not read. */
export const LARGEST_IMAGE = 256 * 1024 * 1024;

const ATTEMPTS = 40;
/** Linux stamps files by its clock tick, at most 10 ms: a younger change may hide another one. */
const SETTLED_MS = 20;

type DatabaseImage =
  | { readonly kind: "image"; readonly bytes: Buffer }
  | { readonly kind: "missing" }
  | { readonly kind: "denied"; readonly reason: string }
  | { readonly kind: "too-large"; readonly size: number }
  | { readonly kind: "changing" };

/**
 * The bytes of another program's SQLite database as of one moment, committed changes in its -wal applied and
 * unfinished ones in its -journal undone. Takes no lock, writes nothing anywhere: the owner of the file notices
 * nothing, and nothing of it lands on disk. Consistent because a read during which any file changed is not used.
 */
export async function readDatabaseImage(path: string): Promise<DatabaseImage> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(SETTLED_MS);
    const before = databaseStamp(path);
    const started = Date.now();
    try {
      const size = sizeOf(path);
      if (size === undefined) return { kind: "missing" };
      const pending = (sizeOf(`${path}-wal`) ?? 0) + (sizeOf(`${path}-journal`) ?? 0);
      if (size + pending > LARGEST_IMAGE) return { kind: "too-large", size: size + pending };
      const main = readWhole(path) ?? Buffer.alloc(0);
      const wal = readWhole(`${path}-wal`);
      const journal = readWhole(`${path}-journal`);
      const settled = newestChange(path) < started - SETTLED_MS;
      if (settled && databaseStamp(path) === before)
        return { kind: "image", bytes: assemble(main, wal, journal) };
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (code === "ENOENT") continue; // It vanished between two looks.
      if (error instanceof RangeError) return { kind: "too-large", size: LARGEST_IMAGE };
      return { kind: "denied", reason: code || "unreadable" };
    }
  }
  return { kind: "changing" };
}

/** Equal stamps mean an unchanged database: inode, size and time of the file and of what is pending beside it. */
export function databaseStamp(path: string): string {
  return [path, `${path}-wal`, `${path}-journal`].map(stampOf).join(" ");
}

function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "-" : `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

function newestChange(path: string): number {
  const times = [path, `${path}-wal`, `${path}-journal`].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}

function sizeOf(path: string): number | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  // Reading a pipe or a device that somebody put there could wait for ever.
  if (stat !== undefined && !stat.isFile()) throw Object.assign(new Error(path), { code: "not a file" });
  return stat?.size;
}

function readWhole(path: string): Buffer | undefined {
  const size = sizeOf(path);
  if (size === undefined || size === 0) return undefined;
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.allocUnsafeSlow(fstatSync(file).size);
    let offset = 0;
    while (offset < bytes.length) {
      const read = readSync(file, bytes, offset, bytes.length - offset, offset);
      if (read === 0) break;
      offset += read;
    }
    return bytes.subarray(0, offset);
  } finally {
    closeSync(file);
  }
}

function assemble(main: Buffer, wal: Buffer | undefined, journal: Buffer | undefined): Buffer {
  let image = main;
  if (journal !== undefined) image = rollBackJournal(image, journal, LARGEST_IMAGE);
  if (wal !== undefined) image = replayWal(image, wal, LARGEST_IMAGE);
  // https://www.sqlite.org/fileformat2.html#file_format_version_numbers: 1 is "no WAL". In memory there is none.
  if (image.length >= 20) image.fill(1, 18, 20);
  return image;
}
