import type { Identity } from "../kernel/index.ts";

/**
 * Calls of an identity whose session rotates take turns: two at once would both send the same token, and the service
 * refuses the second. Identities whose tokens stand still do not wait.
 */
export class Turns {
  readonly #rotating = new Set<string>();
  readonly #last = new Map<string, Promise<unknown>>();

  /** A sent cookie came back with another value. */
  noteRotation(identity: Identity): void {
    this.#rotating.add(keyOf(identity));
  }

  isRotating(identity: Identity): boolean {
    return this.#rotating.has(keyOf(identity));
  }

  async take<T>(identity: Identity, work: () => Promise<T>): Promise<T> {
    const key = keyOf(identity);
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    const settled = turn.catch(() => {});
    this.#last.set(key, settled);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}

function keyOf({ domain, identifier }: Identity): string {
  return `${domain}\0${identifier}`;
}
