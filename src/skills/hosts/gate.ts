import { DeputyError } from "../../kernel/index.ts";

/** At most so many at once; the rest wait, in order. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async pass<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), this.#waiting.includes(resolve) ? 1 : 0);
      reject(new DeputyError("CANCELLED", "The run was cancelled before it began"));
    };
    this.#waiting.push(resolve);
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted === true) giveUp();
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }
}
