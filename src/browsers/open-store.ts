import { DeputyError } from "../kernel/index.ts";
import { ImageReader, readDatabaseImage } from "../platform/index.ts";
import { type ReadWarning, storeWarning } from "./warning.ts";

type StoreAnswer<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "unreadable"; readonly warning: ReadWarning };

/**
 * Asks a browser's database, in a copy in memory, and lets go of it. `ask` gives undefined where the database is
 * not of the kind it knows.
 */
export async function askStore<T>(
  path: string,
  ask: (image: ImageReader) => T | undefined,
): Promise<StoreAnswer<T>> {
  const unreadable = (warning: ReadWarning) => ({ kind: "unreadable", warning }) as const;
  const image = await readDatabaseImage(path);
  switch (image.kind) {
    case "missing":
      return unreadable(storeWarning("STORE_MISSING", path));
    case "denied":
      return unreadable(storeWarning("STORE_DENIED", path, image.reason));
    case "too-large":
      return unreadable(storeWarning("STORE_TOO_LARGE", path, `${image.size} bytes`));
    case "changing":
      return unreadable(storeWarning("STORE_CHANGING", path));
    case "image":
  }
  try {
    using reader = new ImageReader(image.bytes);
    const value = ask(reader);
    return value === undefined ? unreadable(storeWarning("STORE_FOREIGN", path)) : { kind: "read", value };
  } catch (error) {
    if (!(error instanceof DeputyError) || error.code !== "DATABASE_CORRUPT") throw error;
    return unreadable(storeWarning("STORE_DAMAGED", path));
  } finally {
    // Firefox keeps values in clear.
    image.bytes.fill(0);
  }
}
