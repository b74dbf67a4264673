import type { Diff } from "./changes.ts";
import { skillOf, type StoredValue } from "./rows.ts";
import type { By, Store } from "./store.ts";
import { encode, isSameStored } from "./stored-value.ts";

/**
 * Whether a run only repeats what was there before somebody changed it by hand. What the service says anew counts;
 * what it keeps saying does not undo the owner's correction.
 */
export function keptByHand(
  store: Store,
  entity: number,
  field: string,
  before: StoredValue,
  said: unknown,
  by: By,
): boolean {
  const value = encode(said);
  if (by.skill === "" || isSameStored(before.value, value) || skillOf(store, before.origin) !== "")
    return false;
  const key = store.words.find(field);
  const rows = store.db.all("SELECT diff FROM changes WHERE target = ? AND n > 1 ORDER BY n DESC", entity);
  for (const row of rows) {
    const { f = {} } = JSON.parse(String(row["diff"])) as Diff;
    const past = key === undefined ? undefined : f[key];
    if (past === undefined) continue;
    if (past === 0) return false;
    if (skillOf(store, past[1]) === by.skill) return isSameStored(encode(past[0]), value);
  }
  return false;
}
