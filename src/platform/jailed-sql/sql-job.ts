/** A question to SQLite files as the jailed process is told it. It crosses a pipe, so everything in it is JSON. */
export interface SqlJob {
  readonly query: string;
  /** By name, or in order. `{base64}` is a BLOB, other lists and objects are JSON text. */
  readonly params: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly database: string;
  /** Further files by the name the query uses; always read-only. */
  readonly attach: Readonly<Record<string, string>>;
  readonly write: boolean;
  readonly rows: number;
  readonly bytes: number;
}

/** BLOBs are `{base64}`; integers beyond 2^53 are decimal text; an infinite REAL is null. */
export type SqlRows = readonly Readonly<Record<string, unknown>>[];

export type SqlAnswer =
  | { readonly kind: "rows"; readonly rows: SqlRows }
  | { readonly kind: "changed"; readonly changes: number; readonly lastRowid: unknown }
  | { readonly kind: "failed"; readonly why: SqlFailure; readonly message: string };

/** How a file was read (see `open-files.ts`), and as of which state of it. */
export interface ReadFrom {
  readonly path: string;
  readonly way: "place" | "live" | "image";
  readonly stamp: string;
}

/** What the jailed process says. */
export interface SqlReport {
  readonly answer: SqlAnswer;
  readonly from: readonly ReadFrom[];
}

/**
 * `refused`: the statement asks for more than it may; `wrong`: SQLite does not take it; `changing`: another program
 * writes the file without a pause.
 */
export type SqlFailure = "refused" | "wrong" | "too-large" | "busy" | "changing" | "corrupt";
