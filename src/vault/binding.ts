import type { RowKey } from "../kernel/index.ts";

/** The format this build writes. A vault of a higher one is refused, never guessed at. */
export const FORMAT = 1;

/**
 * Bytes that say unmistakably which things are meant: every field with its length in front, so that no two
 * different lists give the same bytes. Written in one go: every read of a row makes one.
 */
export function encodeFields(...fields: readonly (string | number | Uint8Array)[]): Buffer {
  let size = 0;
  for (const field of fields) size += 4 + sizeOf(field);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const field of fields) {
    const length = sizeOf(field);
    at = bytes.writeUInt32BE(length, at);
    if (typeof field === "string") bytes.write(field, at);
    else if (typeof field === "number") writeInt64(bytes, field, at);
    else bytes.set(field, at);
    at += length;
  }
  return bytes;
}

function sizeOf(field: string | number | Uint8Array): number {
  if (typeof field === "string") return Buffer.byteLength(field);
  return typeof field === "number" ? 8 : field.length;
}

/** Signed: a tampered file may hold any number, and must only fail to open. */
function writeInt64(bytes: Buffer, value: number, at: number): void {
  bytes.writeInt32BE(Math.floor(value / 2 ** 32), at);
  bytes.writeUInt32BE(value >>> 0, at + 4);
}

/** What a sealed row is bound to: it opens nowhere else, for no other key, in no other version. */
export interface RowBinding {
  readonly vaultId: Uint8Array;
  readonly key: RowKey;
  readonly version: number;
  readonly keyVersion: number;
}

export function rowAdditionalData(b: RowBinding): Buffer {
  const { domain, identifier, itemType } = b.key;
  return encodeFields("deputy-row", FORMAT, b.vaultId, domain, identifier, itemType, b.version, b.keyVersion);
}
