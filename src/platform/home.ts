import { createHash } from "node:crypto";
import { accessSync, chmodSync, constants, lstatSync, mkdirSync, statSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { DeputyError } from "../kernel/index.ts";
import type { Environment } from "./environment.ts";

export interface HomePaths {
  readonly home: string;
  readonly vault: string;
  readonly vaultKey: string;
  readonly config: string;
  /** Compiled code, for a quick start. May be deleted at any time. */
  readonly cache: string;
  readonly logs: string;
  readonly engineLog: string;
  readonly run: string;
  readonly engineLock: string;
  readonly engineState: string;
  readonly socket: string;
}

/** sun_path holds 108 bytes on Linux and 104 on macOS, with the closing NUL. */
const LONGEST_SOCKET_PATH = 103;

export function homePaths(env: Environment): HomePaths {
  const home = resolve(env["DEPUTY_HOME"] || join(env["HOME"] || homedir(), ".deputy"));
  const run = join(home, "run");
  return {
    home,
    vault: join(home, "vault.db"),
    vaultKey: join(home, "vault.key"),
    config: join(home, "config.yaml"),
    cache: join(home, "cache"),
    logs: join(home, "logs"),
    engineLog: join(home, "logs", "engine.log"),
    run,
    engineLock: join(run, "engine.lock"),
    engineState: join(run, "engine.json"),
    socket: socketPath(home, run),
  };
}

function socketPath(home: string, run: string): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\deputy-${shortHash(home)}`;
  const inHome = join(run, "engine.sock");
  if (Buffer.byteLength(inHome) <= LONGEST_SOCKET_PATH) return inHome;
  return join(tmpdir(), `deputy-${userInfo().uid}`, `${shortHash(home)}.sock`);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Makes the folders, private to this user, and refuses ones that somebody else could change. */
export function prepareHome(paths: HomePaths): void {
  for (const folder of [paths.home, paths.run, paths.logs]) privateFolder(folder);
  if (process.platform !== "win32") privateFolder(join(paths.socket, ".."));
}

function privateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (process.platform === "win32") return;
    // lstat for folders in shared places: a link in /tmp may lead anywhere. The home itself may be a link.
    const inTmp = path.startsWith(join(tmpdir(), "deputy-"));
    const stat = inTmp ? lstatSync(path) : statSync(path);
    if (!stat.isDirectory()) throw unusable(path, "it is not a folder");
    if (stat.uid !== userInfo().uid) throw unusable(path, "it belongs to another user");
    if ((stat.mode & 0o077) !== 0) chmodSync(path, 0o700);
    accessSync(path, constants.W_OK);
  } catch (error) {
    if (error instanceof DeputyError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "EROFS" || code === "EACCES" || code === "EPERM") {
      throw new DeputyError("READ_ONLY", `Cannot prepare ${path}: it is read-only for this user`, {
        hint: "Set DEPUTY_HOME to a folder you can write, or check who owns this one. Nothing was changed.",
        cause: error,
      });
    }
    if (code === "ENOSPC") {
      throw new DeputyError("DISK_FULL", `Cannot prepare ${path}: the disk is full`, {
        hint: "Free some space and try again.",
        cause: error,
      });
    }
    throw unusable(path, code === "ENOTDIR" || code === "EEXIST" ? "a file is in the way" : code, error);
  }
}

function unusable(path: string, why: string, cause?: unknown): DeputyError {
  return new DeputyError("HOME_UNUSABLE", `Cannot use ${path}: ${why}`, {
    hint: "Set DEPUTY_HOME to a folder of your own.",
    cause,
  });
}
