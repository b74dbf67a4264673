/** The documents people read, taken apart: what they link to, which files and commands they name. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type CodeBlock, codeBlocks } from "./console-blocks.ts";

export const root = resolve(import.meta.dirname, "../..");

export interface Document {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  /** Without its code blocks. */
  readonly prose: string;
  readonly blocks: readonly CodeBlock[];
}

export function documents(): Document[] {
  const paths = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...globSync("docs/**/*.md", { cwd: root })];
  return paths.map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const prose = text.replace(/^```.*?^```$/gms, (block) => block.replace(/[^\n]/g, ""));
    return { path, text, prose, blocks: codeBlocks(text) };
  });
}

/** Every `code` in the prose, with its line. */
export function codeSpans({ prose }: Document): { readonly line: number; readonly text: string }[] {
  return prose
    .split("\n")
    .flatMap((line, index) =>
      [...line.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => ({ line: index + 1, text })),
    );
}

/** What is wrong with a link, or nothing. */
export function brokenLinks({ path, prose }: Document): string[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? path : join(dirname(path), file);
    if (!existsSync(join(root, target))) return [`${path}: ${link} leads nowhere`];
    if (anchor === undefined) return [];
    const there = readFileSync(join(root, target), "utf8");
    return anchorsOf(there).includes(anchor) ? [] : [`${path}: ${target} has no heading ${anchor}`];
  });
}

/** As GitHub makes them of headings. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

const tree: readonly string[] = globSync(
  ["{src,test,bench,bin,docs,skills,shapes,adapters}/**", "*.{json,md}"],
  { cwd: root, exclude: (name) => name === "node_modules" },
);
const names = new Set(tree.map((path) => basename(path)));

/** Files and folders of the repository that a document names: `src/vault`, `engine/launch.ts`, `vault-kill.test.ts`. */
export function namedPaths(document: Document): { readonly line: number; readonly path: string }[] {
  const own = new Set(
    document.blocks.flatMap(({ words }) => words.slice(0, 1)).map((path) => basename(path)),
  );
  return codeSpans(document).flatMap(({ line, text }) =>
    text
      .split(" ")
      .filter((word) => /^(src|test|bench|bin)\/|^\w[\w/*.-]*\.(ts|mjs|py)$/.test(word))
      .filter((word) => !own.has(basename(word)))
      .map((path) => ({ line, path: path.replace(/\/$/, "") })),
  );
}

/** By its whole path, from `src/` on, or, as in the row of a table that named the folder before, by its name. */
export function isThere(path: string): boolean {
  const places = [path, join("src", path)];
  if (path.includes("*")) return places.some((place) => globSync(place, { cwd: root }).length > 0);
  return places.some((place) => existsSync(join(root, place))) || (!path.includes("/") && names.has(path));
}
