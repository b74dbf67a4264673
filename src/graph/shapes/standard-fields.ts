import type { FieldType } from "./field-type.ts";

/** What every record may have without its shape saying so. */
export const standardFields: ReadonlyMap<string, FieldType> = new Map(
  (
    [
      ["id", "string"],
      ["name", "string"],
      ["text", "text"],
      ["url", "url"],
      ["image", "url"],
      ["author", "string"],
      ["published", "datetime"],
      ["content", "text"],
    ] as const
  ).map(([name, kind]) => [name, { kind, many: false }]),
);

/** Skills written for the ancestor name the date of a record in two ways. */
export function canonicalField(name: string): string {
  return name === "datePublished" ? "published" : name;
}
