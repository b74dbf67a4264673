import { createHash, generateKeyPairSync, hkdfSync, randomBytes } from "node:crypto";
import { z } from "zod";
import { isPeerName, keyId, type Peer, type Role, VERSIONS } from "./peer.ts";
import { openBox, sealBox } from "./sealed-box.ts";
import type { Side } from "./spake2.ts";

/** What one machine tells the other once both have proven that they know the code. */
export interface Introduction {
  readonly name: string;
  readonly role: Role;
  /** Where its sink listens, if it is one. */
  readonly url: string | null;
  readonly key: string;
  readonly versions: readonly number[];
}

export interface OwnKeys {
  readonly own: string;
  readonly ownPublic: string;
}

const introduction = z.object({
  name: z.string().refine(isPeerName),
  role: z.enum(["source", "sink"]),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .nullable(),
  key: z.string().regex(/^[\w-]{43}$/),
  versions: z.array(z.int()).max(16),
});

/** New for every pairing: who had the old ones has nothing of what comes after. */
export function createKeys(): OwnKeys {
  const { privateKey, publicKey } = generateKeyPairSync("x25519");
  const own = privateKey.export({ format: "jwk" }).d ?? "";
  return { own, ownPublic: publicKey.export({ format: "jwk" }).x ?? "" };
}

export function sealIntroduction(shared: Buffer, from: Side, told: Introduction): string {
  return sealBox(boxKey(shared, from), JSON.stringify(told)).toString("base64url");
}

/** Undefined for anything but an introduction sealed by the one who shares the key. */
export function openIntroduction(shared: Buffer, from: Side, box: string): Introduction | undefined {
  const opened = openBox(boxKey(shared, from), Buffer.from(box, "base64url"));
  try {
    return opened === undefined ? undefined : introduction.parse(JSON.parse(opened));
  } catch {
    return undefined;
  }
}

interface Pinning {
  readonly shared: Buffer;
  readonly side: Side;
  readonly own: OwnKeys;
  readonly told: Introduction;
  /** Where the peer was reached, if it was. */
  readonly url: string | null;
  readonly now: number;
}

/** The peer as it is remembered. Both sides come to the same fingerprint and pair key. */
export function pinPeer({ shared, side, own, told, url, now }: Pinning): Peer {
  const [a, b] = side === "A" ? [own.ownPublic, told.key] : [told.key, own.ownPublic];
  const both = createHash("sha256").update(`deputy pair v1\n${a}\n${b}`).digest();
  const pair = Buffer.from(hkdfSync("sha256", shared, both, "deputy pair key v1", 32));
  return {
    id: keyId(told.key),
    name: told.name,
    role: told.role,
    url: told.role === "sink" ? (url ?? told.url) : null,
    fingerprint: both
      .toString("hex")
      .slice(0, 24)
      .replace(/(.{4})(?=.)/g, "$1 "),
    pairedAt: now,
    keys: {
      ...own,
      theirs: told.key,
      pair: pair.toString("base64url"),
      memory: randomBytes(32).toString("base64url"),
    },
  };
}

export function speaksOurs({ versions }: Introduction): boolean {
  return VERSIONS.some((version) => versions.includes(version));
}

function boxKey(shared: Buffer, from: Side): Buffer {
  return Buffer.from(hkdfSync("sha256", shared, "", `deputy introduction v1 ${from}`, 32));
}
