import type { RowKey } from "../kernel/index.ts";
import type { SqlRow, SqlValue } from "../platform/index.ts";

/** A row as it lies in the file. */
export interface StoredRow {
  readonly key: RowKey;
  readonly version: number;
  readonly keyVersion: number;
  readonly sealed: Uint8Array;
}

// Clamped: node:sqlite cannot read integers beyond 2^53, and one tampered number must cost one row only.
export const VERSION = "max(min(version, 9007199254740991), -1) AS version";
export const KEY_VERSION = "max(min(key_version, 9007199254740991), -1) AS key_version";
export const CONTENT = `${VERSION}, ${KEY_VERSION}, sealed`;
export const COLUMNS = `domain, identifier, item_type, ${CONTENT}`;

export function asKey(row: SqlRow): RowKey {
  return {
    domain: String(row["domain"]),
    identifier: String(row["identifier"]),
    itemType: String(row["item_type"]),
  };
}

export function asStored(key: RowKey, row: SqlRow): StoredRow {
  return {
    key,
    version: asVersion(row["version"]),
    keyVersion: asVersion(row["key_version"]),
    sealed: row["sealed"] instanceof Uint8Array ? row["sealed"] : NOTHING,
  };
}

// STRICT holds while writing only: in a damaged file any column may hold any kind of value.
const NOTHING = new Uint8Array();

export function asVersion(value: SqlValue | undefined): number {
  return Number.isSafeInteger(value) ? Number(value) : -1;
}

export function nameOf(key: RowKey): string {
  return `${key.itemType} of ${key.identifier} at ${key.domain}`;
}
