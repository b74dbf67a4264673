import type { Frame } from "./tab-page.ts";

/** One node of one document, by the name the browser has for it. */
export interface Referred {
  readonly frame: string;
  readonly loaderId: string;
  readonly node: number;
}

/**
 * The short names snapshots gave to a tab's elements. An element keeps its name while its document is shown, and no
 * name is given twice: one of an earlier page never means something on the next.
 */
export class References {
  readonly #names = new Map<string, string>();
  readonly #referred = new Map<string, Referred>();
  #last = 0;

  nameOf(frame: Frame, node: number): string {
    const key = `${frame.id} ${frame.loaderId} ${node}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = `e${++this.#last}`;
    this.#names.set(key, name);
    this.#referred.set(name, { frame: frame.id, loaderId: frame.loaderId, node });
    return name;
  }

  find(name: string): Referred | undefined {
    return this.#referred.get(name);
  }

  /** Forgets documents that are not shown any more. */
  keepOnly(frames: readonly Frame[]): void {
    const shown = new Set(frames.map(({ id, loaderId }) => `${id} ${loaderId}`));
    for (const [key, name] of this.#names) {
      if (shown.has(key.slice(0, key.lastIndexOf(" ")))) continue;
      this.#names.delete(key);
      this.#referred.delete(name);
    }
  }
}
