import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";
import { keyId, type Peer } from "./peer.ts";

const KEM = new DhkemX25519HkdfSha256();
const SUITE = new CipherSuite({ kem: KEM, kdf: new HkdfSha256(), aead: new Aes256Gcm() });
const INFO = Buffer.from("deputy sync v1");
const ENCAPSULATED = 32;

/**
 * HPKE (RFC 9180) in auth mode: only the peer can open it, and only we can have made it. Version, sender, recipient
 * and sequence are bound to it, so that any carrier will do.
 */
export async function sealEnvelope(peer: Peer, sequence: number, message: Uint8Array): Promise<Buffer> {
  const own = {
    privateKey: await importKey(peer.keys.own, false),
    publicKey: await importKey(peer.keys.ownPublic, true),
  };
  const recipientPublicKey = await importKey(peer.keys.theirs, true);
  const sender = await SUITE.createSenderContext({ recipientPublicKey, senderKey: own, info: exact(INFO) });
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
      recipientKey: {
        privateKey: await importKey(peer.keys.own, false),
        publicKey: await importKey(peer.keys.ownPublic, true),
      },
      senderPublicKey: await importKey(peer.keys.theirs, true),
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

function importKey(key: string, isPublic: boolean): Promise<CryptoKey> {
  return KEM.importKey("raw", exact(Buffer.from(key, "base64url")), isPublic);
}

/** The library takes whole ArrayBuffers; a Buffer is often a part of a larger one. */
function exact(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
