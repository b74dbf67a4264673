import { createDecipheriv, pbkdf2Sync } from "node:crypto";
import { bytesOf, showBytes } from "./bytes.ts";
import { type AesTask, type Pbkdf2Task, Unusable } from "./task.ts";

export function deriveKey({ password, salt, iterations, keyLength, digest }: Pbkdf2Task): string {
  return pbkdf2Sync(password, salt, iterations, keyLength, digest).toString("hex");
}

export function decrypt({ key, iv, input }: AesTask): unknown {
  const [keyBytes, ivBytes] = [bytesOf(key, "key"), bytesOf(iv, "iv")];
  if (keyBytes.length !== 16 || ivBytes.length !== 16)
    throw new Unusable("the key and the iv of aes-128-cbc have 16 bytes");
  const sealed = bytesOf(input, "input");
  try {
    const cipher = createDecipheriv("aes-128-cbc", keyBytes, ivBytes);
    return showBytes(Buffer.concat([cipher.update(sealed), cipher.final()]));
  } catch {
    throw new Unusable("the input does not open with this key");
  }
}
