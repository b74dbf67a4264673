import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { DeputyError, systemCode } from "../../kernel/index.ts";
import { fileError } from "../../platform/index.ts";
import type { Source } from "../graph.ts";
import { importLine, type OriginMap } from "./import-lines.ts";
import { writerOf } from "./origins.ts";
import { portableLine } from "./portable.ts";
import { type Store, write } from "./store.ts";

const LINES_AT_ONCE = 1000;
const CHUNK = 256 * 1024;
const LONGEST_LINE = 32 * 1024 * 1024;
const ENDS = 64 * 1024;

/** How far an import got; written in the same transaction as what it took in. */
interface Marker {
  offset: number;
  entities: number;
  added: number;
  refused: number;
  origins: [number, number][];
}

interface ImportInput {
  readonly path: string;
  readonly source: Source;
  readonly at: number;
  /** Lets others have their turn, and throws when the caller gave up. */
  readonly pause: (done: number) => Promise<void>;
}

/** Takes in a file of JSON lines. Broken off at any point, the next call goes on after the last whole batch. */
export async function importFile(
  store: Store,
  { path, source, at, pause }: ImportInput,
): Promise<{ entities: number; added: number; refused: number }> {
  const file = open(path);
  try {
    const name = `import:${fingerprint(file)}`;
    const marker = readMarker(store, name);
    const origins: OriginMap = new Map(marker.origins);
    let batch: Line[] = [];
    const commit = () => {
      write(store, () => {
        const by = writerOf(store, source, at);
        for (const { text, end } of batch) {
          const line = parse(text);
          marker.offset = end;
          if (line === "blank") continue;
          if (line === undefined) marker.refused += 1;
          else {
            const isEntity = "entity" in line || "shape" in line;
            if (isEntity) marker.entities += 1;
            if (importLine(store, line, origins, by) && isEntity) marker.added += 1;
          }
        }
        marker.origins = [...origins];
        store.db.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", name, JSON.stringify(marker));
      });
      batch = [];
    };
    for (const line of readLines(file, marker.offset)) {
      if (batch.push(line) < LINES_AT_ONCE) continue;
      commit();
      await pause(marker.entities);
    }
    commit();
    store.db.run("DELETE FROM meta WHERE key = ?", name);
    const { entities, added, refused } = marker;
    return { entities, added, refused };
  } finally {
    closeSync(file);
  }
}

function open(path: string): number {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (systemCode(error) === "ENOENT")
      throw new DeputyError("NOT_FOUND", `There is no file ${path}`, {
        hint: "Check the path. Nothing was changed.",
      });
    throw fileError(error, path);
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new DeputyError("BAD_INPUT", `${path} is not a file`, {
    hint: "Give a file made by deputy graph export, or one with a record a line.",
  });
}

function fingerprint(file: number): string {
  const { size } = fstatSync(file);
  const hash = createHash("sha256").update(String(size));
  for (const position of [0, Math.max(0, size - ENDS)]) {
    const buffer = Buffer.alloc(Math.min(ENDS, size));
    hash.update(buffer.subarray(0, readSync(file, buffer, 0, buffer.length, position)));
  }
  return hash.digest("base64url");
}

function readMarker(store: Store, name: string): Marker {
  const value = store.db.get("SELECT value FROM meta WHERE key = ?", name)?.["value"];
  if (typeof value === "string") return JSON.parse(value) as Marker;
  return { offset: 0, entities: 0, added: 0, refused: 0, origins: [] };
}

interface Line {
  /** Undefined where it is too long. */
  readonly text: string | undefined;
  /** Where the next one begins. */
  readonly end: number;
}

function* readLines(file: number, from: number): Generator<Line> {
  let position = from;
  let rest: Buffer[] = [];
  let size = 0;
  const line = (last: Buffer): Line => {
    const text = size > LONGEST_LINE ? undefined : Buffer.concat([...rest, last]).toString("utf8");
    rest = [];
    size = 0;
    return { text, end: position };
  };
  let read = from;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const count = readSync(file, chunk, 0, CHUNK, read);
    if (count === 0) break;
    let start = 0;
    for (let at = chunk.indexOf(10); at >= 0 && at < count; at = chunk.indexOf(10, start)) {
      position = read + at + 1;
      yield line(chunk.subarray(start, at));
      start = at + 1;
    }
    size += count - start;
    if (size <= LONGEST_LINE) rest.push(chunk.subarray(start, count));
    read += count;
  }
  position = read;
  if (size > 0) yield line(Buffer.alloc(0));
}

function parse(text: string | undefined) {
  if (text === undefined) return undefined;
  if (text.trim() === "") return "blank";
  try {
    const parsed = portableLine.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // no JSON, or nested too deep to look into
  }
}
