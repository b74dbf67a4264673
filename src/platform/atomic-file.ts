import { randomBytes } from "node:crypto";
import { closeSync, constants, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileError } from "./file-error.ts";

/**
 * Readers see the old file or the new one, never a part: a temporary file of a unique name in the same folder,
 * synced, renamed over the target, and the folder synced so that the rename survives a power cut.
 */
export function writeFileAtomic(path: string, data: Uint8Array | string, mode = 0o600): void {
  try {
    writeSyncRename(path, data, mode);
  } catch (error) {
    throw fileError(error, path);
  }
}

function writeSyncRename(path: string, data: Uint8Array | string, mode: number): void {
  const folder = dirname(path);
  const temporary = temporaryBeside(path);
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  // O_EXCL: never write through a file or link somebody else put there.
  const file = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  try {
    try {
      for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
  syncFolder(folder);
}

/** A name of its own in the same folder, so that moving it is one step. Starts with a dot and ends in `.tmp`. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(8).toString("hex")}.tmp`);
}

/** Puts a finished file in another's place, on disk when it returns. */
export function moveIntoPlace(temporary: string, path: string): void {
  try {
    const file = openSync(temporary, constants.O_RDONLY);
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    throw fileError(error, path);
  }
}

function syncFolder(folder: string): void {
  if (process.platform === "win32") return; // Windows cannot open a folder for syncing; NTFS journals renames.
  const handle = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
