import { existsSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { DeputyError } from "../../kernel/index.ts";
import { findProgram, type Jail } from "../../platform/index.ts";
import type { Execution } from "../run/execution.ts";
import { nameOf } from "./evaluate.ts";
import type { ExecutorParts } from "./executor-parts.ts";
import { expandPath, grantedPath, isInside } from "./granted-path.ts";
import { isInterpreter, isManyPrograms } from "./interpreters.ts";
import { realInterpreter, runsOwnCode } from "./own-code.ts";
import { wallTime } from "./wall-time.ts";

export interface Command {
  /** A name on PATH, or a path. */
  readonly binary: string;
  readonly args: readonly string[];
  /** Code for an interpreter that stands in the manifest itself. */
  readonly code: string | null;
  readonly stdin: string;
  /** Null: the skill's folder. */
  readonly workingDir: string | null;
  readonly read: readonly string[];
  readonly write: readonly string[];
}

const MIB = 1024 * 1024;

/**
 * Runs a program that the owner allowed, for the executor and for code that asks: without a shell, in a jail that has the
 * skill's folder and the declared paths, and no network unless the owner allowed that too.
 */
export async function startCommand(
  command: Command,
  execution: Execution,
  parts: ExecutorParts,
): ReturnType<Jail["run"]> {
  const found = findBinary(command, execution, parts);
  const { program, folders } = await realInterpreter(basename(command.binary), found, parts);
  const folder = execution.skill.folder;
  const read = command.read.map((path) => grantedPath("read", path, execution, parts));
  const write = command.write.map((path) => grantedPath("write", path, execution, parts));
  const cwd = workingDir(command, [folder, ...read, ...write], execution, parts);
  return parts.jail.run({
    argv: [program, ...command.args.map((arg) => inFolder(arg, folder, cwd))],
    read: [program, ...folders, folder, ...read],
    write,
    cwd,
    // Programs look for what was declared as `~/…` below HOME.
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8", HOME: parts.home },
    fork: true,
    net: execution.allows({ kind: "network", binary: basename(command.binary) }),
    limits: {
      wallMs: wallTime(execution),
      memoryBytes: 1024 * MIB,
      outputBytes: 16 * MIB,
    },
    input: command.stdin,
    signal: execution.signal,
  });
}

/** The grant is for a name; a path is allowed as such besides, or any file could be called `git`. */
function findBinary(command: Command, execution: Execution, parts: ExecutorParts): string {
  const { binary, args } = command;
  const name = basename(binary);
  const named = binary.includes("/") || binary.startsWith("~");
  const found = named ? expandPath(binary, execution, parts) : findProgram(binary, parts.env);
  if (found === undefined || !existsSync(found))
    throw new DeputyError("NOT_FOUND", `${nameOf(execution)}: ${binary} is not installed`, {
      hint: `Install ${name}.`,
    });
  const real = realpathSync(found);
  const names = isManyPrograms(basename(real)) ? [name] : [name, basename(real)];
  const interprets = names.some((one) => isInterpreter(one, args)) && !runsOwnCode(name, command, execution);
  if (isInside(execution.skill.folder, real) || interprets)
    throw new DeputyError("DENIED", `${nameOf(execution)}: ${name} runs code, and commands may not`, {
      hint: "Use `typescript` or `python`: they run code in a sandbox that has the run's connection.",
    });
  if (!execution.allows({ kind: "binary", name })) throw execution.denial({ kind: "binary", name });
  // Its own name stays: some programs do what they are called.
  if (named) grantedPath("read", binary, execution, parts);
  return found;
}

function workingDir(
  { workingDir }: Command,
  shown: readonly string[],
  execution: Execution,
  parts: ExecutorParts,
): string {
  if (workingDir === null) return execution.skill.folder;
  const path = expandPath(workingDir, execution, parts);
  const real = existsSync(path) ? realpathSync(path) : path;
  if (shown.some((folder) => isInside(folder, real))) return real;
  throw new DeputyError(
    "DENIED",
    `${nameOf(execution)}: its working_dir is in none of the folders it may read`,
    {
      hint: "List the folder under `read` or `write` of the command.",
    },
  );
}

/** `./file` is the skill's, wherever the program works. */
function inFolder(arg: string, folder: string, cwd: string): string {
  if (cwd === folder || !arg.startsWith("./")) return arg;
  const path = join(folder, arg);
  return existsSync(path) ? path : arg;
}
