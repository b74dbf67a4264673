import { stripVTControlCharacters } from "node:util";

/** Columns as wide as their widest cell. Control characters of foreign text never reach the terminal. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((row) => row.map(plain));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}/gu, "·");
}
