import { type JsonRecord, valueOf } from "./json-record.ts";
import type { ShapeLookup } from "./shape-lookup.ts";

/** One way in which a record says who it is. */
interface RecordIdentity {
  readonly fields: readonly string[];
  readonly values: readonly string[];
}

/** Every identity of its shape that a record has all fields of. */
export function identitiesIn(lookup: ShapeLookup, shape: string, record: JsonRecord): RecordIdentity[] {
  return lookup.identitiesOf(shape).flatMap((fields) => {
    const values = fields.map((field) => plain(valueOf(record, field)));
    return values.includes("") ? [] : [{ fields, values }];
  });
}

/** Whether a record has something to call it by: an id, a name, what its shape shows as title, or an identity. */
export function isNamed(lookup: ShapeLookup, shape: string, record: JsonRecord): boolean {
  const labels = ["id", "name", lookup.displayOf(shape).title ?? "name"];
  if (labels.some((field) => plain(valueOf(record, field)) !== "")) return true;
  return identitiesIn(lookup, shape, record).length > 0;
}

function plain(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}
