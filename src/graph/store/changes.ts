import type { ChangeAction } from "../graph.ts";
import type { By, Store } from "./store.ts";

export type PastValue = readonly [value: unknown, origin: number, at: number];
export type PastLink = readonly [label: number, target: number, origin: number, at: number];

/** What a change takes to be undone. A creation needs nothing: before it there was nothing. */
export interface Diff {
  /** By the key of the field; 0 where there was no value. */
  f?: Record<number, PastValue | 0>;
  /** Links that were added. */
  a?: [label: number, target: number][];
  /** Links that were removed. */
  r?: PastLink[];
  /** The shape it had, and the others it was seen as. */
  s?: [shape: number, extra: string | null];
  /** When it had been deleted. */
  d?: number | null;
  /** What it became a part of: that may have become a part of another since. */
  m?: number;
}

export function isEmpty(diff: Diff): boolean {
  return Object.keys(diff).length === 0;
}

export function recordChange(store: Store, entity: number, action: ChangeAction, by: By, diff: Diff): void {
  const row = store.db.get(
    "UPDATE entities SET changes = changes + 1, updated = ? WHERE key = ? RETURNING changes",
    by.at,
    entity,
  );
  insertChange(store, entity, Number(row?.["changes"]), action, by, JSON.stringify(diff));
}

export function insertChange(
  store: Store,
  entity: number,
  n: number,
  action: ChangeAction,
  by: By,
  diff: string | null,
): void {
  store.db.run(
    "INSERT INTO changes (target, n, at, action, origin, diff) VALUES (?, ?, ?, ?, ?, ?)",
    entity,
    n,
    by.at,
    action,
    by.origin,
    diff,
  );
}
