import { DeputyError } from "../../kernel/index.ts";
import type { GraphEntity } from "../graph.ts";
import type { JsonRecord } from "../shapes/json-record.ts";
import type { ShapeLookup } from "../shapes/shape-lookup.ts";
import { type EntityRow, findById, findRow, readValues, recordOf } from "./rows.ts";
import { lineageOf } from "./shape-tags.ts";
import type { Store } from "./store.ts";

const LONGEST_NAME = 200;

export function showEntity(store: Store, row: EntityRow, values = readValues(store, row.key)): GraphEntity {
  const shape = store.words.word(row.shape);
  return {
    id: row.id,
    shape,
    also: lineageOf(store.book, shape, row.extra).slice(1),
    values: recordOf(store, values),
    created: isoTime(row.created),
    updated: isoTime(row.updated),
    deleted: row.deleted === null ? null : isoTime(row.deleted),
  };
}

export function showKeys(store: Store, keys: readonly number[]): GraphEntity[] {
  return keys.flatMap((key) => {
    const row = findRow(store, key);
    return row === undefined ? [] : [showEntity(store, row)];
  });
}

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** What an entity is called, in few words. */
export function nameOf(book: ShapeLookup, shape: string, values: JsonRecord): string {
  const { title = "name" } = book.displayOf(shape);
  const fields = ["name", title, ...book.identitiesOf(shape).flat(), "url", "text"];
  const found = fields
    .map((field) => values[field])
    .find((value) => typeof value === "string" && value !== "");
  return typeof found === "string" ? found.slice(0, LONGEST_NAME) : shape;
}

export function getRow(store: Store, id: string): EntityRow {
  const row = findById(store, id);
  if (row !== undefined) return row;
  throw new DeputyError("NOT_FOUND", "There is no entity with that id", {
    hint: "Search for it: deputy graph search WORDS. An id that a service uses is a value, not this id.",
  });
}

/** One that was not deleted. */
export function getLiveRow(store: Store, id: string): EntityRow {
  const row = getRow(store, id);
  if (row.deleted === null) return row;
  throw new DeputyError("NOT_FOUND", `It was deleted on ${isoTime(row.deleted).slice(0, 10)}`, {
    hint: `Bring it back: deputy graph restore ${row.id}`,
  });
}
