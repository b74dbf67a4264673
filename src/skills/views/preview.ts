import { type Expected, type JsonRecord, mapReferences, type ShapeBook } from "../../graph/index.ts";
import { isRecord } from "../../kernel/index.ts";
import { cut } from "./clean-text.ts";
import { namingFields, shownFields } from "./shown-fields.ts";

const LONGEST_TEXT = 300;
/** What is not an entity has no fields to leave out: only very long texts are shortened. */
const LONGEST_VALUE = 2000;
const DEEPEST = 200;

/** A result with less in it: of entities the fields that stand for them, of long texts the beginning. */
export function toPreview(book: ShapeBook, expected: Expected, data: unknown): unknown {
  switch (expected.kind) {
    case "entity": {
      const one = (value: unknown) =>
        isRecord(value) ? previewRecord(book, expected.shape, value) : shorten(value, LONGEST_VALUE, 0);
      return Array.isArray(data) ? data.map(one) : one(data);
    }
    case "keys": {
      const one = (value: unknown): unknown => {
        if (!isRecord(value)) return shorten(value, LONGEST_VALUE, 0);
        const entries = Object.entries(value).map(([key, inner]) => {
          return [key, toPreview(book, expected.keys.get(key) ?? { kind: "anything" }, inner)] as const;
        });
        return Object.fromEntries(entries);
      };
      return Array.isArray(data) ? data.map(one) : one(data);
    }
    case "anything":
    case "value":
      return shorten(data, LONGEST_VALUE, 0);
  }
}

function previewRecord(book: ShapeBook, shape: string, record: JsonRecord): JsonRecord {
  const shown = shownFields(book, shape);
  const kept = Object.entries(record).filter(([key]) => shown.has(key));
  // A record that has nothing its shape knows would be empty: better all of it.
  const entries = kept.length > 0 ? kept : Object.entries(record);
  const tokens = namingFields(book, shape);
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const type = book.fieldsOf(shape).get(key);
      const whole = tokens.has(key) && key !== "name";
      if (typeof value === "string")
        return [key, whole || type?.kind === "url" ? value : cut(value, LONGEST_TEXT)];
      const named = mapReferences(book, book.relationsOf(shape).get(key), value, (to, inner) => {
        const naming = namingFields(book, to);
        return Object.fromEntries(Object.entries(inner).filter(([field]) => naming.has(field)));
      });
      return [key, shorten(type?.kind !== "json" && named ? named.value : value, LONGEST_TEXT, 0)];
    }),
  );
}

/** JSON of any depth, with long texts cut. */
export function shorten(value: unknown, longest: number, depth: number): unknown {
  if (typeof value === "string") return cut(value, longest);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) return `(deeper than ${DEEPEST} levels)`;
  if (Array.isArray(value)) return value.map((one) => shorten(one, longest, depth + 1));
  const entries = Object.entries(value).map(
    ([key, inner]) => [key, shorten(inner, longest, depth + 1)] as const,
  );
  return Object.fromEntries(entries);
}
