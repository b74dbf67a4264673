import { Worker } from "node:worker_threads";
import { type Clock, DeputyError } from "../kernel/index.ts";
import type { GraphCallOptions, GraphRequests } from "./graph.ts";
import type { Shape } from "./shapes/shape.ts";
import type { ShapeBook } from "./shapes/shape-book.ts";
import type { FromGraph, GraphWorkerData, ToGraph } from "./graph-worker.ts";

export interface ThreadOptions {
  readonly path: string;
  readonly shapes: () => ShapeBook;
  readonly clock: Clock;
  /** What its thread may hold in memory before it is ended. */
  readonly memoryMb?: number;
}

interface Asked {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  readonly progress: ((done: number) => void) | undefined;
}

/** Requests under way: more wait with whoever asks. */
const MOST_ASKED = 10_000;
const CLOSING_MS = 5_000;
const MEMORY_MB = 1024;

/**
 * One worker thread and what it was asked. It starts with the first request, does not keep the process alive while
 * nothing is asked, and is replaced when it dies: what was under way then fails, what is asked next does not notice.
 */
export class GraphThread implements AsyncDisposable {
  readonly #options: ThreadOptions;
  readonly #asked = new Map<number, Asked>();
  #worker: Worker | undefined;
  #count = 0;
  #disposed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  ask<K extends keyof GraphRequests>(
    method: K,
    input: GraphRequests[K]["in"],
    options: GraphCallOptions = {},
  ): Promise<GraphRequests[K]["out"]> {
    const { signal, progress } = options;
    if (this.#disposed) return Promise.reject(stopped());
    if (signal?.aborted === true) return Promise.reject(gaveUp());
    if (this.#asked.size >= MOST_ASKED)
      return Promise.reject(
        new DeputyError("TOO_LARGE", "The graph has too much to answer", { hint: "Wait a little." }),
      );
    const id = ++this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<GraphRequests[K]["out"]>();
    const worker = (this.#worker ??= this.#make());
    try {
      tell(worker, { id, method, input: input as never, at: this.#options.clock.now() });
    } catch (error) {
      return Promise.reject(
        new DeputyError("BAD_INPUT", "That cannot be handed to the graph", { cause: error }),
      );
    }
    this.#asked.set(id, { resolve, reject, progress });
    worker.ref();
    if (signal === undefined) return promise;
    const onAbort = () => tell(worker, { id, cancel: true });
    signal.addEventListener("abort", onAbort, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", onAbort));
  }

  /** Starts the thread, for who will ask soon. */
  start(): void {
    if (this.#disposed || this.#worker !== undefined) return;
    this.#worker = this.#make();
    this.#worker.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    // It answers what it was asked before, then closes the file: no write is cut off.
    const closed = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    worker.ref();
    tell(worker, { close: true });
    const timer = setTimeout(() => void worker.terminate(), CLOSING_MS);
    await closed;
    clearTimeout(timer);
    this.#fail(stopped());
  }

  #make(): Worker {
    const { path, shapes, clock, memoryMb = MEMORY_MB } = this.#options;
    // import.meta.url ends in .ts in a source tree and in .js in the published package.
    const worker = new Worker(new URL(`./graph-worker${import.meta.url.slice(-3)}`, import.meta.url), {
      name: "graph",
      workerData: { path, shapes: shapesOf(shapes()), now: clock.now() } satisfies GraphWorkerData,
      env: {},
      execArgv: ["--disable-warning=ExperimentalWarning"],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    worker.on("message", (message: FromGraph) => this.#receive(worker, message));
    worker.on("error", (error) => this.#lose(worker, error));
    worker.on("exit", () => this.#lose(worker, undefined));
    return worker;
  }

  #receive(worker: Worker, message: FromGraph): void {
    if (worker !== this.#worker) return;
    if ("broken" in message) {
      this.#worker = undefined;
      this.#fail(DeputyError.fromWire(message.broken));
      return;
    }
    const asked = this.#asked.get(message.id);
    if ("done" in message) {
      asked?.progress?.(message.done);
      return;
    }
    this.#asked.delete(message.id);
    if (this.#asked.size === 0) worker.unref();
    if ("error" in message) asked?.reject(DeputyError.fromWire(message.error));
    else asked?.resolve(message.result as never);
  }

  #lose(worker: Worker, cause: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    if (this.#disposed) return;
    this.#fail(
      new DeputyError("INTERNAL", "The graph's thread ended", {
        hint: "Try again: what was saved before is still there.",
        cause,
      }),
    );
  }

  #fail(error: DeputyError): void {
    const all = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of all) reject(error);
  }
}

function shapesOf(book: ShapeBook): Shape[] {
  return book.names().flatMap((name) => book.find(name) ?? []);
}

function tell(worker: Worker, message: ToGraph): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
  worker.postMessage(message);
}

function gaveUp(): DeputyError {
  return new DeputyError("CANCELLED", "The caller gave up");
}

function stopped(): DeputyError {
  return new DeputyError("CANCELLED", "Deputy is stopping: the graph was not asked");
}
