import type { BrowserId, Family } from "./catalogue.ts";

/** One place a browser keeps one person's cookies apart from others. */
export interface BrowserProfile {
  readonly browser: BrowserId;
  readonly family: Family;
  /** As the browser shows it; a Firefox container follows its profile after a slash. */
  readonly profile: string;
  /** The name of its folder, for profiles nobody named. */
  readonly folder: string;
  readonly path: string;
  /** The one the browser opens when nobody says otherwise. */
  readonly isDefault: boolean;
  /** Firefox: cookies of another container belong to another identity. Absent: the default one. */
  readonly container?: number;
}

/** A name out of a file others wrote: one line, not endless. */
export function shownName(name: unknown, otherwise: string): string {
  if (typeof name !== "string") return otherwise;
  const clean = name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "").trim();
  return clean === "" ? otherwise : clean.slice(0, 100);
}
