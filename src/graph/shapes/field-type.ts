export const fieldKinds = [
  "string",
  "text",
  "integer",
  "number",
  "boolean",
  "datetime",
  "url",
  "json",
] as const;

export type FieldKind = (typeof fieldKinds)[number];

/** What a field holds: one value of a kind, or with `[]` a list of them. */
export interface FieldType {
  readonly kind: FieldKind;
  readonly many: boolean;
}

/** Stands in a relation for every shape: a list may hold whatever there is. */
export const anyShape = "any";

/** What a relation leads to: one entity of a shape, or with `[]` several. */
export interface RelationType {
  readonly shape: string;
  readonly many: boolean;
}

export function findFieldType(text: string): FieldType | undefined {
  const { name, many } = splitMany(text);
  const kind = fieldKinds.find((one) => one === name);
  return kind && { kind, many };
}

/** `shape[]` into its name and whether it is a list. */
export function splitMany(text: string): { name: string; many: boolean } {
  const many = text.endsWith("[]");
  return { name: many ? text.slice(0, -2) : text, many };
}

export function showType(type: FieldType | RelationType): string {
  return `${"kind" in type ? type.kind : type.shape}${type.many ? "[]" : ""}`;
}
