import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { DeputyError } from "../../kernel/index.ts";
import type { Execution } from "../run/execution.ts";
import { nameOf } from "./evaluate.ts";
import type { ExecutorParts } from "./executor-parts.ts";

type Places = Pick<ExecutorParts, "home" | "deputyHome">;

/** `~` is the owner's home; what is relative is in the skill's folder. */
export function expandPath(path: string, { skill }: Execution, { home }: Places): string {
  if (path.includes("\0"))
    throw new DeputyError("BAD_INPUT", "A path has no NUL in it", { hint: "Give it as text." });
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return resolve(skill.folder, path);
}

/**
 * A file or folder that the owner lets this run have, its links followed. A link is as good as what it leads to: that has
 * to be allowed as well, or a program could be brought to any file by a link it may write.
 */
export function grantedPath(
  kind: "read" | "write",
  path: string,
  execution: Execution,
  places: Places,
): string {
  const named = expandPath(path, execution, places);
  const real = realPath(named, execution);
  const folder = realPath(execution.skill.folder, execution);
  if (kind === "read" && isInside(folder, real)) return real;
  const own = realOrSame(places.deputyHome);
  if (isInside(own, real) || isInside(real, own))
    throw new DeputyError("DENIED", `${nameOf(execution)}: ${named} is or holds one of Deputy's own files`, {
      hint: "No grant is for these. Name a folder that they are not in.",
    });
  const asked = real === named || real === throughHome(named, places.home) ? [named] : [named, real];
  for (const wanted of asked) {
    if (execution.allows({ kind, path: wanted })) continue;
    throw execution.denial({ kind, path: wanted });
  }
  return real;
}

export function isInside(folder: string, path: string): boolean {
  const from = relative(folder, path);
  return from === "" || (from !== ".." && !from.startsWith("../") && !isAbsolute(from));
}

/** On some systems the home folder itself is behind a link. */
function throughHome(path: string, home: string): string {
  return isInside(home, path) ? join(realOrSame(home), relative(home, path)) : path;
}

function realPath(path: string, execution: Execution): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new DeputyError("NOT_FOUND", `${nameOf(execution)}: there is no ${path}`, {
      hint: "Check the path: it begins with / or ~, or is one in the skill's folder.",
      cause,
    });
  }
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
