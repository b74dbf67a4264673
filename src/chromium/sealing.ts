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

export type Encrypt = (plain: Uint8Array) => Buffer;

/**
 * One cipher for all values, for the reason given below. CBC mixes each block with the sealed one before it, so the
 * last block of the value before is mixed out of the first block of the next, and the vector in.
 */
export function createEncrypt(key: Buffer): Encrypt {
  const cipher = createCipheriv("aes-128-cbc", key, VECTOR).setAutoPadding(false);
  let last: Uint8Array = VECTOR;
  return (plain) => {
    const padding = BLOCK - (plain.length % BLOCK);
    const padded = Buffer.alloc(plain.length + padding, padding);
    padded.set(plain);
    for (let i = 0; i < BLOCK; i++) padded[i] = (padded[i] ?? 0) ^ (last[i] ?? 0) ^ (VECTOR[i] ?? 0);
    const sealed = cipher.update(padded);
    padded.fill(0);
    last = sealed.subarray(-BLOCK);
    return sealed;
  };
}

/** Undefined where the padding shows that this was not the key. */
export type Decrypt = (sealed: Uint8Array) => Buffer | undefined;

/**
 * CBC by hand over one ECB cipher, because making a cipher costs more than all else about a cookie: a profile of
 * thousands opens three times as fast.
 */
export function createDecrypt(key: Buffer): Decrypt {
  const blocks = createDecipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  return (sealed) => {
    if (sealed.length === 0 || sealed.length % BLOCK !== 0) return undefined;
    const plain = blocks.update(sealed);
    for (let i = 0; i < plain.length; i++)
      plain[i] = (plain[i] ?? 0) ^ ((i < BLOCK ? VECTOR[i] : sealed[i - BLOCK]) ?? 0);
    // PKCS #7, RFC 5652 6.3: as many bytes as are missing, each of that number.
    const padding = plain.at(-1) ?? 0;
    const text = plain.length - padding;
    if (padding === 0 || padding > BLOCK) return undefined;
    return plain.subarray(text).every((byte) => byte === padding) ? plain.subarray(0, text) : undefined;
  };
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
