export type Path = readonly (string | number)[];

/** A line and a column from 1, in another file than the manifest where it says so. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly file?: string;
}

/** What a skill declares, wherever it stands, and where each part of it does. */
export interface ManifestSource {
  readonly file: string;
  readonly data: unknown;
  /** Where a value or its key begins; the nearest part around it that is there, if it is not. */
  at(path: Path, what?: "key" | "value"): Place;
  /** The same for a path written as one text, such as `rest.body.a.b[0]`. */
  atField(base: Path, field: string): Place;
}
