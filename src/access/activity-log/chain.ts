import { createHmac } from "node:crypto";
import type { SqlValue } from "../../platform/index.ts";

/** A place in the chain: a row's id and its hash. */
export interface Link {
  readonly id: number;
  readonly hash: Buffer;
}

/** What the first row is linked to. */
export const GENESIS: Link = { id: 0, hash: Buffer.alloc(32) };

/**
 * hash(n) = HMAC-SHA256(key, hash(n-1) || the row's columns as a JSON array), so that a row proves what it says and
 * where it stands. The columns as they lie in the file: read and written again, an edit might be smoothed away.
 */
export function linkHash(key: Uint8Array, previous: Uint8Array, columns: readonly SqlValue[]): Buffer {
  return createHmac("sha256", key).update(previous).update(JSON.stringify(columns)).digest();
}
