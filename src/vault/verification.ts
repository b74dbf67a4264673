import { timingSafeEqual } from "node:crypto";
import { DeputyError, type ErrorCode, type RowKey } from "../kernel/index.ts";
import type { RowStore } from "./row-store.ts";

export interface Verification {
  readonly rows: number;
  readonly bad: readonly { readonly key: RowKey; readonly code: ErrorCode }[];
  /** What is wrong with the vault as a whole: rows removed, added or rolled back. */
  readonly problem: DeputyError | undefined;
}

/** Opens every row, then checks that they are all the rows there should be. Those that `counts` takes are counted. */
export function verifyVault(
  rows: RowStore,
  knownEpoch: number,
  counts: (key: RowKey) => boolean,
): Verification {
  const bad: { key: RowKey; code: ErrorCode }[] = [];
  let count = 0;
  const problem = found(() => {
    for (const stored of rows.all()) {
      if (counts(stored.key)) count += 1;
      const opened = rows.tryOpen(stored);
      if (opened instanceof DeputyError) bad.push({ key: stored.key, code: opened.code });
      else opened.value[Symbol.dispose]();
    }
    rows.db.checkIntegrity();
    rows.transaction(() => requireAllRows(rows, knownEpoch));
  });
  return { rows: count, bad, problem };
}

/** The full scan at opening. */
export function checkRows(rows: RowStore, knownEpoch: number): DeputyError | undefined {
  const problem = found(() => rows.transaction(() => requireAllRows(rows, knownEpoch)));
  if (problem === undefined || problem.code.startsWith("VAULT_")) return problem;
  throw problem; // the database itself: there is nothing to accept or to repair by hand
}

/** Inside a transaction: the rows against the one line of state, the state against what was known before. */
export function requireAllRows(rows: RowStore, knownEpoch: number): void {
  const state = rows.state();
  const there = rows.count();
  if (state.epoch < knownEpoch) {
    throw new DeputyError("VAULT_ROLLED_BACK", "The vault is an older copy than the one last used here", {
      hint: "Put the newest copy back. If you restored this one on purpose: deputy vault verify --accept",
    });
  }
  if (there.count === state.count && sameBytes(there.tally, state.tally)) return;
  throw new DeputyError("VAULT_TAMPERED", changed(state.count, there.count), {
    hint: "Put back a backup, or take the rows that are there: deputy vault verify --accept",
  });
}

function found(check: () => void): DeputyError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof DeputyError) return error;
    throw error;
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function changed(should: number, is: number): string {
  if (is < should)
    return `The vault has ${is} rows and should have ${should}: some were removed behind Deputy's back`;
  if (is > should)
    return `The vault has ${is} rows and should have ${should}: some were put back behind Deputy's back`;
  return "The vault's rows are not those Deputy wrote last: some were exchanged behind its back";
}
