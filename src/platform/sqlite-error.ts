import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { DeputyError } from "../kernel/index.ts";
import { diskFull, readOnly } from "./file-error.ts";

// Primary result codes, https://www.sqlite.org/rescode.html
export const SQLITE = {
  ERROR: 1,
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  PROTOCOL: 15,
  NOTADB: 26,
} as const;

/** Undefined for what is no error of SQLite's. */
export function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number")
    return undefined;
  return error.errcode & 0xff;
}

/** Somebody else is at the file: to be tried again. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE.BUSY || code === SQLITE.LOCKED || code === SQLITE.PROTOCOL;
}

/** What the disk is to blame for, and not what is in the file; undefined for everything else. */
export function diskError(error: unknown, path: string): DeputyError | undefined {
  switch (primaryCode(error)) {
    case SQLITE.READONLY:
      return readOnly(path, error);
    case SQLITE.FULL:
      return diskFull(path, error);
    case SQLITE.IOERR:
      return new DeputyError("DISK_FULL", `Cannot read or write ${path}: the disk reported an error`, {
        hint: "Check that the disk has room and is healthy; what was saved before is still there.",
        cause: error,
      });
    case SQLITE.CANTOPEN:
      // Where nothing can be written SQLite cannot open its log either, and says only that.
      return existsSync(path) && !isWritable(dirname(path)) ? readOnly(path, error) : undefined;
    default:
      return undefined;
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
