import { DeputyError } from "../../kernel/index.ts";

interface Running<T> {
  readonly result: Promise<T>;
  readonly ended: AbortController;
  waiting: number;
}

/** One piece of work at a time for each key: who comes meanwhile waits for the same one. */
export class SharedWork<K, T> {
  readonly #running = new Map<K, Running<T>>();

  /** `signal` ends the caller's waiting. The work's own signal ends when nobody waits any more. */
  async join(key: K, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted === true) throw givenUp();
    const running = this.#running.get(key) ?? this.#start(key, work);
    running.waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(givenUp());
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([running.result, left.promise]);
    } finally {
      signal?.removeEventListener("abort", leave);
      running.waiting -= 1;
      if (running.waiting === 0) {
        running.ended.abort();
        this.#forget(key, running); // whoever comes now must not get an end they did not ask for
      }
    }
  }

  #start(key: K, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const ended = new AbortController();
    const running = { result: work(ended.signal), ended, waiting: 0 };
    this.#running.set(key, running);
    const forget = () => this.#forget(key, running);
    running.result.then(forget, forget);
    return running;
  }

  #forget(key: K, running: Running<T>): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
  }
}

function givenUp(): DeputyError {
  return new DeputyError("CANCELLED", "The request was given up");
}
