import { isRecord } from "../../kernel/index.ts";
import { anyShape, type RelationType, splitMany } from "./field-type.ts";
import { isAbsent, type JsonRecord } from "./json-record.ts";
import type { ShapeLookup } from "./shape-lookup.ts";

/** `typed`: the result names the shape itself, `{"account": {…}}`; otherwise only the relation's label says it. */
type VisitReference = (shape: string, record: JsonRecord, typed: boolean) => unknown;

/** Several keys in one reference are several shapes under one label. */
const MOST_KEYS = 8;

/**
 * Visits every record that a value refers to and puts what the visitor returns in its place, undefined dropping it.
 * `{"account": {…}}` and `{"account[]": [{…}]}` are references whatever the label; plain records are where the shape
 * declares a relation. Answers undefined where the value refers to nothing.
 */
export function mapReferences(
  lookup: ShapeLookup,
  relation: RelationType | undefined,
  value: unknown,
  visit: VisitReference,
): { value: unknown } | undefined {
  const plain = relation?.shape !== anyShape ? relation : undefined;
  if (Array.isArray(value)) {
    const list = value.filter((one) => !isAbsent(one));
    const referring =
      list.length > 0 && list.every((one) => isTyped(lookup, one) || (plain && isRecord(one)));
    if (!referring) return undefined;
    const mapped = list.map((one) => mapReferences(lookup, plain, one, visit)?.value);
    return { value: someOf(mapped) };
  }
  if (isTyped(lookup, value)) {
    const entries = Object.entries(value).map(([key, inner]) => {
      const { name } = splitMany(key);
      return [key, visitAll(inner, (record) => visit(name, record, true))] as const;
    });
    const kept = entries.filter(([, inner]) => inner !== undefined);
    return { value: kept.length === 0 ? undefined : Object.fromEntries(kept) };
  }
  if (plain === undefined || !isRecord(value)) return undefined;
  return { value: visit(plain.shape, value, false) };
}

function visitAll(value: unknown, visit: (record: JsonRecord) => unknown): unknown {
  if (Array.isArray(value))
    return someOf(value.map((one) => (Array.isArray(one) ? undefined : visitAll(one, visit))));
  if (isRecord(value)) return visit(value);
  // A tag, a shelf or a label is often given as nothing but its name.
  return typeof value === "string" && value.trim() !== "" ? visit({ name: value }) : undefined;
}

function someOf(values: readonly unknown[]): unknown[] | undefined {
  const kept = values.filter((one) => one !== undefined);
  return kept.length === 0 ? undefined : kept;
}

function isTyped(lookup: ShapeLookup, value: unknown): value is JsonRecord {
  if (!isRecord(value)) return false;
  const keys = Object.keys(value);
  if (keys.length === 0 || keys.length > MOST_KEYS) return false;
  // What is absent says nothing, unless there is nothing else.
  const said = keys.filter((key) => !isAbsent(value[key]));
  return (said.length === 0 ? keys : said).every((key) => {
    const { name, many } = splitMany(key);
    const inner = value[key];
    const fits =
      isAbsent(inner) || isRecord(inner) || Array.isArray(inner) || (many && typeof inner === "string");
    return fits && lookup.find(name) !== undefined;
  });
}
