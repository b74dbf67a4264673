import type { Identity } from "../kernel/index.ts";

/**
 * Calls of an identity whose session rotates take turns: two at once would both send the same token, and the service
 * refuses the second. Identities whose tokens stand still do not wait.
 */
export class Turns {
  readonly #rotating = new Set<string>();
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #underWay = new Map<string, Set<Promise<unknown>>>();

  /** A sent cookie came back with another value. */
  noteRotation(identity: Identity): void {
    this.#rotating.add(keyOf(identity));
  }

  isRotating(identity: Identity): boolean {
    return this.#rotating.has(keyOf(identity));
  }

  /** Remembers a request until it is answered and what it brought is stored. */
  async track<T>(identity: Identity, request: Promise<T>): Promise<T> {
    const all = this.#underWay.getOrInsertComputed(keyOf(identity), () => new Set());
    all.add(request);
    try {
      return await request;
    } finally {
      all.delete(request);
      if (all.size === 0) this.#underWay.delete(keyOf(identity));
    }
  }

  /** When every request under way now is answered: one of them may be bringing the token that ours lacked. */
  async settled(identity: Identity): Promise<void> {
    const all = this.#underWay.get(keyOf(identity)) ?? new Set<Promise<unknown>>();
    await Promise.allSettled(all);
  }

  async take<T>(identity: Identity, work: () => Promise<T>): Promise<T> {
    const key = keyOf(identity);
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work);
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
