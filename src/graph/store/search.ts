import type { Found, GraphRequests } from "../graph.ts";
import { findShape } from "./shape-tags.ts";
import { showKeys } from "./show-entity.ts";
import type { Store } from "./store.ts";
import { textQuery } from "./text-query.ts";

const MOST = 200;
/** What a word that is almost everywhere is ranked among: the newest. Ranking all of them tells them apart no better. */
const MOST_RANKED = 20_000;

/** The best first: a word in a name counts more than one in a text. */
export function search(store: Store, input: GraphRequests["search"]["in"]): Found {
  const { query, types, limit = 20 } = input;
  const count = Math.min(Math.max(1, limit), MOST);
  const shapes = types?.map((type) => findShape(store, type) ?? -1);
  const all = match(store, textQuery(query, "all"), shapes, count);
  if (all.length > 0) return { entities: showKeys(store, all), some_words: false };
  const any = match(store, textQuery(query, "any"), shapes, count);
  return { entities: showKeys(store, any), some_words: any.length > 0 };
}

function match(
  store: Store,
  query: string | null,
  shapes: readonly number[] | undefined,
  limit: number,
): number[] {
  if (query === null) return [];
  const within =
    shapes === undefined
      ? ""
      : `AND rowid IN (SELECT entity FROM tags WHERE shape IN (${shapes.join(", ")}))`;
  const sql = `SELECT rowid FROM (SELECT rowid, rank FROM entity_text WHERE entity_text MATCH ? ${within}
    ORDER BY rowid DESC LIMIT ${MOST_RANKED}) ORDER BY rank LIMIT ?`;
  return store.db.all(sql, query, limit).map((row) => Number(row["rowid"]));
}
