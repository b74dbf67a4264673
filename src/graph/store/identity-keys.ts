import { createHash } from "node:crypto";
import { identitiesIn } from "../shapes/identities-in.ts";
import type { JsonRecord } from "../shapes/json-record.ts";
import type { ShapeLookup } from "../shapes/shape-lookup.ts";

/** One way in which a record is told from others, the surest first. */
export interface IdentityKey {
  readonly key: string;
  readonly fields: readonly string[];
}

const LONGEST = 200;

/** A bare id says something only within the skill it came from. */
export function isBareId(fields: readonly string[]): boolean {
  return fields.length === 1 && fields[0] === "id";
}

export function identityKeys(
  book: ShapeLookup,
  shape: string,
  record: JsonRecord,
  skill: string,
): IdentityKey[] {
  const scope = scopeOf(book, shape);
  return identitiesIn(book, shape, record).map(({ fields, values }) => {
    const within = isBareId(fields) ? [skill] : [];
    return { key: shorten(JSON.stringify([scope, ...fields, ...within, ...values])), fields };
  });
}

/** What has no identity is the same only if all of it is. */
export function contentKey(shape: string, record: JsonRecord, skill: string): string {
  const entries = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash("sha256").update(JSON.stringify(entries)).digest("base64url");
  return JSON.stringify(["=", shape, skill, hash]);
}

/** Shapes that take their identity from one they are also share it, so that a post found again as a video is one. */
function scopeOf(book: ShapeLookup, shape: string): string {
  const declaring = [shape, ...book.implied(shape)].find((one) => {
    return (book.find(one)?.identities.length ?? 0) > 0;
  });
  return declaring ?? shape;
}

function shorten(key: string): string {
  return key.length <= LONGEST ? key : `#${createHash("sha256").update(key).digest("base64url")}`;
}
