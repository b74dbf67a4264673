import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Clock, DeputyError } from "../../kernel/index.ts";
import type { HomePaths } from "../../platform/index.ts";
import { createPeerStore, type Peer, type PeerStore, SentStore } from "../../sync/index.ts";
import { internalKey } from "../vault/internal-rows.ts";
import type { LastResults } from "../delivery/last-results.ts";
import type { PeerRow } from "./sync-methods.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly door: VaultDoor;
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly results: LastResults;
}

/** The machines this one is paired with, and what was sent to them. */
export class KnownPeers implements Disposable {
  readonly #parts: Parts;
  #sent: SentStore | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async store(): Promise<PeerStore> {
    return createPeerStore({ vault: await this.#parts.door.get(), keyOf: internalKey });
  }

  get sent(): SentStore {
    const folder = join(this.#parts.paths.home, "peers");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#sent ??= new SentStore(join(folder, "sent.db"), this.#parts.clock);
    return this.#sent;
  }

  /** Pairing again begins anew: nothing of what the old keys sent counts. */
  keep(store: PeerStore, peer: Peer): void {
    for (const old of store.list())
      if (old.name === peer.name && old.role === peer.role) this.sent.forget(old.id);
    store.add(peer);
    this.#parts.results.noteContact(peer, { error: null });
  }

  remove(store: PeerStore, name: string): PeerRow[] {
    const known = store.list().filter((peer) => peer.name === name);
    const rows = known.map((peer) => this.asRow(store, peer));
    if (rows.length === 0) throw noPeer(name, store.list());
    store.remove(name);
    for (const peer of known) {
      this.sent.forget(peer.id);
      this.#parts.results.forget(peer);
    }
    return rows;
  }

  asRow(store: PeerStore, peer: Peer): PeerRow {
    const contact = this.#parts.results.contact(peer);
    const last = peer.role === "source" ? store.received(peer.id).at : this.sent.lastAt(peer);
    return {
      name: peer.name,
      role: peer.role,
      url: peer.url,
      fingerprint: peer.fingerprint,
      paired_at: new Date(peer.pairedAt).toISOString(),
      last_sync: last === 0 ? null : new Date(last).toISOString(),
      last_error: contact?.error ?? null,
      version: contact?.version ?? null,
      clock_ahead_ms: contact?.ahead ?? null,
    };
  }

  [Symbol.dispose](): void {
    this.#sent?.[Symbol.dispose]();
  }
}

export function noPeer(name: string, all: readonly Peer[]): DeputyError {
  const known = all.map((peer) => peer.name).join(", ");
  return new DeputyError("NOT_FOUND", `There is no peer called ${name}`, {
    hint: known === "" ? "None is paired: deputy pair" : `There are: ${known}`,
  });
}
