import { createHash } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { capabilitiesOf, type LibraryEntry, type SkillLibrary } from "../../skills/index.ts";
import { asParam } from "./skill-rows.ts";

/** What the lists of skills and of their tools are; another string where something in them is another. */
export interface ListStamps {
  readonly skills: string;
  readonly capabilities: string;
}

interface Parts {
  readonly library: Pick<SkillLibrary, "list">;
  /** Where skills come and go. */
  readonly folder: string;
}

type Tell = (stamps: ListStamps) => void;

/** Editors write a file in several steps. */
const SETTLE_MS = 150;
/** For what the system does not tell: folders of other machines, and those beyond its limit of watches. */
const LOOK_MS = 10_000;
const MOST_WATCHED = 256;

/**
 * Notices when skills come, go or change, however many want to know, and only while somebody does. Skills are files that
 * anybody may edit: the system says when to look, and looking tells whether something a list shows is another.
 */
export class SkillWatch {
  readonly #parts: Parts;
  readonly #followers = new Set<Tell>();
  readonly #watched = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #seen: ListStamps | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Tells what is now, and again after every change, until disposed. */
  follow(tell: Tell): Disposable {
    this.#followers.add(tell);
    if (this.#seen !== undefined) tell(this.#seen);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
    void this.#look();
    return {
      [Symbol.dispose]: () => {
        this.#followers.delete(tell);
        if (this.#followers.size === 0) this.#rest();
      },
    };
  }

  /** Something was changed: looks soon, and once for all that is changed until then. */
  notice(): void {
    if (this.#followers.size === 0) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.#look();
    }, SETTLE_MS).unref();
  }

  async #look(): Promise<void> {
    let entries: readonly LibraryEntry[];
    try {
      entries = await this.#parts.library.list();
    } catch {
      return; // whoever asks for the list is told
    }
    if (this.#followers.size === 0) return;
    this.#watch([this.#parts.folder, ...entries.map(({ folder }) => folder)].slice(0, MOST_WATCHED));
    const now = stampsOf(entries);
    const before = this.#seen;
    this.#seen = now;
    if (before?.skills === now.skills && before.capabilities === now.capabilities) return;
    for (const tell of this.#followers) tell(now);
  }

  #watch(folders: readonly string[]): void {
    for (const [folder, watcher] of this.#watched) if (!folders.includes(folder)) this.#drop(folder, watcher);
    for (const folder of folders) {
      if (this.#watched.has(folder)) continue;
      try {
        const watcher = watch(folder, { persistent: false }, () => this.notice());
        watcher.on("error", () => this.#drop(folder, watcher));
        this.#watched.set(folder, watcher);
      } catch {} // not there, or one too many for the system: the timer looks
    }
  }

  #drop(folder: string, watcher: FSWatcher): void {
    this.#watched.delete(folder);
    watcher.close();
  }

  #rest(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    this.#timer = this.#soon = this.#seen = undefined;
    for (const [folder, watcher] of this.#watched) this.#drop(folder, watcher);
  }
}

function stampsOf(entries: readonly LibraryEntry[]): ListStamps {
  const skills = entries.map(({ id, name, skill }) => [id, name, skill?.description ?? null]);
  const capabilities = capabilitiesOf(entries.flatMap(({ skill }) => skill ?? [])).map(
    ({ tool, description, params, providers }) => [
      tool,
      description,
      params.map(asParam),
      providers.map(({ skill, operation }) => [skill.id, operation.effect, operation.returns]),
    ],
  );
  return { skills: digest(skills), capabilities: digest(capabilities) };
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
}
