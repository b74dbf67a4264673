import { isObject } from "../executors/evaluate.ts";

/** What an operation gave back, with what is meant for the engine taken out of it. */
export interface SplitResult {
  readonly data: unknown;
  readonly cache: Readonly<Record<string, unknown>> | null;
  readonly kept: Readonly<Record<string, unknown>> | null;
  readonly secrets: readonly unknown[];
}

const RESERVED = ["__result__", "__cache__", "__data__", "__secrets__"];

export function splitResult(returned: unknown): SplitResult {
  if (!isObject(returned) || !RESERVED.some((key) => Object.hasOwn(returned, key))) {
    return { data: returned, cache: null, kept: null, secrets: [] };
  }
  const rest = Object.fromEntries(Object.entries(returned).filter(([key]) => !RESERVED.includes(key)));
  const secrets = returned["__secrets__"];
  return {
    data: Object.hasOwn(returned, "__result__") ? returned["__result__"] : rest,
    cache: isObject(returned["__cache__"]) ? returned["__cache__"] : null,
    kept: isObject(returned["__data__"]) ? returned["__data__"] : null,
    secrets: Array.isArray(secrets) ? secrets : secrets === undefined ? [] : [secrets],
  };
}
