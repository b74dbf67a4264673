import { DeputyError } from "../kernel/index.ts";
import { askDatabase, type ForeignDatabase } from "../platform/index.ts";
import { type ReadWarning, storeWarning } from "./warning.ts";

type StoreAnswer<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "unreadable"; readonly warning: ReadWarning };

/** Asks a browser's database. `ask` gives undefined where the database is not of the kind it knows. */
export async function askStore<T>(
  path: string,
  ask: (db: ForeignDatabase) => T | undefined,
): Promise<StoreAnswer<T>> {
  const unreadable = (warning: ReadWarning) => ({ kind: "unreadable", warning }) as const;
  try {
    const asked = await askDatabase(path, ask);
    switch (asked.kind) {
      case "missing":
        return unreadable(storeWarning("STORE_MISSING", path));
      case "denied":
        return unreadable(storeWarning("STORE_DENIED", path, asked.reason));
      case "too-large":
        return unreadable(storeWarning("STORE_TOO_LARGE", path, `${asked.size} bytes`));
      case "changing":
        return unreadable(storeWarning("STORE_CHANGING", path));
      case "answer":
        if (asked.value === undefined) return unreadable(storeWarning("STORE_FOREIGN", path));
        return { kind: "read", value: asked.value };
    }
  } catch (error) {
    if (!(error instanceof DeputyError) || error.code !== "DATABASE_CORRUPT") throw error;
    return unreadable(storeWarning("STORE_DAMAGED", path));
  }
}
