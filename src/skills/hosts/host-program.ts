import { homedir } from "node:os";
import { join } from "node:path";
import { DeputyError } from "../../kernel/index.ts";
import type { JailSpec } from "../../platform/index.ts";
import type { HostRuntime } from "./host-runtime.ts";
import type { PythonInstallation } from "./find-python.ts";

export interface HostPlace {
  readonly runtime: HostRuntime;
  /** Where the skill's files will be. Empty until then. */
  readonly folder: string;
  readonly paths: readonly string[];
  readonly memoryBytes: number;
}

const MIB = 1024 * 1024;
const LOCALE = { LANG: "C.UTF-8" };

/**
 * The permission model with what it leaves open by itself switched off. Intrinsics stay as they are and `__proto__`
 * works: npm packages need both, and they would guard nothing, as the process has nothing.
 */
export function nodeHost(node: string, place: HostPlace): JailSpec {
  const { runtime, folder, paths, memoryBytes } = place;
  const readable = [runtime.node, folder, ...paths];
  // Node would read it as a pattern.
  const pattern = readable.find((path) => path.includes("*"));
  if (pattern !== undefined)
    throw new DeputyError("BAD_INPUT", `Cannot show ${pattern} to a skill: "*" in its name`, {
      hint: "Allow the folder it is in.",
    });
  return {
    argv: [
      node,
      "--permission",
      ...readable.map((path) => `--allow-fs-read=${path}`),
      "--no-experimental-sqlite",
      "--no-experimental-ffi",
      "--no-addons",
      "--disable-sigusr1",
      "--no-warnings",
      // The rest of the memory is for buffers, code and the runtime itself.
      `--max-old-space-size=${Math.max(32, Math.floor((memoryBytes * 0.6) / MIB))}`,
      join(runtime.node, "main.mjs"),
    ],
    read: [node, ...readable],
    cwd: folder,
    env: LOCALE,
    reducedOk: true,
  };
}

/** Isolated mode: no environment, no user packages, no current folder in front of the library. */
export function pythonHost(python: PythonInstallation, place: HostPlace): JailSpec {
  const { runtime, folder, paths } = place;
  return {
    argv: [python.executable, "-I", "-B", "-X", "utf8", join(runtime.python, "main.py")],
    read: [...python.folders, runtime.python, folder, ...paths],
    cwd: folder,
    // Where files the owner allows are named from; the folder itself is not there.
    env: { ...LOCALE, HOME: homedir() },
  };
}
