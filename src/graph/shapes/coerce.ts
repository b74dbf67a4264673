import type { FieldKind, FieldType } from "./field-type.ts";
import { isAbsent } from "./json-record.ts";
import { parseDatetime } from "./parse-datetime.ts";

/** A value as its type wants it. Where it cannot be, `wrong` says what it is and the value stays as it was. */
export type Coerced = { readonly value: unknown; readonly wrong?: undefined } | { readonly wrong: string };

/** `now` is what "3 days ago" counts from. */
export function coerce(value: unknown, type: FieldType, now: number): Coerced {
  if (type.kind === "json" && !type.many) return { value };
  if (!type.many) return one(value, type.kind, now);
  if (!Array.isArray(value)) {
    const single = one(value, type.kind, now);
    return single.wrong === undefined ? { value: [single.value] } : single;
  }
  const list: unknown[] = [];
  for (const element of value as readonly unknown[]) {
    if (isAbsent(element)) continue;
    const coerced = one(element, type.kind, now);
    if (coerced.wrong !== undefined) return { wrong: `a list with ${coerced.wrong} in it` };
    list.push(coerced.value);
  }
  return { value: list };
}

function one(value: unknown, kind: FieldKind, now: number): Coerced {
  const result = kind === "json" ? value : plain(value, kind, now);
  return result === undefined ? { wrong: kindOf(value) } : { value: result };
}

function plain(value: unknown, kind: Exclude<FieldKind, "json">, now: number): unknown {
  switch (kind) {
    case "string":
    case "text":
      return typeof value === "number" || typeof value === "boolean" ? String(value) : asText(value);
    case "url":
      return asText(value);
    case "integer": {
      const number = asNumber(value);
      return number === undefined ? undefined : Math.trunc(number);
    }
    case "number":
      return asNumber(value);
    case "boolean":
      return asBoolean(value);
    case "datetime":
      return typeof value === "string" || typeof value === "number" ? parseDatetime(value, now) : undefined;
  }
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const THOUSANDS = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

function asNumber(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (text.length > 64) return undefined;
  const digits = THOUSANDS.test(text) ? text.replaceAll(",", "") : text;
  if (!NUMBER.test(digits)) return undefined;
  const number = Number(digits);
  // Ids of 19 digits are often declared as integers: rounding one would make it another's.
  if (!Number.isFinite(number) || (/^[+-]?\d+$/.test(digits) && !Number.isSafeInteger(number)))
    return undefined;
  return number;
}

function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  const word = typeof value === "number" ? String(value) : asText(value)?.trim().toLowerCase();
  if (word === "true" || word === "yes" || word === "1") return true;
  if (word === "false" || word === "no" || word === "0") return false;
  return undefined;
}

export function kindOf(value: unknown): string {
  if (isAbsent(value)) return "nothing";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "text";
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    default:
      return "an object";
  }
}
