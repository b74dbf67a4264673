import { isDeepStrictEqual } from "node:util";
import type { Cookie } from "../cookie.ts";
import type { RefusalReason } from "../refusal.ts";

/** What a format could not carry. Never the value itself: `field` names it. */
export interface Loss {
  readonly name: string;
  readonly domain: string;
  readonly path: string;
  /** `cookie` when the whole cookie had to stay behind. */
  readonly field: keyof Cookie | "cookie";
  /** Why, when the whole cookie stayed behind. */
  readonly reason?: RefusalReason;
}

/** A record, or a part of a file, that was not taken over, and why. */
export interface Skipped {
  readonly where: string;
  readonly reason: string;
}

/** How one cookie is put into a format and got out again. */
interface Format<T> {
  readonly refuse: (cookie: Cookie) => RefusalReason | undefined;
  readonly write: (cookie: Cookie) => T;
  readonly read: (written: T) => Cookie | undefined;
  /** What the format promises to carry, where that is less than the whole record. */
  readonly promise?: (cookie: Cookie) => Cookie;
}

/**
 * Writes every cookie and reads it back: what differs then is lost. That is the one definition of lost which
 * cannot forget a field.
 */
export function writeAndCompare<T>(
  cookies: readonly Cookie[],
  { refuse, write, read, promise = (cookie) => cookie }: Format<T>,
): { written: T[]; lost: Loss[] } {
  const written: T[] = [];
  const lost: Loss[] = [];
  for (const cookie of cookies) {
    const { name, domain, path } = cookie;
    const reason = refuse(cookie);
    if (reason !== undefined) {
      lost.push({ name, domain, path, field: "cookie", reason });
      continue;
    }
    const one = write(cookie);
    written.push(one);
    const before = promise(cookie);
    const after = read(one);
    for (const field of Object.keys(before) as (keyof Cookie)[])
      if (!isDeepStrictEqual(before[field], after?.[field])) lost.push({ name, domain, path, field });
  }
  return { written, lost };
}

/** As the time of reading back: equal to no time, so that a time which is not carried counts as lost. */
export const NEVER = Number.NaN;
