/** What one origin keeps in a browser besides cookies. Values of IndexedDB are written by `page-codec.ts`. */
export interface OriginStorage {
  readonly origin: string;
  readonly local: readonly (readonly [key: string, value: string])[];
  readonly databases: readonly StoredDatabase[];
  /** What could not be read, such as keys that do not leave their browser. */
  readonly lost: readonly StorageLoss[];
}

export interface StoredDatabase {
  readonly name: string;
  readonly version: number;
  readonly stores: readonly StoredStore[];
}

export interface StoredStore {
  readonly name: string;
  readonly keyPath: string | readonly string[] | null;
  readonly autoIncrement: boolean;
  readonly indexes: readonly {
    readonly name: string;
    readonly keyPath: string | readonly string[];
    readonly unique: boolean;
    readonly multiEntry: boolean;
  }[];
  /** Encoded: see `page-codec.ts`. */
  readonly records: readonly { readonly key: unknown; readonly value: unknown }[];
}

export interface StorageLoss {
  readonly origin: string;
  /** `local storage`, or `database/store`. */
  readonly where: string;
  /** How many values. */
  readonly count: number;
  readonly reason: string;
}
