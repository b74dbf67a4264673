import { closeSync, existsSync, openSync, rmSync, writeFileSync } from "node:fs";
import { DeputyError } from "../../kernel/index.ts";
import { Database, fileError, moveIntoPlace, temporaryBeside } from "../../platform/index.ts";
import { exportLines } from "./export-lines.ts";
import { createStore, type Store } from "./store.ts";

const LINES_AT_ONCE = 500;

/**
 * Writes the graph as it is at this moment, whatever is written meanwhile: readers of the log have their own view.
 * The file appears whole or not at all. `pause` lets others have their turn.
 */
export async function exportFile(
  store: Store,
  path: string,
  now: number,
  pause: (done: number) => Promise<void>,
): Promise<{ entities: number; changes: number }> {
  if (existsSync(path))
    throw new DeputyError("CONFLICT", `There is a file ${path} already`, { hint: "Name another one." });
  const part = temporaryBeside(path);
  let entities = 0;
  let changes = 0;
  try {
    using db = new Database({ path: store.db.path, readOnly: true });
    db.exec("BEGIN");
    const file = openSync(part, "wx", 0o600);
    try {
      let lines: string[] = [];
      for (const line of exportLines(createStore(db, store.book), now)) {
        if ("entity" in line) entities += 1;
        if ("change" in line) changes += 1;
        if (lines.push(JSON.stringify(line)) < LINES_AT_ONCE) continue;
        writeFileSync(file, `${lines.join("\n")}\n`);
        lines = [];
        await pause(entities);
      }
      writeFileSync(file, `${lines.join("\n")}\n`);
    } finally {
      closeSync(file);
    }
    moveIntoPlace(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw fileError(error, path);
  }
  return { entities, changes };
}
