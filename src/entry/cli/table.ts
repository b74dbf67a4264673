import { stripVTControlCharacters } from "node:util";

/** Columns as wide as their widest cell. Control characters of foreign text never reach the terminal. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((row) => row.map(plain));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => width(line[column] ?? ""))));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell + " ".repeat(Math.max(0, (widths[i] ?? 0) - width(cell))))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Neither control characters nor those that hide or turn round what follows: bidi overrides, zero widths. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}]/gu, "·");
}

/** A time as a person reads it; the program's own answer has all of it. */
export function minute(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}

const COMBINING = /\p{M}/gu;
/** What terminals draw two columns wide, by and large: UAX 11's Wide and Fullwidth, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/gu;

/** Columns a text takes on a terminal. */
function width(text: string): number {
  const shown = text.replace(COMBINING, "");
  return Array.from(shown).length + (shown.match(WIDE)?.length ?? 0);
}
