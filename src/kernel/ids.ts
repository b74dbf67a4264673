import { randomUUIDv7 } from "node:crypto";

/** A unique id that sorts by the time it was made, such as `run_019a…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomUUIDv7().replaceAll("-", "")}`;
}
