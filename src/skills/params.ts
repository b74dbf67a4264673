import { DeputyError } from "../kernel/index.ts";
import { nearest } from "./nearest.ts";
import type { Operation, Param } from "./skill.ts";

/** What is passed on to an operation: every value of the type its parameter says, defaults filled in. */
export type Params = Readonly<Record<string, unknown>>;

type Coerced = { readonly value: unknown } | { readonly wrong: string };

/**
 * Checks what a caller gave before anything runs. Text becomes what the parameter says it is, because `-p limit=5`
 * can give nothing else. Throws BAD_INPUT naming the parameter, never its value. Null counts as not given.
 */
export function coerceParams(operation: Pick<Operation, "skill" | "name" | "params">, given: Params): Params {
  const call = `${operation.skill} ${operation.name}`;
  const names = [...operation.params.keys()];
  for (const key of Object.keys(given)) {
    if (operation.params.has(key)) continue;
    const near = nearest(key, names);
    throw new DeputyError("BAD_INPUT", `Cannot run ${call}: there is no parameter ${shown(key)}`, {
      hint: near === undefined ? `It takes ${names.join(", ") || "none"}.` : `Did you mean ${near}?`,
    });
  }
  const values: [string, unknown][] = [];
  for (const [name, param] of operation.params) {
    const value = Object.hasOwn(given, name) ? (given[name] ?? undefined) : undefined;
    if (value === undefined) {
      if (param.default !== undefined) values.push([name, structuredClone(param.default)]);
      else if (param.required) {
        throw new DeputyError("BAD_INPUT", `Cannot run ${call}: the parameter ${name} is missing`, {
          hint: `${name}: ${param.description ?? param.type}`,
        });
      }
      continue;
    }
    const coerced = coerceValue(param, value);
    if ("wrong" in coerced) {
      throw new DeputyError("BAD_INPUT", `Cannot run ${call}: the parameter ${name} ${coerced.wrong}`, {
        hint: `${name}: ${param.description ?? param.type}`,
      });
    }
    values.push([name, coerced.value]);
  }
  return Object.fromEntries(values);
}

export function coerceValue(param: Pick<Param, "type" | "enum">, given: unknown): Coerced {
  const coerced = asType(param.type, given);
  if ("wrong" in coerced || param.enum === null) return coerced;
  const inEnum = (value: unknown) =>
    param.enum?.some((one) => one === value || String(one) === value) ?? true;
  const each = Array.isArray(coerced.value) ? coerced.value : [coerced.value];
  return each.every(inEnum) ? coerced : { wrong: `must be one of ${param.enum.join(", ")}` };
}

function asType(type: Param["type"], given: unknown): Coerced {
  switch (type) {
    case "string":
    case "text":
      return asText(given);
    case "integer":
      return asNumber(given, true);
    case "number":
      return asNumber(given, false);
    case "boolean":
      return asBoolean(given);
    case "array":
      return asArray(given, (item) => ({ value: item }));
    case "string[]":
      return asArray(given, asText);
    case "integer[]":
      return asArray(given, (item) => asNumber(item, true));
    case "number[]":
      return asArray(given, (item) => asNumber(item, false));
    case "boolean[]":
      return asArray(given, asBoolean);
    case "object":
      return asObject(given);
    case "json":
      return { value: typeof given === "string" ? (fromJson(given) ?? { value: given }).value : given };
    case "date":
      return asDate(given);
    case "datetime":
      return asDateTime(given);
    case "url":
      return asUrl(given);
  }
}

function asText(given: unknown): Coerced {
  if (typeof given === "string") return { value: given };
  if (typeof given === "number" || typeof given === "boolean") return { value: String(given) };
  return { wrong: "must be text" };
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function asNumber(given: unknown, whole: boolean): Coerced {
  const wrong = { wrong: `must be a ${whole ? "whole number" : "number"}` };
  const value = typeof given === "string" && NUMBER.test(given.trim()) ? Number(given) : given;
  if (typeof value !== "number" || !Number.isFinite(value)) return wrong;
  return whole && !Number.isSafeInteger(value) ? wrong : { value };
}

function asBoolean(given: unknown): Coerced {
  if (typeof given === "boolean") return { value: given };
  const word = typeof given === "string" ? given.trim().toLowerCase() : given;
  if (word === 1 || ["true", "yes", "1", "on"].includes(word as string)) return { value: true };
  if (word === 0 || ["false", "no", "0", "off"].includes(word as string)) return { value: false };
  return { wrong: "must be true or false" };
}

/** A list, a list as JSON, or text with commas. */
function asArray(given: unknown, item: (value: unknown) => Coerced): Coerced {
  let list = given;
  if (typeof given === "string") {
    const parsed = given.trimStart().startsWith("[") ? fromJson(given)?.value : undefined;
    list = parsed ?? given.split(",").map((part) => part.trim());
  }
  if (!Array.isArray(list)) list = [list];
  const values: unknown[] = [];
  for (const one of list as unknown[]) {
    const coerced = item(one);
    if ("wrong" in coerced) return { wrong: `is a list, and each of it ${coerced.wrong}` };
    values.push(coerced.value);
  }
  return { value: values };
}

function asObject(given: unknown): Coerced {
  const value = typeof given === "string" ? fromJson(given)?.value : given;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { value };
  return { wrong: "must be a JSON object" };
}

function asDate(given: unknown): Coerced {
  const wrong = { wrong: "must be a date such as 2026-11-15" };
  if (typeof given !== "string") return wrong;
  const day = /^(\d{4}-\d\d-\d\d)($|T)/.exec(given.trim())?.[1];
  if (day === undefined) return wrong;
  const parsed = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(parsed.getTime()) || !parsed.toISOString().startsWith(day) ? wrong : { value: day };
}

/** ISO 8601 stays as it is; seconds or milliseconds since 1970 become it. */
function asDateTime(given: unknown): Coerced {
  const wrong = { wrong: "must be a time such as 2026-11-15T09:30:00Z" };
  const numeric = typeof given === "string" && /^\d{9,14}$/.test(given.trim()) ? Number(given) : given;
  if (typeof numeric === "number") {
    const time = new Date(numeric < 1e11 ? numeric * 1000 : numeric);
    return Number.isNaN(time.getTime()) ? wrong : { value: time.toISOString() };
  }
  if (
    typeof given !== "string" ||
    !/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(given.trim())
  ) {
    return wrong;
  }
  return Number.isNaN(Date.parse(given)) ? wrong : { value: given.trim() };
}

function asUrl(given: unknown): Coerced {
  const text = typeof given === "string" ? given.trim() : "";
  return URL.canParse(text) ? { value: text } : { wrong: "must be a URL" };
}

function fromJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function shown(key: string): string {
  return key.length > 64 ? `${key.slice(0, 64)}…` : key;
}
