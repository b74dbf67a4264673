import type { Entity } from "../shapes/entities-of.ts";
import { Draft } from "./draft.ts";
import { indexText, textOf } from "./entity-text.ts";
import { findOrCreate } from "./find-entity.ts";
import { keptByHand } from "./kept-by-hand.ts";
import { findRow, putLink, putValue, readLinks, resolveKey, skillOf } from "./rows.ts";
import type { By, Store } from "./store.ts";
import { encode, whyNotStorable } from "./stored-value.ts";

/** Of one record: a result has no more, and what was made to hurt has. */
const MOST_FIELDS = 500;
const LONGEST_NAME = 200;
const MOST_WARNINGS = 20;

interface Upserted {
  /** In the order of what was given; undefined where it was refused. */
  readonly keys: readonly (number | undefined)[];
  readonly created: number;
  readonly changed: number;
  readonly merged: number;
  readonly warnings: readonly string[];
}

/**
 * Entities of one result, those they refer to among them. First every record finds its entity, then values and links
 * are written: a link may lead to what comes later. Runs within a transaction.
 */
export function upsert(store: Store, given: readonly Entity[], by: By): Upserted {
  const warnings: string[] = [];
  const entities = given.map((entity) => storable(entity, warnings));
  const fresh = new Set<number>();
  let merged = 0;
  const found = entities.map((entity) => {
    if (entity === undefined) return undefined;
    const one = findOrCreate(store, entity, by);
    merged += one.merged;
    if (one.isNew) fresh.add(one.key);
    return one.key;
  });
  // What was found first may have become a part of what was found later.
  const keys = merged === 0 ? found : found.map((key) => key && resolveKey(store, key));

  const unwritten = new Set(fresh);
  const changed = new Set<number>();
  for (const [index, entity] of entities.entries()) {
    const key = keys[index];
    if (key === undefined || entity === undefined) continue;
    const links = entity.links.flatMap(({ label, to }) => {
      const target = keys[to];
      return target === undefined || target === key ? [] : [{ label: store.words.key(label), target }];
    });
    if (unwritten.delete(key)) writeNew(store, key, entity, links, by);
    else if (writeAgain(store, key, entity, links, by, fresh.has(key)) && !fresh.has(key)) changed.add(key);
  }
  return { keys, created: fresh.size, changed: changed.size, merged, warnings };
}

type Links = readonly { readonly label: number; readonly target: number }[];

function writeNew(store: Store, key: number, { shape, value }: Entity, links: Links, by: By): void {
  const { origin, at } = by;
  for (const [field, one] of Object.entries(value))
    putValue(store, key, store.words.key(field), { value: encode(one), origin, at });
  for (const { label, target } of links) putLink(store, key, { label, target, origin, at });
  indexText(store, key, textOf(store.book, shape, value), false);
}

function writeAgain(
  store: Store,
  key: number,
  { shape, value }: Entity,
  links: Links,
  by: By,
  isFresh: boolean,
): boolean {
  const row = findRow(store, key);
  if (row === undefined) return false;
  const draft = new Draft(store, row, by);
  draft.join(shape);
  for (const [field, one] of Object.entries(value)) {
    const before = draft.values.get(store.words.find(field) ?? -1);
    // Two services have two ids for one thing: the first one's stays, and it is found by both.
    if (field === "id" && before !== undefined && skillOf(store, before.origin) !== by.skill) continue;
    if (before !== undefined && keptByHand(store, key, field, before, one, by)) continue;
    draft.set(field, one);
  }
  if (links.length > 0) relink(store, draft, links);
  draft.commit(isFresh ? null : "update");
  return draft.isChanged;
}

/** Where the shape says that there is one, the new link takes the old one's place. */
function relink(store: Store, draft: Draft, links: Links): void {
  const relations = store.book.relationsOf(draft.shape);
  const existing = readLinks(store, draft.key).map((link) => {
    return { ...link, now: resolveKey(store, link.target) };
  });
  for (const { label, target } of links) {
    if (existing.some((link) => link.label === label && link.now === target)) continue;
    if (relations.get(store.words.word(label))?.many === false)
      for (const link of existing) if (link.label === label) draft.unlink(link);
    draft.link(label, target);
  }
}

function storable(entity: Entity, warnings: string[]): Entity | undefined {
  const warn = (message: string) => {
    if (warnings.length < MOST_WARNINGS) warnings.push(`Not remembered: ${message}`);
  };
  if (entity.shape === "change") {
    warn("a change, which only Deputy records");
    return undefined;
  }
  const entries = Object.entries(entity.value);
  const kept = entries.slice(0, MOST_FIELDS).filter(([field, value]) => {
    if (value === null || value === undefined) return false;
    const why = field.length > LONGEST_NAME ? "has too long a name" : whyNotStorable(value);
    if (why !== undefined) warn(`${entity.shape}.${field.slice(0, 40)} ${why}`);
    return why === undefined;
  });
  if (entries.length > MOST_FIELDS) warn(`${entries.length - MOST_FIELDS} fields of one ${entity.shape}`);
  return kept.length === entries.length ? entity : { ...entity, value: Object.fromEntries(kept) };
}
