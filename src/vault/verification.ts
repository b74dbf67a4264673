import { timingSafeEqual } from "node:crypto";
import { DeputyError, type ErrorCode, type RowKey } from "../kernel/index.ts";
import type { RowStore } from "./row-store.ts";

export interface Verification {
  readonly rows: number;
  readonly bad: readonly { readonly key: RowKey; readonly code: ErrorCode }[];
  /** What is wrong with the vault as a whole: rows removed, added or rolled back. */
  readonly problem: DeputyError | undefined;
}

/** Opens every row, then checks that they are all the rows there should be. */
export function verifyVault(rows: RowStore, knownEpoch: number): Verification {
  const bad: { key: RowKey; code: ErrorCode }[] = [];
  let count = 0;
  for (const stored of rows.all()) {
    count += 1;
    const opened = rows.tryOpen(stored);
    if (opened instanceof DeputyError) bad.push({ key: stored.key, code: opened.code });
    else opened.value[Symbol.dispose]();
  }
  return { rows: count, bad, problem: checkRows(rows, knownEpoch) };
}

/** The full scan: the rows against the one line of state, the state against what was known before. */
export function checkRows(rows: RowStore, knownEpoch: number): DeputyError | undefined {
  try {
    return rows.db.transaction(() => {
      const state = rows.state();
      const found = rows.count();
      if (state.epoch < knownEpoch) {
        return new DeputyError(
          "VAULT_ROLLED_BACK",
          "The vault is an older copy than the one last used here",
          {
            hint: "Put the newest copy back. If you restored this one on purpose: deputy vault verify --accept",
          },
        );
      }
      if (found.count === state.count && timingSafeEqual(found.tally, state.tally)) return undefined;
      return new DeputyError("VAULT_TAMPERED", changed(state.count, found.count), {
        hint: "Put back a backup, or take the rows that are there: deputy vault verify --accept",
      });
    });
  } catch (error) {
    if (error instanceof DeputyError && error.code.startsWith("VAULT_")) return error;
    throw error;
  }
}

function changed(should: number, is: number): string {
  if (is < should)
    return `The vault has ${is} rows and should have ${should}: some were removed behind Deputy's back`;
  if (is > should)
    return `The vault has ${is} rows and should have ${should}: some were put back behind Deputy's back`;
  return "The vault's rows are not those Deputy wrote last: some were exchanged behind its back";
}
