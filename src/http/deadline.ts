import { DeputyError } from "../kernel/index.ts";

/** The end of a request's time: the caller gives up, or it took too long. Dispose it when the last byte is read. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #end: number;
  readonly #caller: AbortSignal | undefined;
  readonly #cancel = () => this.#controller.abort(new DeputyError("CANCELLED", "The request was given up"));

  constructor(caller: AbortSignal | undefined, ms: number) {
    const late = () =>
      this.#controller.abort(
        new DeputyError("TIMEOUT", `The request took longer than ${ms} ms`, {
          hint: "Try again in a while.",
        }),
      );
    this.#timer = setTimeout(late, ms);
    this.#timer.unref();
    this.#end = performance.now() + ms;
    this.#caller = caller;
    if (caller?.aborted === true) this.#cancel();
    else caller?.addEventListener("abort", this.#cancel, { once: true });
  }

  /** At least one: to the transport none means for ever. */
  remainingMs(): number {
    return Math.max(1, Math.ceil(this.#end - performance.now()));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** `work`, or the deadline's error, whichever is first. */
  async race<T>(work: Promise<T>): Promise<T> {
    const ended = Promise.withResolvers<never>();
    const fail = () => ended.reject(this.signal.reason as Error);
    if (this.signal.aborted) fail();
    this.signal.addEventListener("abort", fail, { once: true });
    try {
      // Both are waited for in any case: work that nobody waits for and that fails would end the process.
      return await Promise.race([ended.promise, work]);
    } finally {
      this.signal.removeEventListener("abort", fail);
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#cancel);
  }
}
