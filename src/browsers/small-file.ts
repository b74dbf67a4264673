import { readFileSync, statSync } from "node:fs";

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
export function findJsonFile(path: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(findSmallFile(path)?.toString("utf8") ?? ""));
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as Record<string, unknown>;
}
