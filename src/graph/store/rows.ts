import type { SqlValue } from "../../platform/index.ts";
import type { JsonRecord } from "../shapes/json-record.ts";
import type { Store } from "./store.ts";
import { decode } from "./stored-value.ts";

export interface EntityRow {
  readonly key: number;
  readonly id: string;
  readonly shape: number;
  /** Other shapes it was seen as that its own does not imply: a JSON list of words. */
  readonly extra: string | null;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number | null;
  readonly mergedInto: number | null;
  readonly changes: number;
}

export interface StoredValue {
  readonly value: SqlValue;
  readonly origin: number;
  readonly at: number;
}

const COLUMNS = "key, id, shape, extra, created, updated, deleted, merged_into, changes";

export function findRow(store: Store, key: number): EntityRow | undefined {
  return asRow(store.db.get(`SELECT ${COLUMNS} FROM entities WHERE key = ?`, key));
}

/** By the id people use, whatever it has become a part of. */
export function findOwn(store: Store, id: string): EntityRow | undefined {
  return asRow(store.db.get(`SELECT ${COLUMNS} FROM entities WHERE id = ?`, id));
}

/** One that became a part of another entity leads to that. */
export function findById(store: Store, id: string): EntityRow | undefined {
  const row = findOwn(store, id);
  return row?.mergedInto == null ? row : findRow(store, row.mergedInto);
}

/** What a key stands for now. Redirections are never longer than one step. */
export function resolveKey(store: Store, key: number): number {
  const into = store.db.get("SELECT merged_into FROM entities WHERE key = ?", key)?.["merged_into"];
  return typeof into === "number" ? into : key;
}

export function readValues(store: Store, entity: number): Map<number, StoredValue> {
  const rows = store.db.all("SELECT field, value, origin, at FROM entity_values WHERE entity = ?", entity);
  return new Map(
    rows.map((row) => [
      Number(row["field"]),
      { value: row["value"] ?? null, origin: Number(row["origin"]), at: Number(row["at"]) },
    ]),
  );
}

/** As people see it. */
export function recordOf(store: Store, values: ReadonlyMap<number, StoredValue>): JsonRecord {
  const entries = [...values].map(([field, { value }]) => [store.words.word(field), decode(value)] as const);
  return Object.fromEntries(entries);
}

/** Which skill an origin is of; empty for what was written by hand. */
export function skillOf(store: Store, origin: number): string {
  const skill = store.db.get("SELECT skill FROM origins WHERE key = ?", origin)?.["skill"];
  return typeof skill === "string" ? skill : "";
}

export function putValue(store: Store, entity: number, field: number, stored: StoredValue): void {
  store.db.run(
    "INSERT OR REPLACE INTO entity_values (entity, field, value, origin, at) VALUES (?, ?, ?, ?, ?)",
    entity,
    field,
    stored.value,
    stored.origin,
    stored.at,
  );
}

export function removeValue(store: Store, entity: number, field: number): void {
  store.db.run("DELETE FROM entity_values WHERE entity = ? AND field = ?", entity, field);
}

export interface StoredLink {
  readonly label: number;
  readonly target: number;
  readonly origin: number;
  readonly at: number;
}

export function readLinks(store: Store, source: number): StoredLink[] {
  const rows = store.db.all("SELECT label, target, origin, at FROM links WHERE source = ?", source);
  return rows.map((row) => ({
    label: Number(row["label"]),
    target: Number(row["target"]),
    origin: Number(row["origin"]),
    at: Number(row["at"]),
  }));
}

/** False where it was there already. */
export function putLink(store: Store, source: number, link: StoredLink): boolean {
  const { label, target, origin, at } = link;
  return (
    store.db.run(
      "INSERT OR IGNORE INTO links (source, label, target, origin, at) VALUES (?, ?, ?, ?, ?)",
      source,
      label,
      target,
      origin,
      at,
    ) > 0
  );
}

export function removeLink(store: Store, source: number, label: number, target: number): boolean {
  return (
    store.db.run("DELETE FROM links WHERE source = ? AND label = ? AND target = ?", source, label, target) > 0
  );
}

function asRow(row: Record<string, SqlValue> | undefined): EntityRow | undefined {
  if (row === undefined) return undefined;
  const { deleted, merged_into: into, extra } = row;
  return {
    key: Number(row["key"]),
    id: String(row["id"]),
    shape: Number(row["shape"]),
    extra: typeof extra === "string" ? extra : null,
    created: Number(row["created"]),
    updated: Number(row["updated"]),
    deleted: typeof deleted === "number" ? deleted : null,
    mergedInto: typeof into === "number" ? into : null,
    changes: Number(row["changes"]),
  };
}
