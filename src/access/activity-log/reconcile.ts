import { linkHash } from "./chain.ts";
import type { SealedHead } from "./log-seal.ts";
import { type LogStore, rowsAfter } from "./log-store.ts";

/**
 * What the seal must say after the engine ended in whatever way. Rows beyond the head that prove themselves were written
 * and not acknowledged: they are ours. Rows short of the head are missing; a power cut may have taken those that were not
 * on the disk yet, which is remembered as that. Everything else stays as it is, for `verify` to find.
 */
export function reconcile(store: LogStore, sealed: SealedHead, boot: string): SealedHead {
  const { head, anchor, durable, lost } = sealed;
  if (sealed.pruning) store.deleteThrough(anchor.id);
  const lastId = Math.max(store.lastId, anchor.id);
  if (lastId < head.id) {
    const cut = boot !== sealed.boot && lastId >= durable;
    const more = cut ? [{ after: lastId, until: head }] : [];
    return { ...sealed, boot, pruning: false, durable: cut ? head.id : durable, lost: [...lost, ...more] };
  }
  let last = head;
  for (const row of rowsAfter(store.db, head.id, Number.MAX_SAFE_INTEGER)) {
    const hash = linkHash(sealed.key, last.hash, row.columns);
    if (row.id !== last.id + 1 || !hash.equals(row.hash)) break;
    last = { id: row.id, hash };
  }
  if (last === head && boot === sealed.boot && !sealed.pruning) return sealed;
  return { ...sealed, head: last, boot, pruning: false };
}
