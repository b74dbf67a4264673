import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { keyId, type Peer } from "./peer.ts";

/** What a request says of itself before its body. */
export interface Claim {
  readonly peer: string;
  readonly sequence: number;
  readonly length: number;
  /** SHA-256 of the body, base64url. */
  readonly body: string;
}

const VERSION = "1";

export function proofHeaders(peer: Peer, sequence: number, body: Buffer): Record<string, string> {
  const own = keyId(peer.keys.ownPublic);
  const claim: Claim = { peer: own, sequence, length: body.length, body: hashOf(body) };
  return {
    "content-type": "application/octet-stream",
    "deputy-sync": VERSION,
    "deputy-peer": own,
    "deputy-sequence": String(sequence),
    "deputy-body": claim.body,
    "deputy-mac": macOf(peer, claim, peer.id).toString("base64url"),
  };
}

/** Undefined unless the headers have the form; whether they are true is `isProven`'s to say. */
export function readClaim(
  headers: IncomingHttpHeaders,
  length: number,
): { claim: Claim; mac: Buffer } | undefined {
  const one = (name: string) => (typeof headers[name] === "string" ? headers[name] : "");
  const [peer, sequence, body] = [one("deputy-peer"), one("deputy-sequence"), one("deputy-body")];
  const written = one("deputy-mac");
  const mac = Buffer.from(written, "base64url");
  const wellFormed =
    one("deputy-sync") === VERSION &&
    /^[0-9a-f]{32}$/.test(peer) &&
    /^[1-9]\d{0,14}$/.test(sequence) &&
    /^[\w-]{43}$/.test(body) &&
    mac.length === 32 &&
    mac.toString("base64url") === written; // base64 has several spellings of the same bytes
  return wellFormed ? { claim: { peer, sequence: Number(sequence), length, body }, mac } : undefined;
}

export function isProven(peer: Peer, claim: Claim, mac: Buffer): boolean {
  return timingSafeEqual(mac, macOf(peer, claim, keyId(peer.keys.ownPublic)));
}

export function isBodyOf(claim: Claim, body: Buffer): boolean {
  return body.length === claim.length && hashOf(body) === claim.body;
}

function hashOf(body: Buffer): string {
  return createHash("sha256").update(body).digest("base64url");
}

function macOf(peer: Peer, { peer: sender, sequence, length, body }: Claim, recipient: string): Buffer {
  const pair = Buffer.from(peer.keys.pair, "base64url");
  const key = Buffer.from(hkdfSync("sha256", pair, "", "deputy sync request v1", 32));
  const said = ["deputy sync", VERSION, sender, recipient, sequence, length, body].join("\n");
  return createHmac("sha256", key).update(said).digest();
}
