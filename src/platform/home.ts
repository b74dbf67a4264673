import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir, userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { DeputyError, systemCode } from "../kernel/index.ts";
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
  readonly activityLog: string;
  readonly run: string;
  readonly engineLock: string;
  /** Held by whoever starts the engine, until it answers. */
  readonly startLock: string;
  readonly socket: string;
}

/** sun_path holds 108 bytes on Linux and 104 on macOS, with the closing NUL. */
const LONGEST_SOCKET_PATH = 103;

export function homePaths(env: Environment): HomePaths {
  const home = canonical(resolve(env["DEPUTY_HOME"] || join(env["HOME"] || homedir(), ".deputy")));
  const run = join(home, "run");
  return {
    home,
    vault: join(home, "vault.db"),
    vaultKey: join(home, "vault.key"),
    config: join(home, "config.yaml"),
    cache: join(home, "cache"),
    logs: join(home, "logs"),
    engineLog: join(home, "logs", "engine.log"),
    activityLog: join(home, "logs", "activity.db"),
    run,
    engineLock: join(run, "engine.lock"),
    startLock: join(run, "start.lock"),
    socket: socketPath(home, run),
  };
}

function socketPath(home: string, run: string): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\deputy-${shortHash(home)}`;
  const inHome = join(run, "engine.sock");
  if (Buffer.byteLength(inHome) <= LONGEST_SOCKET_PATH) return inHome;
  // Not os.tmpdir(): commands with another TMPDIR must find the same engine.
  return join("/tmp", `deputy-${userInfo().uid}`, `${shortHash(home)}.sock`);
}

/** Links followed as far as the path exists, so that every spelling of a home is one home. */
function canonical(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(canonical(parent), basename(path));
  }
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Makes the folders, private to this user, and refuses ones that somebody else could change. */
export function prepareHome(paths: HomePaths): void {
  privateFolder(paths.home, "home");
  privateFolder(paths.run, "ours");
  privateFolder(paths.logs, "ours");
  const beside = dirname(paths.socket);
  if (process.platform !== "win32" && beside !== paths.run) privateFolder(beside, "shared");
}

/** Takes the engine's socket away, and the folder in /tmp that was made for it where nobody else's is in it. */
export function removeSocket(paths: HomePaths): void {
  rmSync(paths.socket, { force: true });
  if (process.platform === "win32" || dirname(paths.socket) === paths.run) return;
  try {
    rmdirSync(dirname(paths.socket));
  } catch {} // another home's engine is there
}

/** What a folder that is a Deputy home has in it, from the start or by the owner's hand. */
const MARKS = new Set(
  "cache config.yaml graph.db policy.yaml run shapes skills skills.json vault.db vault.key".split(" "),
);

/**
 * `home` may be a link, and may be a folder the owner made: it is closed to others only if it is empty or already
 * ours. `ours` is inside it. `shared` is in /tmp, where a link may lead anywhere.
 */
function privateFolder(path: string, kind: "home" | "ours" | "shared"): void {
  try {
    makeFolder(path);
    if (process.platform === "win32") return;
    const stat = kind === "shared" ? lstatSync(path) : statSync(path);
    if (!stat.isDirectory()) throw unusable(path, "it is not a folder");
    if (stat.uid !== userInfo().uid) throw unusable(path, "it belongs to another user");
    if ((stat.mode & 0o077) !== 0) {
      const inside = kind === "home" ? readdirSync(path) : [];
      if (inside.length > 0 && !inside.some((name) => MARKS.has(name))) {
        throw unusable(path, "others can read it and it holds other things, so it was not closed to them");
      }
      chmodSync(path, 0o700);
    }
    accessSync(path, constants.W_OK);
  } catch (error) {
    if (error instanceof DeputyError) throw error;
    const code = systemCode(error) ?? "it cannot be made";
    if (["EROFS", "EACCES", "EPERM", "ENOENT"].includes(code)) {
      const why = code === "ENOENT" ? "no folder can be made there" : "it is read-only for this user";
      throw new DeputyError("READ_ONLY", `Cannot prepare ${path}: ${why}`, {
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

/** Not `recursive`, by which Node tries for ever where a folder is neither found nor can be made, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another command made it at the same moment.
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

function unusable(path: string, why: string, cause?: unknown): DeputyError {
  return new DeputyError("HOME_UNUSABLE", `Cannot use ${path}: ${why}`, {
    hint: "Set DEPUTY_HOME to a folder of your own.",
    cause,
  });
}
