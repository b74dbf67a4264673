import { type Cookie, cookieKey } from "../cookies/index.ts";
import type { AdapterWrite } from "./adapter.ts";
import type { SidecarSeal } from "./sidecar-seal.ts";
import type { Deletion } from "./surface.ts";

/** What a file says now, and is to say. */
export interface Task {
  /** Undefined where there is no file. */
  readonly old: string | undefined;
  readonly want: readonly Cookie[];
  readonly gone: readonly Deletion[];
  readonly now: number;
  readonly seal: SidecarSeal | undefined;
}

export interface Rendered {
  /** The same text as before where nothing has to change. */
  readonly text: string;
  readonly unchanged: number;
  readonly deleted: number;
}

/** What an adapter says of one of its files in this form. */
export type WriteOf<F extends AdapterWrite["format"]> = Extract<AdapterWrite, { format: F }>;

/** What was there, without what is wanted or gone, and then what is wanted. */
export function mergeCookies(
  there: readonly Cookie[],
  { want, gone, now }: Pick<Task, "want" | "gone" | "now">,
  isSame: (found: Cookie, wanted: Cookie) => boolean,
): { cookies: Cookie[]; unchanged: number; deleted: number; changed: boolean } {
  const known = new Map(there.map((cookie) => [cookieKey(cookie), cookie]));
  const unchanged = want.filter((cookie) => {
    const found = known.get(cookieKey(cookie));
    return found !== undefined && isSame(found, cookie);
  }).length;
  const deleted = gone.filter((one) => known.delete(cookieKey(one))).length;
  const ended = there.filter(({ expires }) => expires !== null && expires <= now);
  for (const cookie of [...ended, ...want]) known.delete(cookieKey(cookie));
  const changed = unchanged < want.length || deleted > 0 || ended.length > 0;
  return { cookies: [...known.values(), ...want], unchanged, deleted, changed };
}
