import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of one test's own, gone with it. */
export function temporaryFolder(name: string): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), `deputy-${name}-`));
  // A browser that was just killed may still be writing.
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
