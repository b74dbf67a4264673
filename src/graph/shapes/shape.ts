import type { FieldType, RelationType } from "./field-type.ts";

/** Names of fields that stand for a record where there is little room. */
export interface Display {
  readonly title?: string;
  readonly subtitle?: string;
  readonly description?: string;
  readonly image?: string;
  readonly date?: string;
  readonly columns: readonly { readonly field: string; readonly heading: string }[];
}

/** A kind of record, as one entry of a shape file says it. */
export interface Shape {
  readonly name: string;
  readonly description: string | undefined;
  readonly also: readonly string[];
  readonly fields: ReadonlyMap<string, FieldType>;
  readonly relations: ReadonlyMap<string, RelationType>;
  readonly display: Display;
  /** Sets of fields, each of which makes two records one entity. Empty: as the shapes it is also. */
  readonly identities: readonly (readonly string[])[];
  readonly file: string;
  readonly line: number;
}

/** What is wrong with a shape or its file, for the person who wrote it. */
export interface ShapeProblem {
  readonly file: string;
  readonly line: number;
  /** Without a name the whole file is meant. */
  readonly shape?: string;
  readonly message: string;
}
