import { setImmediate } from "node:timers/promises";
import { DeputyError, type RowKey } from "../kernel/index.ts";
import type { RowStore } from "./row-store.ts";

export interface Rotation {
  readonly resealed: number;
  /** Rows that could not be opened. They keep the old key alive until they are removed. */
  readonly unreadable: readonly RowKey[];
  /** Nothing of the old key is left in the file: not in free pages, not in the log. */
  readonly swept: boolean;
}

/** Small enough that a writer waiting for its turn does not notice. */
const BATCH = 64;

export interface RotateOptions {
  /** False takes up a rotation that was cut short. */
  readonly start: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
  /** Which rows are worth telling of. Default: all. */
  readonly counts?: (key: RowKey) => boolean;
}

/** More than one key in the ring means a rotation did not reach its end. */
export function unfinishedRotation(rows: RowStore): boolean {
  return rows.ring.versions().length > 1;
}

/**
 * A new key becomes active in one transaction; from then on every writer, in every process, uses it. The rows
 * follow in small batches, and the old keys go when no row needs them. Killed anywhere, it can be taken up again.
 */
export async function rotate(rows: RowStore, options: RotateOptions): Promise<Rotation> {
  if (options.start) rows.transaction(() => activateNewKey(rows));
  let resealed = 0;
  for (;;) {
    const pass = await resealAll(rows, options, resealed);
    resealed += pass.resealed;
    const ended = rows.transaction(() => destroyOldKeys(rows));
    if (ended) rows.ring.load(); // zeroes the old keys in memory
    // Neither: another process's VACUUM renumbered the rows, and some were passed over.
    if (ended || pass.unreadable.length > 0) {
      return { resealed, unreadable: pass.unreadable, swept: ended && sweep(rows) };
    }
  }
}

async function resealAll(
  rows: RowStore,
  options: RotateOptions,
  before: number,
): Promise<Omit<Rotation, "swept">> {
  let resealed = 0;
  let after = 0;
  const unreadable: RowKey[] = [];
  for (;;) {
    if (options.signal?.aborted)
      throw new DeputyError("CANCELLED", "Rotation was cancelled; it goes on later");
    const batch = rows.transaction(() => resealBatch(rows, after, options.counts));
    if (batch.last === undefined) return { resealed, unreadable };
    after = batch.last;
    resealed += batch.resealed;
    unreadable.push(...batch.unreadable);
    options.onProgress?.(before + resealed);
    await setImmediate();
  }
}

function activateNewKey(rows: RowStore): void {
  const state = rows.state();
  const version = Math.max(state.activeKey, ...rows.ring.versions()) + 1;
  rows.ring.create(version);
  rows.saveState({ ...state, epoch: state.epoch + 1, activeKey: version });
}

function resealBatch(rows: RowStore, after: number, counts: RotateOptions["counts"] = () => true) {
  const { activeKey } = rows.state();
  const unreadable: RowKey[] = [];
  let resealed = 0;
  let last: number | undefined;
  for (const { rowid, row } of rows.notUnder(activeKey, BATCH, after)) {
    last = rowid;
    const opened = rows.tryOpen(row);
    if (opened instanceof DeputyError) {
      unreadable.push(row.key);
      continue;
    }
    rows.reseal(opened, activeKey);
    opened.value[Symbol.dispose]();
    if (counts(row.key)) resealed += 1;
  }
  return { resealed, unreadable, last };
}

function destroyOldKeys(rows: RowStore): boolean {
  const { activeKey } = rows.state();
  if (rows.notUnder(activeKey, 1, 0).length > 0) return false;
  rows.ring.keepOnly(activeKey);
  return true;
}

/**
 * Old keys and old rows must not linger in free pages or in the log. False when they may: readers in other
 * processes, or a full disk. What went before is done all the same, so this is no failure of it.
 */
export function sweep(rows: RowStore): boolean {
  try {
    rows.db.emptyLog();
    rows.db.exec("VACUUM");
    return rows.db.emptyLog();
  } catch (error) {
    if (error instanceof DeputyError) return false;
    throw error;
  }
}
