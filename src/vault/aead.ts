import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const NONCE = 12;
const TAG = 16;

/** AES-256-GCM: nonce, ciphertext and tag in one buffer, after what goes `before` them. */
export function seal(
  key: Uint8Array,
  plaintext: Uint8Array,
  additionalData: Uint8Array,
  ...before: readonly Uint8Array[]
): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(additionalData);
  const ciphertext = cipher.update(plaintext);
  cipher.final();
  return Buffer.concat([...before, nonce, ciphertext, cipher.getAuthTag()]);
}

/** Undefined unless every bit of the sealed bytes, the key and the additional data is right. They begin at `from`. */
export function open(
  key: Uint8Array,
  sealed: Uint8Array,
  additionalData: Uint8Array,
  from = 0,
): Buffer | undefined {
  const begin = from + NONCE;
  const end = sealed.length - TAG;
  if (end < begin) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(from, begin), { authTagLength: TAG });
  decipher.setAAD(additionalData);
  decipher.setAuthTag(sealed.subarray(end));
  const plaintext = decipher.update(sealed.subarray(begin, end));
  try {
    decipher.final();
    return plaintext;
  } catch {
    plaintext.fill(0);
    return undefined;
  }
}
