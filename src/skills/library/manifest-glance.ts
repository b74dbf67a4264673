import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { domainToUnicode } from "node:url";
import { YamlSource } from "../manifest/yaml-source.ts";
import { readRegular } from "./skill-folder.ts";

/** What can be known of a skill without compiling it: enough to tell which of many is meant. */
export interface Glance {
  /** Changes with the manifest. */
  readonly stamp: string;
  readonly id: string;
  /** The manifest in lower case, empty where there is none. */
  readonly text: string;
}

/** More than this is no manifest. */
const LARGEST = 1_000_000n;

/** Looks at a folder's manifest; at its time only, where that is as it was. */
export function glance(folder: string, before: Glance | undefined): Glance {
  const path = join(folder, "skill.yaml");
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  const stamp = stat === undefined ? "none" : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
  if (before?.stamp === stamp) return before;
  let bytes: Buffer = Buffer.alloc(0);
  try {
    if (stat !== undefined && stat.size < LARGEST) bytes = readRegular(path);
  } catch {} // loading it says why
  return { stamp, id: idIn(bytes) ?? basename(folder), text: bytes.toString("utf8").toLowerCase() };
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
