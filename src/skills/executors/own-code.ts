import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { findPython } from "../hosts/find-python.ts";
import { readPinned } from "../library/skill-folder.ts";
import type { Execution } from "../run/execution.ts";
import type { ExecutorParts } from "./executor-parts.ts";
import { isInside } from "./granted-path.ts";

const PYTHON = /^python(\d+(\.\d+)*)?$/;

/**
 * Whether Python is given nothing but the skill's own code: a file of its folder, or what stands in its manifest. Only the
 * ancestor's skills do so. The owner's word is about exactly that code, and the jail has no more than for any program.
 */
export function runsOwnCode(
  name: string,
  { args, code }: { readonly args: readonly string[]; readonly code: string | null },
  { skill }: Execution,
): boolean {
  const [first = "", second] = args;
  if (!skill.ancestor || !PYTHON.test(name)) return false;
  if (code !== null && first === "-c" && second === code) return true;
  const path = join(skill.folder, first);
  if (!first.startsWith("./") || !existsSync(path) || !isInside(skill.folder, realpathSync(path)))
    return false;
  readPinned(skill); // throws where the file is not the one that was allowed
  return true;
}

/** What is on PATH may be a script that looks for Python: in a jail it finds none. */
export async function realInterpreter(
  name: string,
  found: string,
  { env }: ExecutorParts,
): Promise<{ program: string; folders: readonly string[] }> {
  const python = PYTHON.test(name) ? await findPython(env) : undefined;
  return python === undefined
    ? { program: found, folders: [] }
    : { program: python.executable, folders: python.folders };
}
