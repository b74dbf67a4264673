import type { Entity } from "../shapes/entities-of.ts";
import { insertChange } from "./changes.ts";
import { contentKey, type IdentityKey, identityKeys, isBareId } from "./identity-keys.ts";
import { mergeInto } from "./merge.ts";
import { readValues, recordOf, skillOf } from "./rows.ts";
import { lineageOf, putTags } from "./shape-tags.ts";
import type { By, Store } from "./store.ts";

interface FoundEntity {
  readonly key: number;
  readonly isNew: boolean;
  readonly merged: number;
}

/**
 * The entity a record is of, made where there is none. A record that is two entities by two of its identities makes
 * them one. The surest identity has the last word: who took over another's handle is not that other.
 */
export function findOrCreate(store: Store, entity: Entity, by: By): FoundEntity {
  const { shape, value } = entity;
  const own = identityKeys(store.book, shape, value, by.skill);
  const keys = own.length > 0 ? own : [{ key: contentKey(shape, value, by.skill), fields: [] }];
  const hits = keys.map(({ key }) => findHolder(store, key));
  const holders = [...new Set(hits.filter((hit) => hit !== undefined))].filter((holder) => {
    return !isContradicted(store, entity, keys, hits, holder, by);
  });
  const found = holders.length === 0 ? undefined : Math.min(...holders);
  const key = found ?? createEntity(store, shape, by);
  for (const [index, { key: identity }] of keys.entries()) {
    if (hits[index] === key) continue;
    store.db.run("INSERT OR REPLACE INTO identities (identity, entity) VALUES (?, ?)", identity, key);
  }
  const others = holders.filter((holder) => holder !== key);
  for (const other of others) mergeInto(store, key, other, by);
  return { key, isNew: found === undefined, merged: others.length };
}

export function createEntity(store: Store, shape: string, by: By): number {
  const row = store.db.get(
    "INSERT INTO entities (id, shape, created, updated, changes) VALUES (?, ?, ?, ?, 1) RETURNING key",
    store.newId(by.at),
    store.words.key(shape),
    by.at,
    by.at,
  );
  const key = Number(row?.["key"]);
  insertChange(store, key, 1, "create", by, null);
  putTags(store, key, lineageOf(store.book, shape, null));
  return key;
}

export function findHolder(store: Store, identity: string): number | undefined {
  const row = store.db.get(
    `SELECT coalesce(e.merged_into, e.key) AS key FROM identities i JOIN entities e ON e.key = i.entity
      WHERE i.identity = ?`,
    identity,
  );
  return typeof row?.["key"] === "number" ? row["key"] : undefined;
}

/** Matched by a weaker identity while a surer one says that it is somebody else. */
function isContradicted(
  store: Store,
  { value }: Entity,
  keys: readonly IdentityKey[],
  hits: readonly (number | undefined)[],
  holder: number,
  by: By,
): boolean {
  const rank = hits.indexOf(holder);
  if (rank === 0) return false;
  const values = readValues(store, holder);
  const record = recordOf(store, values);
  const id = values.get(store.words.find("id") ?? -1);
  return keys.slice(0, rank).some(({ fields }) => {
    if (isBareId(fields) && (id === undefined || skillOf(store, id.origin) !== by.skill)) return false;
    const both = fields.every((field) => record[field] !== undefined);
    return both && fields.some((field) => String(record[field]).trim() !== String(value[field]).trim());
  });
}
