import { DeputyError, type RowKey, Secret } from "../kernel/index.ts";
import type { Vault } from "../vault/index.ts";
import type { Peer } from "./peer.ts";

/** What a sink remembers of a source between two of its pushes. */
export interface Received {
  /** The highest sequence taken: an envelope at or below it was here before. */
  readonly sequence: number;
  /** Which state of the source's we hold; null before the first. */
  readonly base: string | null;
  readonly at: number;
}

export interface PeerStore {
  list(): Peer[];
  find(id: string): Peer | undefined;
  /** A peer of the same name and role makes way: pairing again replaces its keys. */
  add(peer: Peer): void;
  /** The peers of that name, now unknown; none where there was none. */
  remove(name: string): Peer[];
  received(id: string): Received;
  setReceived(id: string, received: Received): void;
}

const FORMAT = 1;
const TRIES = 20;
const NOTHING: Received = { sequence: 0, base: null, at: 0 };

interface Parts {
  readonly vault: Vault;
  /** The rows that are Deputy's own. */
  readonly keyOf: (itemType: string) => RowKey;
}

/** Peers in sealed rows of the vault: who can only edit files can neither add one nor change its keys. */
export function createPeerStore({ vault, keyOf }: Parts): PeerStore {
  const key = keyOf("peers");
  const receivedKey = (id: string) => keyOf(`received-${id}`);

  function read(): { version: number; peers: Peer[] } {
    const row = vault.find(key);
    if (row === undefined) return { version: 0, peers: [] };
    using value = row.value;
    const stored = JSON.parse(value.reveal()) as { format: number; peers: Peer[] };
    if (stored.format === FORMAT) return { version: row.version, peers: stored.peers };
    throw new DeputyError("VAULT_NEWER", "The peers were written by a newer Deputy", {
      hint: "Update this Deputy first.",
    });
  }

  function change(work: (peers: Peer[]) => Peer[]): Peer[] {
    for (let tries = 0; tries < TRIES; tries++) {
      const { version, peers } = read();
      const after = work(peers);
      using value = Secret.fromText(JSON.stringify({ format: FORMAT, peers: after }));
      const masked = after.length === 1 ? "1 peer" : `${after.length} peers`;
      if (vault.put(key, value, { source: "deputy", masked }, version).kind === "stored") return peers;
    }
    throw new DeputyError("CONFLICT", "The list of peers never stood still", { hint: "Try again." });
  }

  return {
    list: () => read().peers,
    find: (id) => read().peers.find((peer) => peer.id === id),
    add(peer) {
      const same = (other: Peer) => other.name === peer.name && other.role === peer.role;
      const before = change((peers) => [...peers.filter((other) => !same(other)), peer]);
      for (const other of before.filter(same)) vault.remove(receivedKey(other.id));
    },
    remove(name) {
      const before = change((peers) => peers.filter((peer) => peer.name !== name));
      const removed = before.filter((peer) => peer.name === name);
      for (const peer of removed) vault.remove(receivedKey(peer.id));
      return removed;
    },
    received(id) {
      const row = vault.find(receivedKey(id));
      if (row === undefined) return NOTHING;
      using value = row.value;
      return JSON.parse(value.reveal()) as Received;
    },
    setReceived(id, received) {
      using value = Secret.fromText(JSON.stringify(received));
      vault.put(receivedKey(id), value, { source: "deputy", masked: `sequence ${received.sequence}` });
    },
  };
}
