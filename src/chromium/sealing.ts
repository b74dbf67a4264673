import { createCipheriv, createDecipheriv, createHash, pbkdf2Sync } from "node:crypto";
import { Secret } from "../kernel/index.ts";

// components/os_crypt/sync/os_crypt_linux.cc and os_crypt_mac.mm: kSalt, kDerivedKeySizeInBits, and an
// initialization vector of 16 spaces.
const SALT = "saltysalt";
const KEY_BYTES = 16;
const VECTOR = Buffer.alloc(16, " ");

/** kEncryptionIterations of os_crypt_linux.cc and os_crypt_mac.mm. */
export const ITERATIONS = { linux: 1, darwin: 1003 } as const;

export const PREFIX_BYTES = 3;
export const HOST_HASH_BYTES = 32;

/** The caller owns the key, and zeroes it. */
export function deriveSealingKey(password: Uint8Array | string, iterations: number): Buffer {
  return pbkdf2Sync(password, SALT, iterations, KEY_BYTES, "sha1");
}

export function encrypt(plain: Uint8Array, key: Buffer): Buffer {
  const cipher = createCipheriv("aes-128-cbc", key, VECTOR);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

/** Undefined where the padding shows that this was not the key. */
export function decrypt(sealed: Uint8Array, key: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv("aes-128-cbc", key, VECTOR);
    const first = decipher.update(sealed);
    const last = decipher.final();
    return last.length === 0 ? first : Buffer.concat([first, last]);
  } catch {
    return undefined;
  }
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
