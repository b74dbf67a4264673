/** What a step asks of the jailed process. It crosses a pipe, so everything in it is JSON. */
export type Task = CsvTask | PlistTask | Pbkdf2Task | AesTask;

export interface CsvTask {
  readonly kind: "csv";
  readonly input: string;
  readonly delimiter: string;
  readonly header: boolean;
}

export interface PlistTask {
  readonly kind: "plist";
  /** XML, or a binary property list as hexadecimal, base64 or `{base64}`. */
  readonly input: unknown;
  /** Of a keyed archive's objects by index, or of the top by key. Null: all of it. */
  readonly extract: Readonly<Record<string, number | string>> | null;
}

/** The key comes back as hexadecimal. */
export interface Pbkdf2Task {
  readonly kind: "pbkdf2";
  readonly password: string;
  readonly salt: string;
  readonly iterations: number;
  readonly keyLength: number;
  readonly digest: "sha1" | "sha256" | "sha512";
}

/** Hexadecimal, PKCS #7 padding; what is inside comes back as text, or as `{base64}` where it is none. */
export interface AesTask {
  readonly kind: "aes-128-cbc";
  readonly key: string;
  readonly iv: string;
  /** Or `{base64}`. */
  readonly input: unknown;
}

export type TaskResult = { readonly done: unknown } | { readonly failed: string };

/** What is wrong with a task's input, in words that quote none of it. */
export class Unusable extends Error {}
