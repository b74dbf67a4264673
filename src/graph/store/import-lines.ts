import type { SqlValue } from "../../platform/index.ts";
import { type Diff, insertChange } from "./changes.ts";
import { Draft } from "./draft.ts";
import { indexText, textOf } from "./entity-text.ts";
import { findHolder } from "./find-entity.ts";
import { writerOf } from "./origins.ts";
import type { PortableChange, PortableDiff, PortableEntity, PortableLine } from "./portable.ts";
import {
  type EntityRow,
  findById,
  findOwn,
  findRow,
  putLink,
  putValue,
  readValues,
  recordOf,
} from "./rows.ts";
import { lineageOf, putTags } from "./shape-tags.ts";
import type { By, Store } from "./store.ts";
import { encode, whyNotStorable } from "./stored-value.ts";
import { upsert } from "./upsert.ts";

/** What the numbers in the lines stand for, here. */
export type OriginMap = Map<number, number>;

/**
 * Takes in one line. An entity that is here already, by its id or by who it is, gets the values that are younger; any
 * other comes with its history. True where something was added. Runs within a transaction; a line taken in twice adds
 * nothing the second time.
 */
export function importLine(store: Store, line: PortableLine, origins: OriginMap, by: By): boolean {
  if ("origin" in line) {
    const { key, ...source } = line.origin;
    origins.set(key, writerOf(store, source, by.at).origin);
    return false;
  }
  if ("entity" in line) return importEntity(store, line.entity, origins, by);
  if ("links" in line) return importLinks(store, line.links, origins, by);
  if ("change" in line) return importChange(store, line.change, origins, by);
  if ("shape" in line) return importRecord(store, line, by);
  return false;
}

function importRecord(store: Store, { shape, values }: { shape: string; values: object }, by: By): boolean {
  const { data } = store.book.checkResult(shape, values);
  const { created, changed } = upsert(store, store.book.entitiesOf(shape, data), by);
  return created + changed > 0;
}

function importEntity(store: Store, entity: PortableEntity, origins: OriginMap, by: By): boolean {
  const stored = Object.entries(entity.values).flatMap(([field, [value, origin, at]]) => {
    if (whyNotStorable(value) !== undefined) return [];
    return [
      [
        store.words.key(field),
        { value: encode(value), origin: origins.get(origin) ?? by.origin, at },
      ] as const,
    ];
  });
  const into = entity.merged_into === undefined ? undefined : findById(store, entity.merged_into);
  const known = findById(store, entity.id) ?? holderOf(store, entity, into);
  if (known === undefined) {
    insertEntity(store, entity, into, stored);
    return true;
  }
  if (findOwn(store, entity.id) === undefined) insertEntity(store, { ...entity, changes: 0 }, known, []);
  const draft = new Draft(store, known, by);
  for (const [field, value] of stored) {
    const own = draft.values.get(field);
    if (own === undefined || own.at < value.at) draft.setStored(field, value);
  }
  draft.commit("update");
  return draft.isChanged;
}

function holderOf(store: Store, entity: PortableEntity, into: EntityRow | undefined): EntityRow | undefined {
  if (into !== undefined) return undefined;
  const holder = (entity.identities ?? [])
    .map((key) => findHolder(store, key))
    .find((key) => key !== undefined);
  return holder === undefined ? undefined : findRow(store, holder);
}

function insertEntity(
  store: Store,
  entity: PortableEntity,
  into: EntityRow | undefined,
  stored: readonly (readonly [number, Parameters<typeof putValue>[3]])[],
): void {
  const { db, words, book } = store;
  const extra = entity.extra === undefined ? null : JSON.stringify(entity.extra);
  const columns: SqlValue[] = [entity.id, words.key(entity.shape), extra, entity.created, entity.updated];
  const row = db.get(
    `INSERT INTO entities (id, shape, extra, created, updated, deleted, merged_into, changes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING key`,
    ...columns,
    entity.deleted ?? null,
    into?.key ?? null,
    entity.changes,
  );
  const key = Number(row?.["key"]);
  for (const [field, value] of stored) putValue(store, key, field, value);
  for (const identity of entity.identities ?? [])
    db.run("INSERT OR IGNORE INTO identities (identity, entity) VALUES (?, ?)", identity, key);
  if (into !== undefined) return;
  putTags(store, key, lineageOf(book, entity.shape, extra));
  if (entity.deleted === undefined)
    indexText(store, key, textOf(book, entity.shape, recordOf(store, new Map(stored))), false);
}

function importLinks(
  store: Store,
  { id, out }: { id: string; out: [string, string, number, number][] },
  origins: OriginMap,
  by: By,
): boolean {
  const own = findOwn(store, id);
  const row = findById(store, id);
  if (own === undefined || row === undefined) return false;
  const links = out.flatMap(([label, to, origin, at]) => {
    const target = findOwn(store, to);
    if (target === undefined || target.key === row.key) return [];
    return [
      { label: store.words.key(label), target: target.key, origin: origins.get(origin) ?? by.origin, at },
    ];
  });
  if (isUnfinished(store, own)) {
    for (const link of links) putLink(store, own.key, link);
    return false;
  }
  const draft = new Draft(store, row, by, readValues(store, row.key));
  for (const link of links) draft.linkStored(link);
  draft.commit("update");
  return draft.isChanged;
}

/** Taken in with its history, which is still to come. */
function isUnfinished(store: Store, row: EntityRow): boolean {
  if (row.changes === 0) return false;
  return store.db.get("SELECT 1 AS yes FROM changes WHERE target = ? AND n = 1", row.key) === undefined;
}

function importChange(store: Store, change: PortableChange, origins: OriginMap, by: By): boolean {
  const row = findOwn(store, change.target);
  if (row === undefined || change.n > row.changes) return false;
  const known = store.db.get("SELECT 1 AS yes FROM changes WHERE target = ? AND n = ?", row.key, change.n);
  if (known !== undefined) return false;
  const origin = (key: number) => origins.get(key) ?? by.origin;
  const diff = change.diff === null ? null : JSON.stringify(storedDiff(store, change.diff, origin));
  const writer = { origin: origin(change.origin), skill: "", at: change.at };
  insertChange(store, row.key, change.n, change.action, writer, diff);
  return false;
}

function storedDiff(store: Store, portable: PortableDiff, origin: (key: number) => number): Diff {
  const { f, a, r, s, d, m } = portable;
  const { words } = store;
  const target = (id: string) => findOwn(store, id)?.key;
  const diff: Diff = {};
  if (f !== undefined) {
    const fields = Object.entries(f).map(([field, past]) => {
      return [words.key(field), past === 0 ? 0 : ([past[0], origin(past[1]), past[2]] as const)] as const;
    });
    diff.f = Object.fromEntries(fields);
  }
  if (a !== undefined)
    diff.a = a.flatMap(([label, id]): [number, number][] => {
      const key = target(id);
      return key === undefined ? [] : [[words.key(label), key]];
    });
  if (r !== undefined)
    diff.r = r.flatMap(([label, id, from, at]) => {
      const key = target(id);
      return key === undefined ? [] : [[words.key(label), key, origin(from), at] as const];
    });
  if (s !== undefined) diff.s = [words.key(s[0]), s[1] === null ? null : JSON.stringify(s[1])];
  if (d !== undefined) diff.d = d;
  const into = m === undefined ? undefined : target(m);
  if (into !== undefined) diff.m = into;
  return diff;
}
