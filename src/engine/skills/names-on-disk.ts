import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { homePaths, readEnvironment } from "../../platform/for-commands.ts";

/** Beside src/ in a clone and beside dist/ in the published package. */
const PACKAGE = fileURLToPath(new URL("../../../", import.meta.url));
const LARGEST = 1_000_000;

export interface NamesOnDisk {
  readonly skills: readonly { readonly id: string; readonly operations: readonly string[] }[];
  readonly shapes: readonly string[];
}

/**
 * What there seems to be, at a glance and without an engine: for completing a line that is being typed, never for deciding
 * anything. A manifest is not parsed; what Python declares is not seen.
 */
export function namesOnDisk(): NamesOnDisk {
  const { home } = homePaths(readEnvironment());
  const folders = [...inside(join(PACKAGE, "skills")), ...inside(join(home, "skills")), ...addedTo(home)];
  const skills = new Map(folders.flatMap(glanced).map((skill) => [skill.id, skill]));
  const shapes = [...inside(join(PACKAGE, "shapes")), ...inside(join(home, "shapes"))];
  return {
    skills: [...skills.values()],
    shapes: shapes.flatMap((path) => (path.endsWith(".yaml") ? [basename(path, ".yaml")] : [])),
  };
}

function glanced(folder: string): { id: string; operations: string[] }[] {
  const manifest = textOf(join(folder, "skill.yaml"));
  if (manifest === undefined) return textOf(join(folder, "readme.md")) === undefined ? [] : [named(folder)];
  const id = /^id:[ \t]*["']?([a-z0-9][a-z0-9_-]*)/m.exec(manifest)?.[1];
  const block = /^operations:[^\S\n]*\n((?:[ \t].*\n?|#.*\n?|\s*\n)*)/m.exec(manifest)?.[1] ?? "";
  const operations = [...block.matchAll(/^ {2}(\w+):/gm)].map((match) => match[1] ?? "");
  return [{ id: id ?? basename(folder), operations }];
}

function named(folder: string): { id: string; operations: string[] } {
  return { id: basename(folder), operations: [] };
}

/** As `deputy skills add` keeps them. */
function addedTo(home: string): string[] {
  try {
    const { skills } = JSON.parse(textOf(join(home, "skills.json")) ?? "{}") as {
      skills?: { path: string }[];
    };
    return (skills ?? []).map(({ path }) => path);
  } catch {
    return [];
  }
}

function inside(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function textOf(path: string): string | undefined {
  try {
    // A pipe would keep the line that is being typed waiting.
    const stat = statSync(path);
    return stat.isFile() && stat.size < LARGEST ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
