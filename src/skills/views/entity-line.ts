import { type JsonRecord, mapReferences, type ShapeBook } from "../../graph/index.ts";
import { isRecord } from "../../kernel/index.ts";
import { cleanLine, cleanToken, cut } from "./clean-text.ts";

const LONGEST_LABEL = 200;
const LONGEST_VALUE = 120;
const LONGEST_TEXT = 160;
const MOST_VALUES = 5;

/** `Tidy up (status: open, due: 2026-11-20, id: 7): what it is about` */
export function entityLine(book: ShapeBook, shape: string, record: JsonRecord): string {
  const { columns, subtitle, date, description } = book.displayOf(shape);
  const label = labelOf(book, shape, record);
  const fields = new Set([subtitle, ...columns.map((column) => column.field), date, "url"]);
  const identity = book.identitiesOf(shape).flat();
  if (text(record["id"]) === "") for (const field of identity) fields.add(field);
  const parts = [...fields].flatMap((field) => {
    if (field === undefined || field === "id") return [];
    const shown = showValue(book, shape, record, field);
    const told = cleanLine(text(record[field])) === label || record[field] === record["id"];
    return shown === "" || told ? [] : [`${field}: ${shown}`];
  });
  const id = text(record["id"]);
  if (id !== "") parts.push(`id: ${cleanToken(id)}`);
  const summary = cleanLine(cut(text(record[description ?? "text"]), LONGEST_TEXT));
  const tail = summary === "" || summary === label ? "" : `: ${summary}`;
  return `${label}${parts.length > 0 ? ` (${parts.join(", ")})` : ""}${tail}`;
}

/** What a record is called. */
export function labelOf(book: ShapeBook, shape: string, record: JsonRecord): string {
  const { title = "name", subtitle = "author" } = book.displayOf(shape);
  const found = ["name", title, subtitle, "text", "url", "id"].find((field) => text(record[field]) !== "");
  const label = found === undefined ? "" : cleanLine(cut(text(record[found]), LONGEST_LABEL));
  return label === "" ? "(no name)" : label;
}

/** A field in few words; nothing where there is nothing to say. */
export function showValue(book: ShapeBook, shape: string, record: JsonRecord, field: string): string {
  const value = Object.hasOwn(record, field) ? record[field] : undefined;
  const kind = book.fieldsOf(shape).get(field)?.kind;
  if (typeof value === "string" && (kind === "url" || book.identitiesOf(shape).flat().includes(field)))
    return value === "" ? "" : cleanToken(value);
  if (kind !== "json") {
    const names: string[] = [];
    const found = mapReferences(book, book.relationsOf(shape).get(field), value, (to, inner) => {
      names.push(referenceName(book, to, inner));
      return undefined;
    });
    if (found !== undefined) return several(names);
  }
  if (Array.isArray(value)) return several(value.map((one) => brief(one)));
  return brief(value);
}

function referenceName(book: ShapeBook, shape: string, record: JsonRecord): string {
  const id = text(record["id"]);
  return `${labelOf(book, shape, record)}${id === "" ? "" : ` (id: ${cleanToken(id)})`}`;
}

/** Any value on one line. */
export function brief(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    const size = Array.isArray(value) ? value.length : Object.keys(value).length;
    if (size === 0) return "";
    if (Array.isArray(value)) return `${size} ${size === 1 ? "value" : "values"}`;
    return isRecord(value) ? `{${Object.keys(value).slice(0, MOST_VALUES).map(cleanLine).join(", ")}}` : "";
  }
  return cleanLine(cut(text(value), LONGEST_VALUE));
}

function several(names: readonly string[]): string {
  const shown = names.filter((name) => name !== "").slice(0, MOST_VALUES);
  const rest = names.length - shown.length;
  return `${shown.join("; ")}${rest > 0 ? `; +${rest} more` : ""}`;
}

export function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}
