import type { RowKey } from "../kernel/index.ts";

/** The format this build writes. A vault of a higher one is refused, never guessed at. */
export const FORMAT = 1;

/**
 * Bytes that say unmistakably which things are meant: every field with its length in front, so that no two
 * different lists give the same bytes.
 */
export function encodeFields(...fields: readonly (string | number | Uint8Array)[]): Buffer {
  const parts: Buffer[] = [];
  for (const field of fields) {
    const bytes = typeof field === "number" ? number64(field) : Buffer.from(field as string);
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  return Buffer.concat(parts);
}

function number64(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(BigInt(value)); // signed: a tampered file may hold any number, and must only fail to open
  return bytes;
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
