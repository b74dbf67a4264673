import { randomBytes } from "node:crypto";
import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../kernel/index.ts";
import { fileError } from "./file-error.ts";

/**
 * Readers see the old file or the new one, never a part: a temporary file of a unique name in the same folder,
 * synced, renamed over the target, and the folder synced so that the rename survives a power cut.
 */
export function writeFileAtomic(path: string, data: Uint8Array | string, mode = 0o600): void {
  const temporary = temporaryBeside(path);
  try {
    writeNew(temporary, data, mode);
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw fileError(error, path);
  }
}

/** A file that must not be there yet, on disk when it returns. False where one is: it is left as it is. */
export function createFile(path: string, data: Uint8Array | string, mode = 0o600): boolean {
  try {
    writeNew(path, data, mode);
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw fileError(error, path);
  }
}

/** A name of its own in the same folder, so that moving it is one step. Starts with a dot and ends in `.tmp`. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(8).toString("hex")}.tmp`);
}

/** Puts a finished file in another's place, on disk when it returns. */
export function moveIntoPlace(temporary: string, path: string): void {
  try {
    sync(temporary);
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    throw fileError(error, path);
  }
}

/** Leaves nothing where it fails. */
function writeNew(path: string, data: Uint8Array | string, mode: number): void {
  // O_EXCL: never write through a file or link somebody else put there.
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  try {
    try {
      writeFileSync(file, data);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

function syncFolder(folder: string): void {
  if (process.platform === "win32") return; // Windows cannot open a folder for syncing; NTFS journals renames.
  sync(folder);
}

function sync(path: string): void {
  const handle = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
