import { createHash } from "node:crypto";
import type { DescribedSkill } from "../graph.ts";
import type { Entity } from "../shapes/entities-of.ts";
import { showType } from "../shapes/field-type.ts";
import { Draft } from "./draft.ts";
import { systemWriter } from "./origins.ts";
import { findRow } from "./rows.ts";
import { lineageOf } from "./shape-tags.ts";
import { type By, type Store, write } from "./store.ts";
import { upsert } from "./upsert.ts";

/** The shapes as entities. Where they have changed since last time, everything is counted as what it is by them now. */
export function describeShapes(store: Store, at: number): void {
  const { db, book, words } = store;
  const records = book.names().map((name) => {
    const shape = book.find(name);
    const types = (of: Iterable<[string, Parameters<typeof showType>[0]]>) =>
      Object.fromEntries([...of].map(([field, type]) => [field, showType(type)]));
    return {
      name,
      text: shape?.description ?? "",
      also: [...(shape?.also ?? [])],
      fields: types(shape?.fields ?? []),
      relations: types(shape?.relations ?? []),
    };
  });
  const hash = createHash("sha256").update(JSON.stringify(records)).digest("hex");
  if (db.get("SELECT value FROM meta WHERE key = 'shapes'")?.["value"] === hash) return;
  write(
    store,
    () => {
      const entities = records.map((value) => ({
        shape: "shape",
        value: Object.fromEntries(Object.entries(value).filter(([, one]) => one !== "")),
        links: [],
      }));
      upsert(store, entities, systemWriter(store, at));
      const kinds = db.all("SELECT DISTINCT shape, extra FROM entities WHERE merged_into IS NULL");
      for (const { shape, extra } of kinds) {
        const lineage = lineageOf(book, words.word(Number(shape)), typeof extra === "string" ? extra : null);
        for (const tag of lineage)
          db.run(
            `INSERT OR IGNORE INTO tags (shape, entity)
            SELECT ?, key FROM entities WHERE shape = ? AND extra IS ? AND merged_into IS NULL`,
            words.key(tag),
            shape ?? null,
            extra ?? null,
          );
      }
      db.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('shapes', ?)", hash);
    },
    "can be had again",
  );
}

export function describeSkills(store: Store, skills: readonly DescribedSkill[], at: number): number {
  const entities: Entity[] = [];
  for (const { id, name, description, status, operations, website } of skills) {
    const links = website === undefined ? [] : [{ label: "website", to: entities.length + 1 }];
    const value = { id, name, text: description, status, operations };
    entities.push({ shape: "skill", value, links });
    if (website !== undefined) entities.push({ shape: "website", value: { url: website }, links: [] });
  }
  return write(
    store,
    () => {
      const by = systemWriter(store, at);
      const { created, changed, keys } = upsert(store, entities, by);
      return created + changed + markRemoved(store, new Set(keys), by);
    },
    "can be had again",
  );
}

/** What a skill that is gone has brought stays, and the skill itself as one that is no longer there. */
function markRemoved(store: Store, present: ReadonlySet<number | undefined>, by: By): number {
  const rows = store.db.all(
    `SELECT t.entity FROM tags t JOIN words w ON w.key = t.shape JOIN entity_values v ON v.entity = t.entity
      JOIN words f ON f.key = v.field WHERE w.word = 'skill' AND f.word = 'id' AND v.origin = ?`,
    by.origin,
  );
  let removed = 0;
  for (const { entity } of rows) {
    const row = present.has(Number(entity)) ? undefined : findRow(store, Number(entity));
    if (row === undefined) continue;
    const draft = new Draft(store, row, by);
    draft.set("status", "removed");
    draft.commit("update");
    if (draft.isChanged) removed += 1;
  }
  return removed;
}
