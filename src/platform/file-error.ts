import { DeputyError, systemCode } from "../kernel/index.ts";

/** A failed file operation as a person would put it; anything else comes back as it is. */
export function fileError(error: unknown, path: string): unknown {
  const code = systemCode(error);
  if (code === "ENOSPC" || code === "EDQUOT") return diskFull(path, error);
  if (code === "ENOENT" || code === "ENOTDIR") return noFolder(path, error);
  if (code === "EISDIR") return isFolder(path, error);
  if (code === "EACCES" || code === "EROFS" || code === "EPERM") return readOnly(path, error);
  return error;
}

export function readOnly(path: string, cause: unknown): DeputyError {
  return new DeputyError("READ_ONLY", `Cannot write ${path}: it is read-only for this user`, {
    hint: "Check who owns the folder and how it is mounted. Nothing was changed.",
    cause,
  });
}

export function diskFull(path: string, cause: unknown): DeputyError {
  return new DeputyError("DISK_FULL", `Cannot write ${path}: the disk is full`, {
    hint: "Free some space and try again. What was saved before is still there.",
    cause,
  });
}

function noFolder(path: string, cause: unknown): DeputyError {
  return new DeputyError("NOT_FOUND", `Cannot use ${path}: its folder is not there`, {
    hint: "Check the path. Nothing was changed.",
    cause,
  });
}

function isFolder(path: string, cause: unknown): DeputyError {
  return new DeputyError("BAD_INPUT", `Cannot use ${path}: it is a folder`, {
    hint: "Name a file. Nothing was changed.",
    cause,
  });
}
