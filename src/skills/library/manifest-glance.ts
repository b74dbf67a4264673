import { lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { domainToUnicode } from "node:url";
import { splitReadme } from "../decorated/index.ts";
import { YamlSource } from "../manifest/yaml-source.ts";
import { readRegular } from "./skill-folder.ts";

/** What can be known of a skill without compiling it: enough to tell which of many is meant. */
export interface Glance {
  /** Changes with the manifest. */
  readonly stamp: string;
  readonly id: string;
  /** The manifest in lower case, empty where there is none; without one, everything that may stand for it. */
  readonly text: string;
}

/** More than this is no manifest. */
const LARGEST = 1_000_000n;

/** Looks at a folder's manifest; at its time only, where that is as it was. */
export function glance(folder: string, before: Glance | undefined): Glance {
  const manifest = seen(folder, "skill.yaml");
  const instead = manifest === undefined ? declaringFilesIn(folder) : [];
  const stamp = [manifest, ...instead].map((one) => one?.stamp ?? "none").join();
  if (before?.stamp === stamp) return before;
  if (manifest !== undefined) {
    const bytes = contentOf(manifest);
    return { stamp, id: idIn(bytes) ?? basename(folder), text: bytes.toString("utf8").toLowerCase() };
  }
  const texts = instead.map((one) => ({ ...one, text: contentOf(one).toString("utf8") }));
  const front = texts.flatMap(({ name, text }) => (isReadme(name) ? [splitReadme(text).front ?? ""] : []));
  const said = front.map((text) => idIn(Buffer.from(text))).find((id) => id !== undefined);
  const text = texts
    .map((one) => one.text)
    .join("\n")
    .toLowerCase();
  return { stamp, id: said ?? basename(folder), text };
}

interface Seen {
  readonly name: string;
  readonly path: string;
  readonly size: bigint;
  readonly stamp: string;
}

function seen(folder: string, name: string): Seen | undefined {
  const path = join(folder, name);
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  return { name, path, size: stat.size, stamp: `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` };
}

/** Files that may declare something, where there is no manifest. */
function declaringFilesIn(folder: string): Seen[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".py") || isReadme(name))
      .sort()
      .flatMap((name) => seen(folder, name) ?? []);
  } catch {
    return [];
  }
}

function contentOf({ path, size }: Seen): Buffer {
  try {
    if (size < LARGEST) return readRegular(path);
  } catch {} // loading it says why
  return Buffer.alloc(0);
}

function isReadme(name: string): boolean {
  return name.toLowerCase() === "readme.md";
}

/** The id a manifest says, read even where the rest of it cannot be: a broken skill keeps its name. */
export function idIn(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  const line = /^\uFEFF?id:[ \t]*(["']?)([a-z0-9][a-z0-9_-]{0,63})\1[ \t]*(?:#.*)?\r?$/m.exec(text)?.[2];
  if (line !== undefined) return line;
  const source = YamlSource.parse(bytes, "skill.yaml");
  const data: unknown = source instanceof YamlSource ? source.data : undefined;
  const id = typeof data === "object" && data !== null && "id" in data ? data.id : undefined;
  return typeof id === "string" ? id : undefined;
}

/** Whether a connection of the skill can be one at the domain: its name, or the skill's as one, stands in the manifest. */
export function mentions({ id, text }: Glance, domain: string): boolean {
  return id === domain || text.includes(domain) || text.includes(domainToUnicode(domain));
}

/** Whether the skill can be one that supplies something to others: the word stands in the manifest, or Python may say so. */
export function mayProvide(folder: string, { text }: Glance): boolean {
  return text.includes("provides") || declaringFilesIn(folder).some(({ name }) => name.endsWith(".py"));
}
