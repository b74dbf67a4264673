import type { SQLInputValue, SQLOutputValue } from "node:sqlite";

/** Whole numbers are bound as INTEGER: Node would bind every number as REAL. */
export function toSql(value: unknown): SQLInputValue {
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
      return value ? 1n : 0n;
    case "number":
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    default:
  }
  if (value === null || value === undefined) return null;
  return blobOf(value) ?? JSON.stringify(value);
}

function blobOf(value: unknown): Uint8Array | undefined {
  if (typeof value !== "object" || value === null || !("base64" in value)) return undefined;
  const { base64, ...rest } = value;
  return typeof base64 === "string" && Object.keys(rest).length === 0
    ? Buffer.from(base64, "base64")
    : undefined;
}

/** What JSON cannot say is said in another way: see `SqlRows`. */
export function fromSql(value: SQLOutputValue): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") };
  return value;
}
