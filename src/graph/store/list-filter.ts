import { DeputyError } from "../../kernel/index.ts";
import type { SqlValue } from "../../platform/index.ts";
import type { Filter, FilterOperator } from "../graph.ts";
import { coerce } from "../shapes/coerce.ts";
import { getRow } from "./show-entity.ts";
import type { Store } from "./store.ts";
import { encode } from "./stored-value.ts";

/** A part of a WHERE about `t.entity`, with what it takes. */
export interface Condition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

const NEVER: Condition = { sql: "0", params: [] };
const ALWAYS: Condition = { sql: "1", params: [] };

const COMPARISON = { lt: "<", le: "<=", gt: ">", ge: ">=" } as const;

/** Absent is not false: what an entity says nothing about fits only `missing`. */
export function conditionOf(store: Store, shape: string, filter: Filter, now: number): Condition {
  const { field, is } = filter;
  if (is === "linked") return linked(store, filter);
  const key = store.words.find(field);
  if (is === "missing") return key === undefined ? ALWAYS : missing(key);
  if (filter.value === undefined || filter.value === null)
    throw new DeputyError("BAD_INPUT", `What should ${field} be compared with?`, {
      hint: "To find those that say nothing about it, ask for missing.",
    });
  if (key === undefined) return NEVER;
  const compared = compare(is, wantedValues(store, shape, filter, now));
  return {
    sql: `EXISTS (SELECT 1 FROM entity_values v WHERE v.entity = t.entity AND v.field = ? AND ${compared.sql})`,
    params: [key, ...compared.params],
  };
}

export function missing(key: number): Condition {
  return {
    sql: `NOT EXISTS (SELECT 1 FROM entity_values v WHERE v.entity = t.entity AND v.field = ?)
      AND NOT EXISTS (SELECT 1 FROM links l WHERE l.source = t.entity AND l.label = ?)`,
    params: [key, key],
  };
}

/** In the type the shape declares; where it declares none, text that is a number stands for both. */
function wantedValues(store: Store, shape: string, { field, is, value }: Filter, now: number): SqlValue[] {
  const type = store.book.fieldsOf(shape).get(field);
  if (type !== undefined && is !== "contains") {
    const coerced = coerce(value, { kind: type.kind, many: false }, now);
    if (coerced.wrong === undefined && type.kind !== "json") return [encode(coerced.value)];
  }
  const own = encode(value);
  if (typeof value !== "string") return [own];
  if (value === "true" || value === "false") return [own, encode(value === "true")];
  const number = value.trim() === "" ? Number.NaN : Number(value);
  return Number.isFinite(number) ? [own, number] : [own];
}

/** Of a list each element counts. */
function compare(is: Exclude<FilterOperator, "linked" | "missing">, wanted: readonly SqlValue[]): Condition {
  const some = (one: (value: SqlValue) => string) => `(${wanted.map(one).join(" OR ")})`;
  const inList = (test: string) =>
    `(typeof(v.value) = 'blob' AND EXISTS (SELECT 1 FROM json_each(CAST(v.value AS TEXT)) j WHERE ${test}))`;
  const twice = wanted.flatMap((value) => [value, value]);
  switch (is) {
    case "eq":
      return { sql: some(() => `(v.value = ? OR ${inList("j.value = ?")})`), params: twice };
    case "ne":
      return { sql: `NOT ${some(() => `(v.value = ? OR ${inList("j.value = ?")})`)}`, params: twice };
    case "contains":
      return {
        sql: some(
          () => `(instr(lower(v.value), lower(?)) > 0 AND typeof(v.value) <> 'blob'
          OR ${inList("instr(lower(j.value), lower(?)) > 0")})`,
        ),
        params: twice,
      };
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return {
        sql: some((value) => {
          const types = typeof value === "number" ? "'real', 'integer'" : "'text'";
          return `(typeof(v.value) IN (${types}) AND v.value ${COMPARISON[is]} ?)`;
        }),
        params: wanted,
      };
  }
}

/** By one label from here to there; by any label also from there to here. */
function linked(store: Store, { field, value }: Filter): Condition {
  const target = getRow(store, String(value)).key;
  const those = "(SELECT ? UNION ALL SELECT key FROM entities WHERE merged_into = ?)";
  if (field === "*") {
    return {
      sql: `(EXISTS (SELECT 1 FROM links l WHERE l.source = t.entity AND l.target IN ${those})
        OR EXISTS (SELECT 1 FROM links l WHERE l.source = ? AND l.target = t.entity))`,
      params: [target, target, target],
    };
  }
  const label = store.words.find(field);
  if (label === undefined) return NEVER;
  return {
    sql: `EXISTS (SELECT 1 FROM links l WHERE l.source = t.entity AND l.label = ? AND l.target IN ${those})`,
    params: [label, target, target],
  };
}
