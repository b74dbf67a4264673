import { createCipheriv, createDecipheriv, createHash, pbkdf2Sync } from "node:crypto";
import { Secret } from "../kernel/index.ts";

// components/os_crypt/sync/os_crypt_linux.cc and os_crypt_mac.mm: kSalt, kDerivedKeySizeInBits, and an
// initialization vector of 16 spaces.
const SALT = "saltysalt";
const KEY_BYTES = 16;
const BLOCK = 16;
const VECTOR = Buffer.alloc(BLOCK, " ");

/** kEncryptionIterations of os_crypt_linux.cc and os_crypt_mac.mm. */
export const ITERATIONS = { linux: 1, darwin: 1003 } as const;

export const PREFIX_BYTES = 3;
export const HOST_HASH_BYTES = 32;

/** The caller owns the key, and zeroes it. */
export function deriveSealingKey(password: Uint8Array | string, iterations: number): Buffer {
  return pbkdf2Sync(password, SALT, iterations, KEY_BYTES, "sha1");
}

/** Seals `head` and then `text`, in UTF-8. */
export type Encrypt = (head: Uint8Array, text: Uint8Array | string) => Buffer;

/**
 * One cipher for all values, for the reason given below. CBC mixes each block with the sealed one before it, so the
 * last block of the value before is mixed out of the first block of the next, and the vector in.
 */
export function createEncrypt(key: Buffer): Encrypt {
  const cipher = createCipheriv("aes-128-cbc", key, VECTOR).setAutoPadding(false);
  const last = Buffer.from(VECTOR);
  let plain = Buffer.allocUnsafeSlow(4096 + HOST_HASH_BYTES + BLOCK);
  return (head, text) => {
    const size = head.length + (typeof text === "string" ? Buffer.byteLength(text) : text.length);
    const padding = BLOCK - (size % BLOCK);
    if (size + padding > plain.length) plain = Buffer.allocUnsafeSlow(size + padding);
    plain.set(head);
    if (typeof text === "string") plain.write(text, head.length);
    else plain.set(text, head.length);
    plain.fill(padding, size, size + padding);
    for (let i = 0; i < BLOCK; i++) plain[i] = (plain[i] ?? 0) ^ (last[i] ?? 0) ^ (VECTOR[i] ?? 0);
    const sealed = cipher.update(plain.subarray(0, size + padding));
    plain.fill(0, 0, size);
    last.set(sealed.subarray(-BLOCK));
    return sealed;
  };
}

export interface Decrypt {
  /** Undefined where the padding shows that this was not the key. */
  (sealed: Uint8Array): Buffer | undefined;
  /** The same for many at once, several times as fast. */
  readonly all: (sealed: readonly Uint8Array[]) => (Buffer | undefined)[];
}

/**
 * CBC by hand over one ECB cipher, because making a cipher costs more than all else about a cookie: a profile of
 * thousands opens three times as fast.
 */
export function createDecrypt(key: Buffer): Decrypt {
  const blocks = createDecipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  const isWhole = (sealed: Uint8Array) => sealed.length > 0 && sealed.length % BLOCK === 0;
  const one = (sealed: Uint8Array) => (isWhole(sealed) ? unchain(blocks.update(sealed), sealed) : undefined);
  const all = (sealed: readonly Uint8Array[]) => {
    const plain = blocks.update(Buffer.concat(sealed.filter(isWhole)));
    let at = 0;
    return sealed.map((each) =>
      isWhole(each) ? unchain(plain.subarray(at, (at += each.length)), each) : undefined,
    );
  };
  return Object.assign(one, { all });
}

function unchain(plain: Buffer, sealed: Uint8Array): Buffer | undefined {
  for (let i = 0; i < plain.length; i++)
    plain[i] = (plain[i] ?? 0) ^ ((i < BLOCK ? VECTOR[i] : sealed[i - BLOCK]) ?? 0);
  // PKCS #7, RFC 5652 6.3: as many bytes as are missing, each of that number.
  const padding = plain.at(-1) ?? 0;
  const text = plain.length - padding;
  if (padding === 0 || padding > BLOCK) return undefined;
  for (let i = text; i < plain.length; i++) if (plain[i] !== padding) return undefined;
  return plain.subarray(0, text);
}

export function hostHash(hostKey: string): Buffer {
  return createHash("sha256").update(hostKey).digest();
}

/** Copies out of the shared pool, so that disposing the secret really clears it. */
export function asSecret(plain: Buffer): Secret {
  const own = Buffer.allocUnsafeSlow(plain.length);
  plain.copy(own);
  plain.fill(0);
  return Secret.fromBytes(own);
}
