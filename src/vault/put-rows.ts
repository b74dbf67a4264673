import { type Clock, DeputyError, type RowKey, type Secret } from "../kernel/index.ts";
import type { RowStore } from "./row-store.ts";
import type { RowMeta } from "./sealed-row.ts";

/** What a writer says about a row; the times are now unless it says otherwise. */
export type NewMeta = Pick<RowMeta, "source" | "masked"> & Partial<Omit<RowMeta, "source" | "masked">>;

export interface NewRow {
  readonly key: RowKey;
  readonly value: Secret;
  readonly meta: NewMeta;
  /** Only over the version the caller has read (0: only where there is none). Absent: over whatever is there. */
  readonly expect?: number | undefined;
}

export type Put = { kind: "stored"; version: number } | { kind: "conflict"; current: number };

/** Larger values are refused: no login is that large, and every read and write costs its length. */
export const LARGEST_VALUE = 4 * 1024 * 1024;

/** In one transaction, with one line of state for all of them. A conflict leaves that row alone as it is. */
export function putRows(
  rows: RowStore,
  clock: Clock,
  wanted: readonly NewRow[],
  options: { readonly durable?: boolean },
): Put[] {
  for (const { value } of wanted) {
    if (value.length <= LARGEST_VALUE) continue;
    throw new DeputyError(
      "TOO_LARGE",
      `Cannot store ${value.length} bytes: a value has at most ${LARGEST_VALUE}`,
      {
        hint: "Is it a login at all? Nothing was changed.",
      },
    );
  }
  return rows.transaction(() => {
    const before = rows.state();
    let state = before;
    const done = wanted.map(({ key, value, meta, expect }): Put => {
      const current = rows.findVersion(key) ?? 0;
      if (expect !== undefined && expect !== current) return { kind: "conflict", current };
      const now = clock.now();
      state = rows.write(state, key, value, {
        label: meta.label ?? null,
        source: meta.source,
        obtainedAt: meta.obtainedAt ?? now,
        updatedAt: meta.updatedAt ?? now,
        lastVerified: meta.lastVerified ?? null,
        masked: meta.masked,
      });
      return { kind: "stored", version: state.epoch };
    });
    if (state !== before) rows.saveState(state);
    return done;
  }, options);
}
