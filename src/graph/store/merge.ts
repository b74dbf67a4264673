import { type Diff, type PastLink, type PastValue, recordChange } from "./changes.ts";
import { Draft } from "./draft.ts";
import { removeText } from "./entity-text.ts";
import { findRow, readLinks, readValues, resolveKey } from "./rows.ts";
import type { By, Store } from "./store.ts";
import { decode } from "./stored-value.ts";

/**
 * Makes `other` a part of `kept`. Of two values of a field the younger stays. Links to the other stay as they are and
 * are followed; its id leads to the kept one, and its history stays its own.
 */
export function mergeInto(store: Store, kept: number, other: number, by: By): void {
  const into = findRow(store, kept);
  const from = findRow(store, other);
  if (into === undefined || from === undefined || kept === other) return;
  const { db, words } = store;
  const values = readValues(store, other);
  const links = readLinks(store, other);

  const fields: Record<number, PastValue> = {};
  for (const [field, { value, origin, at }] of values) fields[field] = [decode(value), origin, at];
  const removed: PastLink[] = links.map(({ label, target, origin, at }) => [label, target, origin, at]);
  const diff: Diff = { f: fields, r: removed, m: kept };
  db.run("DELETE FROM entity_values WHERE entity = ?", other);
  db.run("DELETE FROM links WHERE source = ?", other);
  db.run("DELETE FROM tags WHERE entity = ?", other);
  removeText(store, other);
  recordChange(store, other, "merged", by, diff);
  db.run("UPDATE entities SET merged_into = ? WHERE key = ? OR merged_into = ?", kept, other, other);

  const draft = new Draft(store, into, by);
  draft.join(words.word(from.shape));
  for (const shape of from.extra === null ? [] : (JSON.parse(from.extra) as string[])) draft.join(shape);
  for (const [field, stored] of values) {
    const own = draft.values.get(field);
    if (own === undefined || own.at < stored.at) draft.setStored(field, stored);
  }
  for (const link of links) if (resolveKey(store, link.target) !== kept) draft.linkStored(link);
  if (from.deleted === null) draft.setDeleted(null);
  draft.commit("merge");
}
