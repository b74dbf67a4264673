import { readValues, recordOf } from "./rows.ts";
import { nameOf } from "./show-entity.ts";
import type { Store } from "./store.ts";

/** What the entity of a key is called. Most have a name: then nothing else of it is read. */
export function nameOfKey(store: Store, key: number, shape: string): string {
  const name = store.words.find("name") ?? -1;
  const row = store.db.get("SELECT value FROM entity_values WHERE entity = ? AND field = ?", key, name);
  const own = row?.["value"];
  if (typeof own === "string" && own !== "") return own.slice(0, 200);
  return nameOf(store.book, shape, recordOf(store, readValues(store, key)));
}
