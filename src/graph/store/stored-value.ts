import { isDeepStrictEqual } from "node:util";
import type { SqlValue } from "../../platform/index.ts";

/** Levels of a value, and characters of it as JSON: more is left out with a warning. */
const DEEPEST = 64;
const LARGEST = 4 * 1024 * 1024;

/** Why a value cannot be kept, or undefined. */
export function whyNotStorable(value: unknown): string | undefined {
  const budget = { left: LARGEST };
  const problem = measure(value, 0, budget);
  return problem ?? (budget.left < 0 ? `is larger than ${LARGEST / 1024 / 1024} MB` : undefined);
}

function measure(value: unknown, depth: number, budget: { left: number }): string | undefined {
  if (typeof value === "string") budget.left -= value.length;
  else budget.left -= 4;
  if (typeof value !== "object" || value === null || budget.left < 0) return undefined;
  if (depth >= DEEPEST) return `is nested more than ${DEEPEST} levels`;
  for (const [key, inner] of Object.entries(value)) {
    budget.left -= key.length;
    const problem = measure(inner, depth + 1, budget);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Text and numbers as themselves, so that they compare and sort; everything else as the bytes of its JSON. */
export function encode(value: unknown): SqlValue {
  if (typeof value === "string") return value.isWellFormed() ? value : json(value);
  return typeof value === "number" ? value : json(value);
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

export function decode(stored: SqlValue): unknown {
  if (typeof stored === "string" || typeof stored === "number" || stored === null) return stored;
  if (typeof stored === "bigint") return Number(stored);
  return JSON.parse(Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString("utf8"));
}

export function isSameStored(one: SqlValue, other: SqlValue): boolean {
  if (one === other) return true;
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return false;
  // The order of keys says nothing.
  return Buffer.compare(one, other) === 0 || isDeepStrictEqual(decode(one), decode(other));
}
