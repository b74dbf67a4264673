import { DeputyError } from "../../kernel/index.ts";

/** Opaque to whoever gets it. `order` is what it counts in: a cursor of another list is refused. */
export function writeCursor(order: string, place: readonly unknown[]): string {
  return Buffer.from(JSON.stringify([order, ...place])).toString("base64url");
}

export function readCursor(cursor: string, order: string): readonly unknown[] {
  try {
    const read = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown;
    if (Array.isArray(read) && read[0] === order) return read.slice(1);
  } catch {}
  throw new DeputyError("BAD_INPUT", "That cursor is not from this list", {
    hint: "Leave it out to begin again, and keep shape, filters and sort the same from page to page.",
  });
}
