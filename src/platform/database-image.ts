import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { rollBackJournal } from "./journal.ts";
import { replayWal } from "./wal.ts";

/**
 * The bytes of a database with the committed changes in its -wal applied and the unfinished ones in its -journal
 * undone. Throws RangeError when that would be more than `largest`.
 */
export function readDatabaseImage(path: string, largest: number): Buffer {
  let image = readWhole(path, largest) ?? Buffer.alloc(0);
  const journal = readWhole(`${path}-journal`, largest);
  const wal = readWhole(`${path}-wal`, largest);
  if (journal !== undefined) image = rollBackJournal(image, journal, largest);
  if (wal !== undefined) image = replayWal(image, wal, largest);
  // https://www.sqlite.org/fileformat2.html#file_format_version_numbers: 1 is "no WAL". In memory there is none.
  if (image.length >= 20) image.fill(1, 18, 20);
  return image;
}

/** Undefined for a file that is absent or empty. */
function readWhole(path: string, largest: number): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    if (size > largest) throw new RangeError("The file is too large to be held in memory");
    const bytes = Buffer.allocUnsafeSlow(size);
    let offset = 0;
    while (offset < bytes.length) {
      const read = readSync(file, bytes, offset, bytes.length - offset, offset);
      if (read === 0) break;
      offset += read;
    }
    return offset === 0 ? undefined : bytes.subarray(0, offset);
  } finally {
    closeSync(file);
  }
}
