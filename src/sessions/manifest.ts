import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface ManifestEntry {
  readonly id: string;
  readonly agent: string;
  readonly source: string;
  readonly created: number;
}

/**
 * What there is of sessions on disk: a line for each, written before anything else of it exists, and its folder. A
 * context ends with the connection that made it, a jailed browser with its engine: what a crash can leave is only this.
 */
export class Manifest {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Where sessions' own folders are. */
  get files(): string {
    return join(this.#folder, "files");
  }

  /** Where a browser without a jail has its profile. */
  get scratch(): string {
    return join(this.#folder, "profiles");
  }

  /** Removes what an engine left that did not end well. Gives the ids of its sessions. */
  clean(): string[] {
    if (!existsSync(this.#folder)) return [];
    const left = readdirSync(this.#folder).filter((name) => name.endsWith(".json"));
    for (const name of [...left, "files", "profiles"])
      rmSync(join(this.#folder, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    return left.map((name) => name.slice(0, -".json".length));
  }

  /** Gives the session's folder. Only names are read again, so that a line cut short by a crash still counts. */
  add(entry: ManifestEntry): string {
    const folder = join(this.files, entry.id);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(this.#path(entry.id), `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  remove(id: string): void {
    rmSync(join(this.files, id), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    rmSync(this.#path(id), { force: true });
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
