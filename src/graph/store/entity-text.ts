import type { JsonRecord } from "../shapes/json-record.ts";
import type { ShapeLookup } from "../shapes/shape-lookup.ts";
import type { Store } from "./store.ts";

/** Characters of one entity that are searched. */
const LONGEST = 200_000;

/** What is searched of an entity: what it is called by, and its texts. */
export function textOf(book: ShapeLookup, shape: string, values: JsonRecord): { name: string; body: string } {
  // There is a shape for every kind of thing: it would be found before the things.
  if (shape === "shape") return { name: "", body: "" };
  const { title, subtitle } = book.displayOf(shape);
  const naming = new Set(["name", title, subtitle, "author"]);
  const names: string[] = [];
  const texts: string[] = [];
  for (const [field, value] of Object.entries(values)) {
    const text = flat(value);
    if (text === "") continue;
    if (naming.has(field)) names.push(text);
    else if (book.fieldsOf(shape).get(field)?.kind === "text") texts.push(text);
  }
  return { name: names.join("\n").slice(0, LONGEST), body: texts.join("\n").slice(0, LONGEST) };
}

function flat(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((one) => typeof one === "string").join("\n") : "";
}

/** An entity with nothing to search has no row. `known` says whether there may be one already. */
export function indexText(
  store: Store,
  entity: number,
  { name, body }: { name: string; body: string },
  known: boolean,
): void {
  if (known) removeText(store, entity);
  if (name !== "" || body !== "")
    store.db.run("INSERT INTO entity_text (rowid, name, body) VALUES (?, ?, ?)", entity, name, body);
}

export function removeText(store: Store, entity: number): void {
  store.db.run("DELETE FROM entity_text WHERE rowid = ?", entity);
}
