import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../../platform/index.ts";
import { type Syntax, syntaxForm } from "./syntax.ts";

const MOST = 500;

/** What was read before, in a folder of the Deputy home: an engine that starts need not read it again. */
export class SyntaxShelf {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  find(key: string): Syntax | undefined {
    try {
      return syntaxForm.parse(JSON.parse(readFileSync(this.#path(key), "utf8")));
    } catch {
      return undefined; // not there, or not what was written: it is read again
    }
  }

  /** Where it cannot be kept, it is read again next time. */
  keep(key: string, syntax: Syntax): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileAtomic(this.#path(key), JSON.stringify(syntax));
      const names = readdirSync(this.#folder);
      if (names.length <= MOST) return;
      const byAge = names
        .map((name) => ({ name, age: statSync(join(this.#folder, name)).mtimeMs }))
        .toSorted((a, b) => a.age - b.age);
      for (const { name } of byAge.slice(0, names.length - MOST))
        rmSync(join(this.#folder, name), { force: true });
    } catch {}
  }

  #path(key: string): string {
    return join(this.#folder, `${key}.json`);
  }
}
