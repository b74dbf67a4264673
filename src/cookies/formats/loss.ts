import { isDeepStrictEqual } from "node:util";
import type { Cookie } from "../cookie.ts";

/** What a format could not carry. Never the value itself: `field` names it. */
export interface Loss {
  readonly name: string;
  readonly domain: string;
  readonly path: string;
  /** `cookie` when the whole cookie had to stay behind. */
  readonly field: keyof Cookie | "cookie";
}

/** A record, or a part of a file, that was not taken over, and why. */
export interface Skipped {
  readonly where: string;
  readonly reason: string;
}

/**
 * Compares what was written with what a reader of the format gets back: the one definition of lost that cannot
 * forget a field. `after` is undefined where the cookie was left out.
 */
export function lossesOf(before: Cookie, after: Cookie | undefined): Loss[] {
  const { name, domain, path } = before;
  if (after === undefined) return [{ name, domain, path, field: "cookie" }];
  const fields = Object.keys(before) as (keyof Cookie)[];
  return fields
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ name, domain, path, field }));
}
