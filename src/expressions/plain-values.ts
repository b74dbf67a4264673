import { isRecord } from "../kernel/index.ts";

/** Thrown where jq has to be asked. */
export const ASK_JQ: unique symbol = Symbol();

/** Work with longer texts is jq's. */
export const LONGEST_TEXT = 1024 * 1024;

export function isTrue(value: unknown): boolean {
  return value !== null && value !== undefined && value !== false;
}

export function indexOf(value: unknown, step: string | number): unknown {
  if (value === null || value === undefined) return null;
  if (typeof step === "number") {
    if (!Array.isArray(value)) throw ASK_JQ;
    return (value.at(step) as unknown) ?? null;
  }
  const record = recordOf(value);
  return Object.hasOwn(record, step) ? (record[step] ?? null) : null;
}

/** By characters, not by halves of them. */
export function sliceOf(value: unknown, from: number, to: number | undefined): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.slice(from, to);
  const text = textOf(value);
  return isAscii(text) ? text.slice(from, to) : Array.from(text.toWellFormed()).slice(from, to).join("");
}

export function isSame(left: unknown, right: unknown): boolean {
  if (isContainer(left) && isContainer(right)) throw ASK_JQ;
  return (left ?? null) === (right ?? null);
}

/** Numbers only: values of other types have an order of jq's own. */
export function compare(sign: "<" | "<=" | ">" | ">=", left: unknown, right: unknown): boolean {
  if (typeof left !== "number" || typeof right !== "number") throw ASK_JQ;
  if (left === right) return sign === "<=" || sign === ">=";
  return left < right === (sign === "<" || sign === "<=");
}

export function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

export function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  return /^[\x00-\x7f]*$/.test(text);
}

export function textOf(value: unknown): string {
  if (typeof value !== "string" || value.length > LONGEST_TEXT) throw ASK_JQ;
  return value;
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw ASK_JQ;
  return value;
}
