import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { test } from "node:test";
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";
import { openEnvelope, sealEnvelope } from "./envelope.ts";
import { exact } from "./hpke-suite.ts";
import { keyId, type Peer } from "./peer.ts";

/** As the library is when nothing of ours is in it. */
const KEM = new DhkemX25519HkdfSha256();
const SUITE = new CipherSuite({ kem: KEM, kdf: new HkdfSha256(), aead: new Aes256Gcm() });
const info = exact(Buffer.from("deputy sync v1"));

function keyPair() {
  const { x = "", d = "" } = generateKeyPairSync("x25519").privateKey.export({ format: "jwk" });
  return { x, d };
}

const [laptop, server] = [keyPair(), keyPair()];
const asPeer = (own: typeof laptop, theirs: typeof laptop): Peer => ({
  id: keyId(theirs.x),
  name: "other",
  role: "sink",
  url: null,
  fingerprint: "",
  pairedAt: 0,
  keys: { theirs: theirs.x, own: own.d, ownPublic: own.x, pair: "", memory: "" },
});

const imported = async ({ x, d }: typeof laptop) => ({
  publicKey: await KEM.importKey("raw", exact(Buffer.from(x, "base64url")), true),
  privateKey: await KEM.importKey("raw", exact(Buffer.from(d, "base64url")), false),
});

const boundTo = (sequence: number) =>
  exact(Buffer.from(JSON.stringify({ v: 1, sender: keyId(laptop.x), recipient: keyId(server.x), sequence })));

test("an envelope is HPKE in auth mode as the library alone seals and opens it", async () => {
  const [own, theirs] = [await imported(laptop), await imported(server)];
  for (const length of [1, 500, 70_000]) {
    const message = randomBytes(length);
    const sealed = await sealEnvelope(asPeer(laptop, server), 7, message);
    const recipient = await SUITE.createRecipientContext({
      recipientKey: theirs,
      senderPublicKey: own.publicKey,
      enc: exact(sealed.subarray(0, 32)),
      info,
    });
    const opened = await recipient.open(exact(sealed.subarray(32)), boundTo(7));
    assert.deepEqual(Buffer.from(opened), message);

    const sender = await SUITE.createSenderContext({
      recipientPublicKey: theirs.publicKey,
      senderKey: own,
      info,
    });
    const foreign = await sender.seal(exact(message), boundTo(8));
    const envelope = Buffer.concat([Buffer.from(sender.enc), Buffer.from(foreign)]);
    assert.deepEqual(await openEnvelope(asPeer(server, laptop), 8, envelope), message);
    assert.equal(await openEnvelope(asPeer(server, laptop), 9, envelope), undefined);
  }
});
