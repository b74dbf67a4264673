import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DeputyError } from "../../kernel/index.ts";

/** A skill with its npm packages fits; a folder added by mistake, such as a home, does not. */
const MOST_FILES = 4_000;
const LARGEST_FOLDER = 64 * 1024 * 1024;
const DEEPEST = 24;

/** Without effect on what a skill does, because they are never handed to a host either. */
const IGNORED = new Set([".git", "__pycache__", ".DS_Store"]);

/** The files of a skill as they are now, found without reading them. */
interface FolderState {
  /** Relative, with `/`, sorted. */
  readonly files: readonly string[];
  /** Changes whenever a file does. */
  readonly stamp: string;
  /** Why the folder cannot be a skill's. */
  readonly refusal: string | undefined;
}

export function folderState(folder: string): FolderState {
  const files: string[] = [];
  const hash = createHash("sha256");
  let bytes = 0;

  const visit = (relative: string, depth: number): string | undefined => {
    if (depth > DEEPEST) return `its folders are nested more than ${DEEPEST} deep`;
    for (const entry of readdirSync(join(folder, relative), { withFileTypes: true })) {
      const path = relative === "" ? entry.name : `${relative}/${entry.name}`;
      if (IGNORED.has(entry.name) || path.endsWith("node_modules/.bin")) continue;
      if (entry.isDirectory()) {
        const refusal = visit(path, depth + 1);
        if (refusal !== undefined) return refusal;
        continue;
      }
      // A link could lead out of the folder, to files no grant was asked for.
      if (!entry.isFile()) return `${path} is ${entry.isSymbolicLink() ? "a link" : "not a file"}`;
      const stat = lstatSync(join(folder, path), { bigint: true });
      bytes += Number(stat.size);
      files.push(path);
      if (files.length > MOST_FILES) return `it has more than ${MOST_FILES} files`;
      if (bytes > LARGEST_FOLDER) return `its files are over ${LARGEST_FOLDER / 1024 / 1024} MB together`;
      hash.update(`${path}\0${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}\n`);
    }
    return undefined;
  };
  let refusal: string | undefined;
  try {
    refusal = visit("", 0);
  } catch (error) {
    refusal = `it cannot be read (${error instanceof Error && "code" in error ? String(error.code) : "unknown"})`;
  }
  hash.update(refusal ?? "");
  return { files: files.sort(), stamp: hash.digest("base64"), refusal };
}

export interface FolderContent {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly pin: string;
  readonly stamp: string;
}

/** Every file with the pin of exactly these bytes. Tried again while somebody is writing. */
export function readFolder(folder: string): FolderContent | { refusal: string; stamp: string } {
  for (let tries = 1; ; tries++) {
    const before = folderState(folder);
    const { refusal, stamp } = before;
    if (refusal !== undefined) return { refusal, stamp };
    const files = new Map<string, Buffer>();
    try {
      for (const path of before.files) files.set(path, readRegular(join(folder, path)));
    } catch (error) {
      if (tries < 5) continue;
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
      return { refusal: `its files cannot be read (${code})`, stamp };
    }
    if (folderState(folder).stamp === stamp) return { files, pin: pinOf(files), stamp };
    if (tries >= 5) return { refusal: "its files keep changing", stamp };
  }
}

/** The bytes a run may use: those the pin, and with it the grant, is about. */
export function readPinned(skill: { id: string; folder: string; pin: string }): ReadonlyMap<string, Buffer> {
  const content = readFolder(skill.folder);
  if ("pin" in content && content.pin === skill.pin) return content.files;
  throw new DeputyError("CONFLICT", `The files of ${skill.id} changed while it was being started`, {
    hint: "Try again: the changed skill is used then.",
  });
}

/** Names and contents with their lengths, so that no two folders have one pin. */
export function pinOf(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash("sha256").update("deputy skill 1\n");
  for (const path of [...files.keys()].sort()) {
    const content = files.get(path) ?? new Uint8Array();
    hash.update(`${Buffer.byteLength(path)}:${path}:${content.length}:`).update(content);
  }
  return `sha256:${hash.digest("hex")}`;
}

export function readRegular(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > LARGEST_FOLDER) throw Object.assign(new Error(), { code: "EINVAL" });
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
