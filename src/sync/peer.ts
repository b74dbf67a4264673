import { createHash } from "node:crypto";

export type Role = "source" | "sink";

/** The versions of the protocol this build speaks, the best first. */
export const VERSIONS = [1] as const;

/** Another machine that was paired with this one. Each pairing has keys of its own, on both sides. */
export interface Peer {
  /** Its public key's name; what it calls itself plays no part in who it is. */
  readonly id: string;
  readonly name: string;
  /** What the other machine is. */
  readonly role: Role;
  /** Where a sink listens; null where nobody said. */
  readonly url: string | null;
  readonly fingerprint: string;
  readonly pairedAt: number;
  readonly keys: PeerKeys;
}

/** Base64url. `own` is ours for this peer alone. */
export interface PeerKeys {
  readonly theirs: string;
  readonly own: string;
  readonly ownPublic: string;
  /** Known to both: proves requests before their body is read, and seals answers. */
  readonly pair: string;
  /** Never leaves this machine: seals what it remembers of the peer. */
  readonly memory: string;
}

/** What one machine tells the other of itself with every message, inside what is sealed. */
export interface Told {
  /** Of its Deputy. */
  readonly version: string;
  /** Its clock. */
  readonly now: number;
}

/** The name of a key: 128 bits of its hash. */
export function keyId(publicKey: string): string {
  return createHash("sha256").update(Buffer.from(publicKey, "base64url")).digest("hex").slice(0, 32);
}

/** What a peer may be called: it is shown, typed and becomes part of account names. */
export function isPeerName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,62}$/i.test(name);
}
