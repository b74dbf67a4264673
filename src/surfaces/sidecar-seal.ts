import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { DeputyError, Secret } from "../kernel/index.ts";
import type { Keyring } from "../platform/index.ts";

/** What a sealed value begins with; base64 of nonce, ciphertext and tag follows. */
export const SEAL_MARK = "agc1:";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface SidecarSeal {
  seal(text: string): string;
  /** Throws WRONG_KEY where the key does not open it. */
  open(sealed: string): string;
}

/** AES-256-GCM under a key that seals nothing else. */
export function createSidecarSeal(key: Secret): SidecarSeal {
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key.bytes(), nonce);
      const body = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return SEAL_MARK + body.toString("base64");
    },
    open(sealed) {
      const body = Buffer.from(sealed.slice(SEAL_MARK.length), "base64");
      if (body.length < NONCE_BYTES + TAG_BYTES) throw wrongKey();
      const decipher = createDecipheriv("aes-256-gcm", key.bytes(), body.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(body.subarray(-TAG_BYTES));
      try {
        const plain = decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES));
        decipher.final();
        return plain.toString("utf8");
      } catch {
        throw wrongKey();
      }
    },
  };
}

/** The sidecar's own key in the system's keyring; another file's is another key. */
export async function findSidecarKey(keyring: Keyring, path: string): Promise<Secret | undefined> {
  return keyring.find(accountOf(path));
}

export async function getSidecarKey(keyring: Keyring, path: string): Promise<Secret> {
  const known = await findSidecarKey(keyring, path);
  if (known !== undefined) return known;
  const made = Secret.fromBytes(randomBytes(KEY_BYTES));
  await keyring.store(accountOf(path), made);
  return made;
}

function accountOf(path: string): string {
  return `sidecar-${createHash("sha256").update(path).digest("hex").slice(0, 16)}`;
}

function wrongKey(): DeputyError {
  return new DeputyError("WRONG_KEY", "The sidecar's values were sealed with another key", {
    hint: "Remove the file and deliver again: deputy deliver --surface sidecar",
  });
}
