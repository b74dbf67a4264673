import { createDecipheriv, hash, pbkdf2Sync } from "node:crypto";
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

/** Undefined where the padding shows that this was not the key. */
export type Decrypt = (sealed: Uint8Array) => Buffer | undefined;

/**
 * CBC by hand over one ECB cipher, because making a cipher costs more than all else about a cookie: a profile of
 * thousands opens three times as fast.
 */
export function createDecrypt(key: Buffer): Decrypt {
  const blocks = createDecipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  return (sealed) =>
    sealed.length > 0 && sealed.length % BLOCK === 0 ? unchain(blocks.update(sealed), sealed) : undefined;
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
  return hash("sha256", hostKey, "buffer");
}

/** Copies out of the shared pool, so that disposing the secret really clears it. */
export function asSecret(plain: Buffer): Secret {
  const own = Buffer.allocUnsafeSlow(plain.length);
  plain.copy(own);
  plain.fill(0);
  return Secret.fromBytes(own);
}
