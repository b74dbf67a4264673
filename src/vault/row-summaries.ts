import { DeputyError, type ErrorCode, type RowKey } from "../kernel/index.ts";
import type { RowStore } from "./row-store.ts";
import type { StoredRow } from "./stored-row.ts";
import type { RowMeta } from "./sealed-row.ts";

export interface RowSummary {
  readonly key: RowKey;
  readonly version: number;
  /** Or why the row cannot be opened: one bad row does not hide the others. */
  readonly meta: RowMeta | ErrorCode;
}

/** Every row is opened for it. */
export function summarizeRows(rows: RowStore): RowSummary[] {
  return Array.from(rows.all(), (stored) => summaryOf(rows, stored));
}

/** Opens only what it has not opened before in that version: opening costs a row's whole length. */
export function createGlance(rows: RowStore): () => RowSummary[] {
  let known = new Map<string, { readonly summary: RowSummary; readonly keyVersion: number }>();
  return () => {
    const now: typeof known = new Map();
    const found = rows.versions().flatMap(({ key, version, keyVersion }): RowSummary[] => {
      const name = `${key.domain}\0${key.identifier}\0${key.itemType}`;
      const before = known.get(name);
      const isKnown = before?.summary.version === version && before.keyVersion === keyVersion;
      const stored = isKnown ? undefined : rows.find(key);
      const summary = isKnown ? before.summary : stored && summaryOf(rows, stored);
      if (summary === undefined) return []; // removed since
      // Damage is not remembered: it may be mended under the same number.
      if (typeof summary.meta !== "string")
        now.set(name, { summary, keyVersion: stored?.keyVersion ?? keyVersion });
      return [summary];
    });
    known = now;
    return found;
  };
}

function summaryOf(rows: RowStore, stored: StoredRow): RowSummary {
  const opened = rows.tryOpen(stored);
  if (opened instanceof DeputyError) return { key: stored.key, version: stored.version, meta: opened.code };
  opened.value[Symbol.dispose]();
  return { key: opened.key, version: opened.version, meta: opened.meta };
}
