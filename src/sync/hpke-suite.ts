import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  KeyObject,
} from "node:crypto";
import {
  type AeadEncryptionContext,
  Aes256Gcm,
  CipherSuite,
  DhkemX25519HkdfSha256,
  HkdfSha256,
} from "@hpke/core";

type Bytes = ArrayBufferLike | ArrayBufferView;

const HASH = "sha256";
const CIPHER = "aes-256-gcm";
const TAG = 16;
const ALGORITHM = { name: "X25519" };

/**
 * HPKE with X25519, HKDF-SHA256 and AES-256-GCM, as the library has it, but for its primitives: those are computed at
 * once instead of in some twenty errands to other threads an envelope. What goes into each stays the library's to say.
 */
export function createHpkeSuite(): CipherSuite {
  return new CipherSuite({ kem: new NodeKem(), kdf: new NodeHkdf(), aead: new NodeAesGcm() });
}

/** The library takes whole ArrayBuffers; a Buffer is often a part of a larger one. */
export function exact(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

class NodeHkdf extends HkdfSha256 {
  override async extract(salt: Bytes, ikm: Bytes): Promise<ArrayBuffer> {
    // RFC 5869, 2.2: "if not provided, [salt] is set to a string of HashLen zeros", which an empty HMAC key is too.
    return exact(createHmac(HASH, view(salt)).update(view(ikm)).digest());
  }

  override async extractAndExpand(
    salt: Bytes,
    ikm: Bytes,
    info: Bytes,
    length: number,
  ): Promise<ArrayBuffer> {
    return hkdfSync(HASH, view(ikm), view(salt), view(info), length);
  }
}

class NodeKem extends DhkemX25519HkdfSha256 {
  constructor() {
    super();
    const kdf = new NodeHkdf();
    kdf.init(Buffer.from([...Buffer.from("KEM"), 0x00, 0x20])); // RFC 9180, 4.1 and 7.1
    this._kdf = kdf;
    Object.assign(this._prim, {
      // RFC 7748, 6.1, an all-zero secret: OpenSSL refuses to derive one.
      dh: async (own: CryptoKey, theirs: CryptoKey) =>
        exact(diffieHellman({ privateKey: KeyObject.from(own), publicKey: KeyObject.from(theirs) })),
      async generateKeyPair() {
        const { privateKey, publicKey } = generateKeyPairSync("x25519");
        return {
          privateKey: privateKey.toCryptoKey(ALGORITHM, true, ["deriveBits"]),
          publicKey: publicKey.toCryptoKey(ALGORITHM, true, []),
        };
      },
      serializePublicKey: async (key: CryptoKey) =>
        exact(Buffer.from(KeyObject.from(key).export({ format: "jwk" }).x ?? "", "base64url")),
      deserializePublicKey: async (raw: ArrayBuffer) => publicKey(Buffer.from(raw).toString("base64url")),
    });
  }
}

class NodeAesGcm extends Aes256Gcm {
  override createEncryptionContext(key: Bytes): AeadEncryptionContext {
    const secret = Buffer.from(exact(view(key)));
    return {
      async seal(nonce, data, bound) {
        const cipher = createCipheriv(CIPHER, secret, view(nonce)).setAAD(view(bound));
        return exact(Buffer.concat([cipher.update(view(data)), cipher.final(), cipher.getAuthTag()]));
      },
      async open(nonce, data, bound) {
        const bytes = view(data);
        const decipher = createDecipheriv(CIPHER, secret, view(nonce), { authTagLength: TAG })
          .setAAD(view(bound))
          .setAuthTag(bytes.subarray(-TAG));
        return exact(Buffer.concat([decipher.update(bytes.subarray(0, -TAG)), decipher.final()]));
      },
    };
  }
}

/** By its one coordinate: RFC 8037, an X25519 key as a JWK. */
export function publicKey(x: string): CryptoKey {
  const key = { kty: "OKP", crv: "X25519", x };
  return createPublicKey({ format: "jwk", key }).toCryptoKey(ALGORITHM, true, []);
}

function view(bytes: Bytes): Uint8Array {
  return ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
}
