import { Unusable } from "./task.ts";

const HEX = /^(?:[\da-f]{2})+$/i;
const BASE64 = /^[A-Za-z\d+/_-]+={0,2}$/;

/** `{base64}`, as sql answers with BLOBs, or text in hexadecimal; with `loosely` also in base64. */
export function bytesOf(value: unknown, what: string, loosely = false): Buffer {
  if (typeof value === "object" && value !== null && "base64" in value && typeof value.base64 === "string")
    return Buffer.from(value.base64, "base64");
  const text = typeof value === "string" ? value.replaceAll(/\s/g, "") : "";
  if (HEX.test(text)) return Buffer.from(text, "hex");
  if (loosely && BASE64.test(text)) return Buffer.from(text, "base64");
  throw new Unusable(`the ${what} is not hexadecimal`);
}

/** Text where the bytes are, `{base64}` otherwise. */
export function showBytes(bytes: Uint8Array): unknown {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") };
  }
}
