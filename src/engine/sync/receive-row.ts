import { DeputyError } from "../../kernel/index.ts";
import type { Peer, RowChange, Verdict } from "../../sync/index.ts";
import { rowKey, type Vault } from "../../vault/index.ts";
import { parseLoginValue } from "../vault/login-value.ts";
import { peerSource } from "./source-logins.ts";

/** On the disk with the sequence that acknowledges it: see the sink. */
const WITH_SEQUENCE = { durable: false };

/** A key or token of another machine. It takes the place of nothing that did not come from that machine. */
export function receiveRow(vault: Vault, row: RowChange, peer: Peer, now: number): Verdict {
  const key = rowKey(row.domain, row.identifier, row.type);
  if (key.itemType === "cookies") return { ok: false, reason: "cookies travel one by one" };
  const source = peerSource(peer.name);
  const there = vault.find(key);
  there?.value[Symbol.dispose]();
  if (there !== undefined && there.meta.source !== source)
    return { ok: false, reason: "there is one here already, which did not come from that machine" };
  if (row.value === null) {
    vault.remove(key, WITH_SEQUENCE);
    return { ok: true };
  }
  try {
    const { value, masked } = parseLoginValue(key.itemType, key.domain, JSON.parse(row.value), now);
    using held = value;
    vault.put(key, held, { source, masked }, there?.version ?? 0, WITH_SEQUENCE);
    return { ok: true };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DeputyError)
      return { ok: false, reason: "it is not what its type says" };
    throw error;
  }
}
