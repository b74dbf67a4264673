/**
 * The shape of the tree as failing tests. Each rule says why it is there; docs/architecture.md shows the table.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { test } from "node:test";
import { MAY_IMPORT } from "./support/import-table.ts";

const root = resolve(import.meta.dirname, "..");
const src = join(root, "src");

/** Doors beside a folder's index.ts, each with its reason. */
const SECOND_DOORS: Record<string, string> = {
  "platform/for-commands.ts":
    "a command loads what it takes to reach the engine, and starts in half the time",
};

/** Built-in modules and globals that are the operating system: only platform/ touches them. */
const PLATFORM_ONLY = [
  [/from "node:sqlite"/, "node:sqlite"],
  [/from "node:child_process"/, "node:child_process"],
  [/"node:ffi"/, "node:ffi"],
  [/process\.env/, "process.env"],
] as const;

/** Files over the limit, each with its reason. */
const LONG_FILES: Record<string, string> = {};
const LONGEST = 400;

interface Source {
  path: string;
  folder: string;
  text: string;
  imports: string[];
}

const sources: Source[] = globSync("**/*.ts", { cwd: src }).map((path) => {
  const text = readFileSync(join(src, path), "utf8");
  const parts = path.split(sep);
  const folder = parts.length === 1 ? "" : parts[0] === "entry" ? parts.slice(0, 2).join("/") : parts[0]!;
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) => match[1]!);
  return { path, folder, text, imports };
});
const product = sources.filter((source) => !source.path.endsWith(".test.ts"));

function folderOf(path: string): string {
  const parts = path.split(sep);
  return parts[0] === "entry" ? parts.slice(0, 2).join("/") : parts[0]!;
}

test("every folder of src/ is in the import table, so that none is free of rules", () => {
  const folders = new Set(sources.map((source) => source.folder).filter((folder) => folder !== ""));
  assert.ok(folders.size > 0);
  for (const folder of folders) assert.ok(folder in MAY_IMPORT, `src/${folder} is not in the table`);
});

test("folders import only what the table allows, so that data flows one way", () => {
  const wrong: string[] = [];
  for (const source of product) {
    for (const specifier of source.imports) {
      const target = relative(src, resolve(src, dirname(source.path), specifier));
      if (target.startsWith("..")) continue;
      const to = folderOf(target);
      const allowed = MAY_IMPORT[source.folder] ?? [];
      if (to !== source.folder && source.folder !== "" && !allowed.includes(to))
        wrong.push(`${source.path} → ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("a folder is entered by its index.ts, or by a door with a reason, so that its inside can change", () => {
  const wrong: string[] = [];
  for (const source of product) {
    for (const specifier of source.imports) {
      const target = relative(src, resolve(src, dirname(source.path), specifier));
      if (target.startsWith("..") || folderOf(target) === source.folder) continue;
      if (target in SECOND_DOORS) continue;
      if (target !== join(folderOf(target), "index.ts")) wrong.push(`${source.path} → ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("only platform/ touches SQLite, child processes, FFI and the environment, so that the OS has one door", () => {
  const wrong: string[] = [];
  for (const source of product) {
    if (source.folder === "platform") continue;
    for (const [pattern, name] of PLATFORM_ONLY)
      if (pattern.test(source.text)) wrong.push(`${source.path}: ${name}`);
  }
  assert.deepEqual(wrong, []);
});

test("files stay under 400 lines unless a reason is listed, so that each is one thing", () => {
  const wrong: string[] = [];
  for (const source of product) {
    const lines = source.text.split("\n").length - 1;
    if (lines > LONGEST && !(source.path in LONG_FILES)) wrong.push(`${source.path}: ${lines}`);
  }
  assert.deepEqual(wrong, []);
  for (const path of Object.keys(LONG_FILES))
    assert.ok(
      product.some((source) => source.path === path),
      path,
    );
});

test("every index.ts opens with 2 to 6 lines on what the folder is for and what it refuses", () => {
  const wrong: string[] = [];
  for (const source of product.filter((source) => source.path.endsWith("index.ts"))) {
    const comment = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(source.text)?.[1];
    const lines = comment?.split("\n").length ?? 0;
    if (lines < 2 || lines > 6) wrong.push(`${source.path}: ${lines} lines`);
  }
  assert.deepEqual(wrong, []);
});

test("file names say what is in them", () => {
  const vague = product.filter((source) =>
    /(^|[/-])(utils?|helpers?|common|misc|manager|service)\.ts$/.test(source.path),
  );
  assert.deepEqual(
    vague.map((source) => source.path),
    [],
  );
});

test("the lock file names no download hosts", () => {
  assert.doesNotMatch(readFileSync(join(root, "package-lock.json"), "utf8"), /"resolved"/);
});
