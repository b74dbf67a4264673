import { readFileSync, statSync } from "node:fs";
import { isRecord } from "../kernel/index.ts";

const LARGEST = 32 * 1024 * 1024;

/** A file of a browser's, or undefined where it is absent, not a plain file, too large or not for us to read. */
export function findSmallFile(path: string): Buffer | undefined {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= LARGEST ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON of such a file as an object, or undefined. */
export function findJsonFile(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(JSON.parse(findSmallFile(path)?.toString("utf8") ?? ""));
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined;
}
