import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../../platform/index.ts";
import { type Link, linkHash } from "./chain.ts";
import type { SealedHead } from "./log-seal.ts";
import { rowsAfter } from "./log-store.ts";

export interface Finding {
  /** Where it shows: the first row that is not as it was left. */
  readonly id: number;
  readonly what: "changed" | "missing" | "put-back" | "end-missing";
}

export interface Verified {
  readonly rows: number;
  /** Rows that a power cut took, and that are known to be missing. */
  readonly lost: number;
  readonly finding?: Finding;
}

/** Rows between two turns of the engine. */
const BATCH = 200;

/**
 * Walks the whole chain, from the last row that was pruned to the last that was acknowledged, as the file is now: rows
 * that are added and pruned meanwhile are not seen. `db` is left in a transaction.
 */
export async function verifyChain(db: Database, sealed: SealedHead): Promise<Verified> {
  const { key, head, anchor, lost } = sealed;
  db.exec("BEGIN");
  let last: Link = anchor;
  let rows = 0;
  let missing = 0;
  const found = (id: number, what: Finding["what"]) => ({ rows, lost: missing, finding: { id, what } });
  const [before] = rowsAfter(db, Number.MIN_SAFE_INTEGER, 1);
  if (before !== undefined && before.id <= anchor.id) return found(before.id, "put-back");
  for (;;) {
    const batch = rowsAfter(db, last.id, BATCH);
    for (const row of batch) {
      if (row.id !== last.id + 1) {
        const cut = lost.find(({ after, until }) => after === last.id && until.id === row.id - 1);
        if (cut === undefined) return found(last.id + 1, "missing");
        missing += cut.until.id - last.id;
        last = cut.until;
      }
      const hash = linkHash(key, last.hash, row.columns);
      if (!hash.equals(row.hash)) return found(row.id, "changed");
      last = { id: row.id, hash };
      rows += 1;
    }
    if (batch.length < BATCH) break;
    await nextTurn();
  }
  const cut = lost.find(({ after, until }) => after === last.id && until.id === head.id);
  if (cut !== undefined) return { rows, lost: missing + head.id - last.id };
  // Rows beyond the head were written by us, since nobody else has the key; they were not acknowledged yet.
  if (last.id < head.id) return found(last.id + 1, "end-missing");
  return { rows, lost: missing };
}
