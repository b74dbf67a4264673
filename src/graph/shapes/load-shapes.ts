import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../kernel/index.ts";
import { readShapeFile } from "./read-shape-file.ts";
import type { Shape, ShapeProblem } from "./shape.ts";
import { createShapeBook, type ShapeBook } from "./shape-book.ts";

/** The shapes that come with Deputy: beside src/ in a clone, beside dist/ in the package. */
export const bundledShapes = join(import.meta.dirname, "..", "..", "..", "shapes");

const LARGEST_FILE = 256 * 1024;
const MOST_FILES = 2000;

/**
 * Reads `*.yaml` of every folder; a folder that is not there has none. A shape of a later folder takes the place of
 * one with the same name, so that the owner has the last word.
 */
export function loadShapes(options: { folders: readonly string[]; now?: () => number }): ShapeBook {
  const shapes = new Map<string, Shape>();
  const problems: ShapeProblem[] = [];
  for (const folder of options.folders) {
    const own = new Set<string>();
    for (const file of filesOf(folder, problems)) {
      const read = readOne(file);
      problems.push(...read.problems);
      for (const shape of read.shapes) {
        if (own.has(shape.name)) {
          const first = shapes.get(shape.name)?.file ?? "";
          problems.push({ file, line: shape.line, shape: shape.name, message: `It is already in ${first}` });
          continue;
        }
        own.add(shape.name);
        shapes.set(shape.name, shape);
      }
    }
  }
  return createShapeBook([...shapes.values()], { problems, ...(options.now && { now: options.now }) });
}

function filesOf(folder: string, problems: ShapeProblem[]): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    problems.push({ file: folder, line: 1, message: "The folder cannot be read" });
    return [];
  }
  const files = names.filter((name) => /^[^.].*\.ya?ml$/.test(name)).sort();
  if (files.length > MOST_FILES)
    problems.push({ file: folder, line: 1, message: `Only the first ${MOST_FILES} files are read` });
  return files.slice(0, MOST_FILES).map((name) => join(folder, name));
}

function readOne(file: string): ReturnType<typeof readShapeFile> {
  const fail = (message: string) => ({ shapes: [], problems: [{ file, line: 1, message }] });
  try {
    const stat = statSync(file);
    if (!stat.isFile()) return fail("It is not a file");
    if (stat.size > LARGEST_FILE) return fail(`It is larger than ${LARGEST_FILE / 1024} KB`);
    return readShapeFile(file, readFileSync(file, "utf8"));
  } catch {
    return fail("It cannot be read");
  }
}
