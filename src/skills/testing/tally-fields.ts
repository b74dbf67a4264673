import type { JsonRecord, ShapeBook } from "../../graph/index.ts";
import type { RunDone } from "../run/run-request.ts";
import { isFault } from "./faults.ts";

export interface FieldReport {
  /** Of the records: in how many a field is, and in how many of those it is of its type. */
  readonly fields: readonly { readonly field: string; readonly present: number; readonly valid: number }[];
  /** Returned and not declared. */
  readonly extra: readonly string[];
  /** Declared and in no record. */
  readonly missing: readonly string[];
}

/** Field by field, for a shape or for fields the operation declares itself; nothing where it declares none. */
export function tallyFields(done: RunDone, records: readonly JsonRecord[], shapes: ShapeBook): FieldReport {
  const declared = declaredFields(done, shapes);
  if (declared === undefined) return { fields: [], extra: [], missing: [] };
  const fields = done.returns.kind === "shape" ? done.fields : tallyDeclared(done, declared, records);
  const found = new Set(fields.map(({ field }) => field));
  const returned = new Set(records.flatMap((record) => Object.keys(record)));
  return {
    fields: fields.toSorted((a, b) => (a.field < b.field ? -1 : 1)),
    extra: [...returned].filter((key) => !found.has(key)).sort(),
    missing: records.length === 0 ? [] : declared.filter((field) => !found.has(field)).sort(),
  };
}

function declaredFields({ returns }: RunDone, shapes: ShapeBook): string[] | undefined {
  switch (returns.kind) {
    case "shape":
      return [...shapes.fieldsOf(returns.shape).keys(), ...shapes.relationsOf(returns.shape).keys()];
    case "fields":
      return Object.keys(returns.fields);
    default:
      return undefined;
  }
}

/** What is wrong inside a field is wrong with the field. */
function tallyDeclared(
  { findings }: RunDone,
  declared: readonly string[],
  records: readonly JsonRecord[],
): FieldReport["fields"] {
  return declared.flatMap((field) => {
    const present = records.filter((record) => record[field] !== undefined && record[field] !== null).length;
    const wrong = findings
      .filter(({ code, where }) => isFault(code) && (where === field || where.startsWith(`${field}.`)))
      .reduce((sum, { count }) => sum + count, 0);
    return present === 0 ? [] : [{ field, present, valid: Math.max(0, present - wrong) }];
  });
}
