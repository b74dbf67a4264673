import { accessSync, constants, existsSync } from "node:fs";
import { release } from "node:os";
import { posix } from "node:path";
import { DeputyError } from "../../kernel/index.ts";
import type { Environment } from "../environment.ts";
import { findProgram } from "../process.ts";
import { type Bind, resolveBinds } from "./binds.ts";
import { type Bubblewrap, bubblewrapLaunch } from "./bubblewrap.ts";
import { descriptorSeal } from "./close-on-exec.ts";
import type { Jail, JailLimits, JailSpec } from "./jail.ts";
import { DEFAULT_ENVIRONMENT, type Launch } from "./launch.ts";
import { jailLimits } from "./limits.ts";
import { processCgroups } from "./process-cgroup.ts";
import { procCovers } from "./proc-covers.ts";
import { runJailed } from "./run-jailed.ts";
import { seatbeltLaunch } from "./seatbelt.ts";
import { startJailed } from "./start-jailed.ts";

interface JailOptions {
  /** Where PATH says the tools are. */
  readonly env: Environment;
  /** Files and folders that no bound folder may be or contain: Deputy's own. */
  readonly guarded?: readonly string[];
}

/** How this system jails a program. */
type Enter = (spec: JailSpec, binds: readonly Bind[], limits: JailLimits) => Launch;

/** Finds out, by jailing a program, what this system offers. */
export async function createJail({ env, guarded = [] }: JailOptions): Promise<Jail> {
  const found = findEntrance(env);
  if (typeof found === "string") return reducedJail(found);
  const jail = fullJail(found, guarded);
  const trial = findProgram("true", { PATH: "/usr/bin:/bin" }) ?? "/usr/bin/true";
  try {
    const { exit } = await jail.run({ argv: [trial], limits: { wallMs: 10_000 } });
    if (exit.status === 0) return jail;
    return reducedJail(
      `a trial run failed: ${exit.said.trim() || (exit.stopped ?? `status ${exit.status}`)}`,
    );
  } catch (error) {
    return reducedJail(`a trial run failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The way in, or why there is none. */
function findEntrance(env: Environment): Enter | string {
  if (process.platform === "darwin")
    return existsSync("/usr/bin/sandbox-exec") ? seatbeltLaunch : "sandbox-exec is missing";
  if (process.platform !== "linux") return "this system has no sandbox Deputy can use";
  const { arch } = process;
  if (arch !== "x64" && arch !== "arm64") return `there is no system call filter for ${arch}`;
  // Otherwise nobody would notice how much memory a jailed program takes.
  if (!existsSync("/proc/thread-self/children")) return "this kernel does not list the children of a process";
  const bwrap = findProgram("bwrap", env);
  if (bwrap === undefined) return "bubblewrap is not installed";
  const prlimit = findProgram("prlimit", env);
  if (prlimit === undefined) return "prlimit (of util-linux) is not installed";
  const root = process.getuid?.() === 0;
  const bound = root ? processCgroups() : countsPerNamespace() ? "rlimit" : undefined;
  const tools: Bubblewrap = { bwrap, prlimit, machine: arch, covers: procCovers(root), bound };
  return (spec, binds, limits) => {
    requireProgram(spec.argv[0], binds);
    return bubblewrapLaunch(tools, spec, binds, limits);
  };
}

/** Since Linux 5.14 RLIMIT_NPROC counts a user's processes in each user namespace by itself. */
function countsPerNamespace(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

function fullJail(enter: Enter, guarded: readonly string[]): Jail {
  const seal = process.platform === "linux" ? descriptorSeal() : () => {};
  const start = async (spec: JailSpec) => {
    const limits = jailLimits(spec.limits);
    if (!posix.isAbsolute(spec.argv[0])) throw new TypeError("A jail takes a program by its absolute path");
    const launch = enter(spec, resolveBinds(spec, guarded), limits);
    seal();
    return startJailed(launch, spec, limits);
  };
  return { level: "full", start, run: async (spec) => runJailed(await start(spec), spec.input) };
}

/** No jail at all, only limits: nothing starts here but what fences itself. */
function reducedJail(reason: string): Jail {
  const start = async (spec: JailSpec) => {
    if (spec.reducedOk !== true)
      throw new DeputyError("UNSUPPORTED", `Cannot jail ${spec.argv[0]}: ${reason}`, {
        hint: "Install bubblewrap (package bubblewrap) and let it make user namespaces.",
      });
    const limits = jailLimits(spec.limits);
    const launch = {
      argv: spec.argv,
      env: spec.env ?? DEFAULT_ENVIRONMENT,
      cwd: spec.cwd ?? "/",
      told: [],
      reports: false,
    };
    return startJailed(launch, spec, limits);
  };
  return { level: "reduced", reason, start, run: async (spec) => runJailed(await start(spec), spec.input) };
}

/** bwrap would say so too, but only on the program's stderr. */
function requireProgram(program: string, binds: readonly Bind[]): void {
  const bind = binds.findLast(({ to }) => program === to || program.startsWith(`${to}/`));
  const path = bind === undefined ? program : bind.from + program.slice(bind.to.length);
  try {
    accessSync(path, constants.X_OK);
  } catch (cause) {
    throw new DeputyError("NOT_FOUND", `Cannot start ${program}: it is not there`, {
      hint: `Install ${posix.basename(program)}.`,
      cause,
    });
  }
}
