import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const NONCE = 12;
const TAG = 16;

/** AES-256-GCM under a key both ends have: nonce, ciphertext and tag. `bound` has to be the same to open it. */
export function sealBox(key: Buffer, text: string, bound = ""): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(bound));
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined for what was not sealed so. */
export function openBox(key: Buffer, box: Buffer, bound = ""): string | undefined {
  if (box.length < NONCE + TAG) return undefined;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, box.subarray(0, NONCE), { authTagLength: TAG })
      .setAAD(Buffer.from(bound))
      .setAuthTag(box.subarray(-TAG));
    return Buffer.concat([decipher.update(box.subarray(NONCE, -TAG)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
}
