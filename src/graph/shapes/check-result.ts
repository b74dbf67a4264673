import { isRecord } from "../../kernel/index.ts";
import { coerce, kindOf } from "./coerce.ts";
import { createCodeAdvice, type FindCodeAdvice } from "./code-advice.ts";
import { anyShape, type FieldType, type RelationType, showType } from "./field-type.ts";
import { isNamed } from "./identities-in.ts";
import { isAbsent, type JsonRecord } from "./json-record.ts";
import { mapReferences } from "./map-references.ts";
import { createWarningList, type ResultWarning, showKey } from "./result-warning.ts";
import { type Expected, parseReturns, type Returns } from "./returns.ts";
import type { ShapeLookup } from "./shape-lookup.ts";
import { canonicalField } from "./standard-fields.ts";

export interface CheckedResult {
  readonly data: unknown;
  readonly warnings: readonly ResultWarning[];
  /** Of the entities returned: in how many a field was, and in how many it was of its type. */
  readonly fields: readonly FieldTally[];
}

interface FieldTally {
  readonly field: string;
  readonly present: number;
  readonly valid: number;
}

/** References inside references: what lies deeper is kept as it is. */
export const deepest = 16;
/** Records that are looked at: what comes after is kept as it is. */
const MOST_RECORDS = 100_000;

interface Walk {
  readonly lookup: ShapeLookup;
  readonly now: number;
  readonly warnings: ReturnType<typeof createWarningList>;
  readonly findCodeAdvice: FindCodeAdvice;
  readonly tally: Map<string, { present: number; valid: number }>;
  records: number;
}

interface Place {
  readonly where: string;
  readonly depth: number;
}

export function checkResult(
  lookup: ShapeLookup,
  returns: Returns | string | undefined,
  data: unknown,
  now: number,
): CheckedResult {
  const walk: Walk = {
    lookup,
    now,
    warnings: createWarningList(),
    findCodeAdvice: createCodeAdvice(),
    tally: new Map(),
    records: 0,
  };
  const checked = checkExpected(walk, parseReturns(returns), data, { where: "", depth: 0 });
  const fields = [...walk.tally].map(([field, counts]) => ({ field, ...counts }));
  return { data: checked, warnings: walk.warnings.list(), fields };
}

function checkExpected(walk: Walk, expected: Expected, data: unknown, at: Place): unknown {
  if (isAbsent(data)) return data;
  const { where } = at;
  switch (expected.kind) {
    case "anything":
      return data;
    case "value":
      return checkField(walk, expected.type, where, data, where === "" ? "result" : where).value;
    case "keys":
      if (isRecord(data)) return checkKeys(walk, expected.keys, data, at);
      if (expected.many && Array.isArray(data))
        return data.map((one) => (isRecord(one) ? checkKeys(walk, expected.keys, one, at) : one));
      walk.warnings.add("WRONG_TYPE", where, `${where || "The result"} is ${kindOf(data)}, not an object`);
      return data;
    case "entity":
      return checkEntities(walk, expected, data, at);
  }
}

function checkKeys(walk: Walk, keys: ReadonlyMap<string, Expected>, data: JsonRecord, at: Place): unknown {
  const entries = Object.entries(data).map(([key, value]) => {
    const expected = keys.get(key);
    const where = at.where === "" ? showKey(key) : `${at.where}.${showKey(key)}`;
    if (expected === undefined) walk.warnings.addKey(at.where || "returns", key);
    return [
      key,
      expected ? checkExpected(walk, expected, value, { where, depth: at.depth + 1 }) : value,
    ] as const;
  });
  return Object.fromEntries(entries);
}

function checkEntities(
  walk: Walk,
  { shape, many }: { shape: string; many: boolean },
  data: unknown,
  at: Place,
): unknown {
  const where = at.where || shape;
  if (walk.lookup.find(shape) === undefined) {
    walk.warnings.add(
      "UNKNOWN_SHAPE",
      where,
      `There is no shape ${showKey(shape)}: the result is not checked`,
    );
    return data;
  }
  const one = (value: unknown): unknown => {
    if (isRecord(value)) return checkRecord(walk, shape, value, { where, depth: 0 });
    walk.warnings.add("WRONG_TYPE", where, `${where} is ${kindOf(value)}, not an object`);
    return value;
  };
  if (Array.isArray(data)) {
    if (!many) walk.warnings.add("WRONG_COUNT", where, `${where} is a list, and one is declared`);
    return data.filter((value) => !isAbsent(value)).map(one);
  }
  if (!many) return one(data);
  const inside = isRecord(data) ? Object.keys(data).find((key) => Array.isArray(data[key])) : undefined;
  const found = inside === undefined ? "" : `; there is a list in its ${showKey(inside)}`;
  walk.warnings.add("WRONG_COUNT", where, `${where} is ${kindOf(data)}, and a list is declared${found}`);
  return [one(data)];
}

function checkRecord(walk: Walk, shape: string, record: JsonRecord, at: Place): JsonRecord {
  walk.records += 1;
  if (walk.records > MOST_RECORDS) {
    walk.warnings.add("TOO_LARGE", "", `Only ${MOST_RECORDS} records were checked`);
    return record;
  }
  if (at.depth > deepest) {
    walk.warnings.add("TOO_DEEP", "", `References more than ${deepest} deep were not checked`);
    return record;
  }
  const fields = walk.lookup.fieldsOf(shape);
  const relations = walk.lookup.relationsOf(shape);
  const entries: [string, unknown][] = [];
  for (const [given, value] of Object.entries(record)) {
    if (isAbsent(value)) continue;
    const key = !isAbsent(record[canonicalField(given)]) ? given : canonicalField(given);
    const checked = checkValue(
      walk,
      { key, field: fields.get(key), relation: relations.get(key) },
      value,
      at,
    );
    if (checked.value !== undefined) entries.push([key, checked.value]);
    if (at.depth === 0 && checked.declared) count(walk, key, checked.valid);
  }
  const result = Object.fromEntries(entries);
  if (at.depth === 0 && !isNamed(walk.lookup, shape, result))
    walk.warnings.add("UNNAMED", at.where, `${at.where} has neither id nor name: it cannot be found again`);
  return result;
}

interface Declared {
  readonly key: string;
  readonly field: FieldType | undefined;
  readonly relation: RelationType | undefined;
}

function checkValue(
  walk: Walk,
  { key, field, relation }: Declared,
  value: unknown,
  at: Place,
): { value: unknown; declared: boolean; valid: boolean } {
  const where = `${at.where}.${showKey(key)}`;
  const declared = field !== undefined || relation !== undefined;
  if (!declared) walk.warnings.addKey(at.where, key);
  if (field?.kind !== "json") {
    const references = checkReferences(walk, relation, value, { where, depth: at.depth + 1 });
    if (references !== undefined) return { value: references.value, declared, valid: references.valid };
  }
  if (field !== undefined) return { ...checkField(walk, field, key, value, where), declared };
  if (relation !== undefined) {
    const message = `${where} is ${kindOf(value)}, not a reference to ${showType(relation)}`;
    walk.warnings.add("WRONG_TYPE", where, message);
  }
  return { value, declared, valid: false };
}

function checkField(
  walk: Walk,
  type: FieldType,
  key: string,
  value: unknown,
  where: string,
): { value: unknown; valid: boolean } {
  const coerced = coerce(value, type, walk.now);
  if (coerced.wrong !== undefined) {
    const what =
      coerced.wrong === "text" || coerced.wrong === "a number" ? `${coerced.wrong} that` : coerced.wrong;
    const message =
      what === coerced.wrong
        ? `${where} is ${what}, not ${showType(type)}`
        : `${where} is ${what} cannot be read as ${showType(type)}`;
    walk.warnings.add("WRONG_TYPE", where, message);
    return { value, valid: false };
  }
  const advice = walk.findCodeAdvice(key, coerced.value);
  if (advice !== undefined) walk.warnings.add("CODE_ADVICE", where, `${where} should be ${advice}`);
  return { value: coerced.value, valid: true };
}

function checkReferences(
  walk: Walk,
  relation: RelationType | undefined,
  value: unknown,
  at: Place,
): { value: unknown; valid: boolean } | undefined {
  let found = 0;
  let dropped = 0;
  const mapped = mapReferences(walk.lookup, relation, value, (shape, record, typed) => {
    found += 1;
    const checked = checkRecord(walk, shape, record, at);
    if (relation && !fits(walk.lookup, shape, relation.shape))
      walk.warnings.add(
        "WRONG_SHAPE",
        at.where,
        `${at.where} refers to ${shape}, and ${relation.shape} is declared`,
      );
    if (isNamed(walk.lookup, shape, checked)) return checked;
    if (!typed) {
      walk.warnings.add("UNNAMED", at.where, `${at.where} has neither id nor name: it is not linked`);
      return checked;
    }
    dropped += 1;
    walk.warnings.add("REFERENCE_DROPPED", at.where, `${at.where} had neither id nor name and was dropped`);
    return undefined;
  });
  if (mapped === undefined) return undefined;
  if (relation && !relation.many && found > 1)
    walk.warnings.add("WRONG_COUNT", at.where, `${at.where} is a list, and one is declared`);
  return { value: mapped.value, valid: dropped === 0 };
}

function fits(lookup: ShapeLookup, shape: string, declared: string): boolean {
  return declared === anyShape || declared === shape || lookup.implied(shape).includes(declared);
}

function count(walk: Walk, field: string, valid: boolean): void {
  const tally = walk.tally.get(field) ?? { present: 0, valid: 0 };
  tally.present += 1;
  if (valid) tally.valid += 1;
  walk.tally.set(field, tally);
}
