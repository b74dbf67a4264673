import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";
import { DeputyError } from "../../kernel/index.ts";

/** A skill's folder as hosts get it. */
export interface SkillFiles {
  /** Of the folder as its author wrote it: the same hash is the same code. */
  readonly hash: string;
  /** By path relative to the folder, with `/`. TypeScript has lost its types and kept its name, lines and columns. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Takes the types out once, so that no host has to: Node needs 40 ms for its first .ts file. */
export function stripSkillFiles(written: ReadonlyMap<string, Uint8Array>): SkillFiles {
  const files = new Map<string, Uint8Array>();
  for (const [path, content] of written) {
    checkPath(path);
    if (/\.d\.[cm]?ts$/.test(path)) continue;
    const own = !path.split("/").includes("node_modules");
    files.set(path, own && /\.[cm]?ts$/.test(path) ? strip(path, content) : content);
  }
  return { hash: hashFiles(written), files };
}

/** Of names and contents, whatever their order. */
export function hashFiles(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash("sha256");
  for (const [path, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${Buffer.byteLength(path)}:${path}:${content.length}:`).update(content);
  return hash.digest("hex");
}

function strip(path: string, content: Uint8Array): Uint8Array {
  try {
    return Buffer.from(stripTypeScriptTypes(Buffer.from(content).toString("utf8")));
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : "";
    throw new DeputyError("BAD_INPUT", `Cannot read ${path}: ${said}`, {
      hint: "Only TypeScript that can be erased works: no enum, namespace or parameter property.",
      cause,
    });
  }
}

function checkPath(path: string): void {
  const parts = path.split("/");
  const strange = path.includes("\0") || path.includes("\\");
  if (strange || parts.some((part) => part === "" || part === "." || part === ".."))
    throw new DeputyError("BAD_INPUT", `Cannot use the file name ${JSON.stringify(path)} in a skill`, {
      hint: "Rename it: no backslash, no empty part, no . or .. between slashes.",
    });
}
