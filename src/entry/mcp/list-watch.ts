import type { Progress } from "../../engine/index.ts";
import type { EngineLink } from "./engine-link.ts";

interface Changed {
  readonly tools: () => void;
  readonly resources: () => void;
}

/**
 * Notices when skills come, go or change, so that clients can ask for the lists again. The engine says so for as long as a
 * connection stands; what changed while there was none is seen on the next. Watching never starts an engine.
 */
export class ListWatch implements Disposable {
  readonly #link: EngineLink;
  readonly #changed: Changed;
  readonly #opened: Disposable;
  readonly #over = new AbortController();
  #seen: Progress["lists"];

  constructor(link: EngineLink, changed: Changed) {
    this.#link = link;
    this.#changed = changed;
    this.#opened = link.whenOpen(() => void this.#follow());
  }

  [Symbol.dispose](): void {
    this.#opened[Symbol.dispose]();
    this.#over.abort();
  }

  async #follow(): Promise<void> {
    const options = { signal: this.#over.signal, onProgress: ({ lists }: Progress) => this.#compare(lists) };
    // It ends with the engine; the next connection follows again.
    await this.#link.call("skills.follow", {}, options).catch(() => {});
  }

  #compare(now: Progress["lists"]): void {
    const before = this.#seen;
    this.#seen = now;
    if (before === undefined || now === undefined) return;
    if (before.capabilities !== now.capabilities) this.#changed.tools();
    if (before.skills !== now.skills) this.#changed.resources();
  }
}
