import { isRecord } from "../../kernel/index.ts";
import { deepest } from "./check-result.ts";
import { isNamed } from "./identities-in.ts";
import { isAbsent, type JsonRecord } from "./json-record.ts";
import { mapReferences } from "./map-references.ts";
import { type Expected, parseReturns, type Returns } from "./returns.ts";
import type { ShapeLookup } from "./shape-lookup.ts";

/** One record of a result by itself: its own values, and where in the list the entities are that it refers to. */
export interface Entity {
  readonly shape: string;
  readonly value: JsonRecord;
  readonly links: readonly { readonly label: string; readonly to: number }[];
}

const MOST_ENTITIES = 100_000;

/**
 * The entities of a checked result in the order they are met, what they refer to right behind them. Records that
 * cannot be called by anything are left out. The same data always gives the same list.
 */
export function entitiesOf(
  lookup: ShapeLookup,
  returns: Returns | string | undefined,
  data: unknown,
): Entity[] {
  const entities: { shape: string; value: JsonRecord; links: { label: string; to: number }[] }[] = [];

  const collect = (shape: string, record: JsonRecord, depth: number): number | undefined => {
    if (depth > deepest || entities.length >= MOST_ENTITIES || !isNamed(lookup, shape, record))
      return undefined;
    const index = entities.length;
    const links: { label: string; to: number }[] = [];
    const values: [string, unknown][] = [];
    const entity = { shape, value: record, links };
    entities.push(entity);
    for (const [key, value] of Object.entries(record)) {
      if (isAbsent(value)) continue;
      const opaque = lookup.fieldsOf(shape).get(key)?.kind === "json";
      const visit = (to: string, inner: JsonRecord): unknown => {
        const target = collect(to, inner, depth + 1);
        if (target !== undefined) links.push({ label: key, to: target });
        return inner;
      };
      if (opaque || mapReferences(lookup, lookup.relationsOf(shape).get(key), value, visit) === undefined)
        values.push([key, value]);
    }
    entity.value = Object.fromEntries(values);
    return index;
  };

  const walk = (expected: Expected, value: unknown, depth: number): void => {
    if (depth > deepest) return;
    if (expected.kind === "keys" && expected.many && Array.isArray(value))
      for (const one of value) walk({ ...expected, many: false }, one, depth + 1);
    if (expected.kind === "keys" && isRecord(value)) {
      for (const [key, inner] of expected.keys)
        if (Object.hasOwn(value, key)) walk(inner, value[key], depth + 1);
    }
    if (expected.kind !== "entity" || lookup.find(expected.shape) === undefined) return;
    for (const record of Array.isArray(value) ? value : [value])
      if (isRecord(record)) collect(expected.shape, record, 0);
  };
  walk(parseReturns(returns), data, 0);
  return entities;
}
