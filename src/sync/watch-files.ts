import { type FSWatcher, watch } from "node:fs";
import { DeputyError } from "../kernel/index.ts";

/** A folder, and which of its files matter. */
export interface Watched {
  readonly folder: string;
  readonly file: RegExp;
}

/** Long enough for a browser to finish what it is writing, short enough to be noticed at once. */
const QUIET_MS = 150;
/** A store that never stands still is looked at all the same. */
const LATEST_MS = 700;
/** What the system did not tell of: a network drive, a profile that is new. */
const EVERY_MS = 60_000;

/** Waits for changes; several at once are one. */
export class FileWatch implements Disposable {
  readonly #watchers: FSWatcher[] = [];
  readonly #onAbort: () => void;
  readonly #signal: AbortSignal;
  #changedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wake: PromiseWithResolvers<void> = Promise.withResolvers<void>();

  constructor(folders: readonly Watched[], signal: AbortSignal) {
    this.#signal = signal;
    this.#onAbort = () => this.#wake.resolve();
    signal.addEventListener("abort", this.#onAbort, { once: true });
    for (const { folder, file } of folders) this.#add(folder, file);
  }

  /** Resolves when something changed and is quiet again, or after a minute. Throws CANCELLED. */
  async changed(atMostMs: number = EVERY_MS): Promise<void> {
    const slow = setTimeout(() => this.#wake.resolve(), atMostMs);
    await this.#wake.promise;
    clearTimeout(slow);
    this.#wake = Promise.withResolvers<void>();
    if (this.#signal.aborted) throw new DeputyError("CANCELLED", "Watching was ended");
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
  }

  #add(folder: string, file: RegExp): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || file.test(name)) this.#note();
      });
      watcher.on("error", () => watcher.close()); // the folder is gone; the minute's look remains
      this.#watchers.push(watcher);
    } catch {} // not there, or too many watches: the minute's look remains
  }

  #note(): void {
    const now = Date.now();
    this.#changedAt ??= now;
    clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(QUIET_MS, this.#changedAt + LATEST_MS - now));
    this.#timer = setTimeout(() => {
      this.#changedAt = undefined;
      this.#wake.resolve();
    }, wait);
  }
}
