import { constants } from "node:os";
import { DeputyError } from "../kernel/index.ts";

const PIPE_CLOSED = 128 + constants.signals.SIGPIPE;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * A person who has had enough: Ctrl-C, a closed terminal, a reader that went away. Said as often as they like: one is
 * enough, and what it takes to clean up is not interrupted.
 */
export class Interruption implements Disposable {
  readonly #controller = new AbortController();
  readonly #before = process.stdout.listeners("error") as ((error: Error) => void)[];
  readonly #onSignal = (signal: (typeof SIGNALS)[number]) => this.#stop(128 + constants.signals[signal]);
  readonly #onError = () => this.#stop(PIPE_CLOSED);
  #status: number | null = null;

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    // Elsewhere a reader that goes away ends the process at once, and all that was started would stay.
    for (const listener of this.#before) process.stdout.off("error", listener);
    process.stdout.on("error", this.#onError);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The exit status it asks for, as shells count; null: nobody interrupted. */
  get status(): number | null {
    return this.#status;
  }

  [Symbol.dispose](): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
    if (this.#status === PIPE_CLOSED) return; // more such errors may be on their way
    process.stdout.off("error", this.#onError);
    for (const listener of this.#before) process.stdout.on("error", listener);
  }

  #stop(status: number): void {
    this.#status ??= status;
    this.#controller.abort(new DeputyError("CANCELLED", "The demonstration was interrupted"));
  }
}
