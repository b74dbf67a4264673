import type { EntityDetails, LinkedEntity, Provenance } from "../graph.ts";
import { showChangeEntity } from "./history.ts";
import { nameOfKey } from "./name-of-key.ts";
import { sourceOf } from "./origins.ts";
import { readValues } from "./rows.ts";
import { getRow, isoTime, showEntity } from "./show-entity.ts";
import type { Store } from "./store.ts";

/** Links told of one entity, each way. */
const MOST_LINKS = 200;

/** An entity with where its values come from and what it is linked to. */
export function getEntity(store: Store, id: string): EntityDetails {
  const change = /^([0-9a-z]+)\.([0-9]{1,9})$/.exec(id);
  if (change !== null) return showChangeEntity(store, change[1] ?? "", Number(change[2]));
  const row = getRow(store, id);
  const values = readValues(store, row.key);
  const origins = new Map<number, ReturnType<typeof sourceOf>>();
  const sources = [...values].map(([field, { origin, at }]): [string, Provenance] => {
    const source = origins.get(origin) ?? sourceOf(store, origin);
    origins.set(origin, source);
    const { actor: _actor, from: _from, ...said } = source;
    return [store.words.word(field), { ...said, at: isoTime(at) }];
  });
  const out = linked(store, row.key, "out");
  const back = linked(store, row.key, "in");
  return {
    ...showEntity(store, row, values),
    sources: Object.fromEntries(sources),
    links: out.links,
    linked_from: back.links,
    more_links: out.more + back.more,
  };
}

/** Links to what became a part of another entity lead to that; links to what was deleted are not told. */
const LINKS = {
  out: `SELECT DISTINCT l.label, e.key, e.id, e.shape FROM links l JOIN entities t ON t.key = l.target
    JOIN entities e ON e.key = coalesce(t.merged_into, t.key)
    WHERE l.source = ? AND e.deleted IS NULL AND e.key <> l.source LIMIT ?`,
  in: `SELECT DISTINCT l.label, e.key, e.id, e.shape FROM links l JOIN entities e ON e.key = l.source
    WHERE l.target IN (SELECT ?1 UNION ALL SELECT key FROM entities WHERE merged_into = ?1)
      AND e.deleted IS NULL AND e.key <> ?1 LIMIT ?`,
} as const;

const COUNTS = {
  out: "SELECT count(*) AS n FROM links WHERE source = ?",
  in: "SELECT count(*) AS n FROM links WHERE target = ?",
} as const;

function linked(store: Store, key: number, way: "out" | "in"): { links: LinkedEntity[]; more: number } {
  const rows = store.db.all(LINKS[way], key, MOST_LINKS + 1);
  const more = rows.length > MOST_LINKS ? Number(store.db.get(COUNTS[way], key)?.["n"]) - MOST_LINKS : 0;
  const links = rows.slice(0, MOST_LINKS).map((row): LinkedEntity => {
    const shape = store.words.word(Number(row["shape"]));
    return {
      label: store.words.word(Number(row["label"])),
      id: String(row["id"]),
      shape,
      name: nameOfKey(store, Number(row["key"]), shape),
    };
  });
  return { links, more: Math.max(0, more) };
}
