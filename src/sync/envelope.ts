import { createPrivateKey } from "node:crypto";
import { createHpkeSuite, exact, publicKey } from "./hpke-suite.ts";
import { keyId, type Peer, type PeerKeys } from "./peer.ts";

const SUITE = createHpkeSuite();
const INFO = Buffer.from("deputy sync v1");
const ENCAPSULATED = 32;

/**
 * HPKE (RFC 9180) in auth mode: only the peer can open it, and only we can have made it. Version, sender, recipient
 * and sequence are bound to it, so that any carrier will do.
 */
export async function sealEnvelope(peer: Peer, sequence: number, message: Uint8Array): Promise<Buffer> {
  const sender = await SUITE.createSenderContext({
    recipientPublicKey: publicKey(peer.keys.theirs),
    senderKey: ownKeys(peer.keys),
    info: exact(INFO),
  });
  const bound = binding(keyId(peer.keys.ownPublic), peer.id, sequence);
  const sealed = await sender.seal(exact(message), exact(bound));
  return Buffer.concat([Buffer.from(sender.enc), Buffer.from(sealed)]);
}

/** Undefined for whatever this peer did not seal for us under this sequence. */
export async function openEnvelope(
  peer: Peer,
  sequence: number,
  envelope: Buffer,
): Promise<Buffer | undefined> {
  if (envelope.length <= ENCAPSULATED) return undefined;
  try {
    const recipient = await SUITE.createRecipientContext({
      recipientKey: ownKeys(peer.keys),
      senderPublicKey: publicKey(peer.keys.theirs),
      enc: exact(envelope.subarray(0, ENCAPSULATED)),
      info: exact(INFO),
    });
    const bound = binding(peer.id, keyId(peer.keys.ownPublic), sequence);
    return Buffer.from(await recipient.open(exact(envelope.subarray(ENCAPSULATED)), exact(bound)));
  } catch {
    return undefined;
  }
}

function binding(sender: string, recipient: string, sequence: number): Buffer {
  return Buffer.from(JSON.stringify({ v: 1, sender, recipient, sequence }));
}

function ownKeys({ own: d, ownPublic: x }: PeerKeys): { publicKey: CryptoKey; privateKey: CryptoKey } {
  const secret = createPrivateKey({ format: "jwk", key: { kty: "OKP", crv: "X25519", x, d } });
  return {
    publicKey: publicKey(x),
    privateKey: secret.toCryptoKey({ name: "X25519" }, true, ["deriveBits"]),
  };
}
