import { Worker } from "node:worker_threads";
import { DeputyError } from "../kernel/index.ts";
import type { JqAnswer, JqJob } from "./jq-worker.ts";
import type { ExpressionLimits } from "./limits.ts";

/** WebAssembly memory never shrinks: a worker that once grew past this is replaced when it is done. */
const HEAP_TO_KEEP = 64 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;

type Evaluation = Extract<JqAnswer, { kind: "done" }>;

interface Job extends JqJob {
  readonly milliseconds: number;
  readonly resolve: (evaluation: Evaluation) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One worker thread and the queue before it. The worker starts with the first job, does not keep the process alive
 * while it is idle, and is replaced after a job that took too long or broke it; the jobs behind that one do not notice.
 */
export class Evaluator implements AsyncDisposable {
  readonly #limits: ExpressionLimits;
  readonly #queue: Job[] = [];
  readonly #ending = new Set<Promise<unknown>>();
  #worker: Worker | undefined;
  #ready = false;
  #current: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(limits: ExpressionLimits) {
    this.#limits = limits;
  }

  evaluate({ program, input }: JqJob, signal?: AbortSignal): Promise<Evaluation> {
    if (this.#disposed) return Promise.reject(stopped());
    if (signal?.aborted === true) return Promise.reject(cancelled());
    const { milliseconds, perMegabyte } = this.#limits;
    const { promise, resolve, reject } = Promise.withResolvers<Evaluation>();
    const job: Job = {
      program,
      input,
      milliseconds: milliseconds + perMegabyte * Math.floor(input.length / MEGABYTE),
      resolve,
      reject,
    };
    this.#queue.push(job);
    this.#next();
    if (signal === undefined) return promise;
    // A running job is left to its time limit: ending the worker would cost the next job more than it saves.
    const onAbort = (): void => {
      const at = this.#queue.indexOf(job);
      if (at >= 0) this.#queue.splice(at, 1);
      reject(cancelled());
    };
    signal.addEventListener("abort", onAbort, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", onAbort));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const lost = this.#finish();
    for (const job of [...(lost === undefined ? [] : [lost]), ...this.#queue.splice(0)])
      job.reject(stopped());
    this.#dropWorker();
    await Promise.all(this.#ending);
  }

  #next(): void {
    if (this.#current !== undefined || this.#disposed) return;
    if (this.#queue.length === 0) {
      this.#worker?.unref();
      return;
    }
    this.#worker ??= this.#startWorker();
    this.#worker.ref();
    if (!this.#ready) return;
    const job = this.#queue.shift();
    if (job === undefined) return;
    this.#current = job;
    this.#timer = setTimeout(() => {
      // After an event loop held up by other work, the answer may be waiting beside the timer: let it come first.
      setImmediate(() => {
        if (this.#current === job) this.#expire(job);
      });
    }, job.milliseconds);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
    this.#worker.postMessage({ program: job.program, input: job.input } satisfies JqJob);
  }

  #startWorker(): Worker {
    // import.meta.url ends in .ts in a source tree and in .js in the published package.
    const worker = new Worker(new URL(`./jq-worker${import.meta.url.slice(-3)}`, import.meta.url), {
      name: "expressions",
      workerData: { memoryBytes: this.#limits.memoryBytes },
      env: {},
      execArgv: [],
      // Kept from this process and never read: Emscripten writes "Aborted()" there. Reading would keep the process alive.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    worker.on("message", (answer: JqAnswer) => this.#receive(worker, answer));
    worker.on("error", (error) => this.#lose(worker, error));
    worker.on("exit", () => this.#lose(worker, undefined));
    return worker;
  }

  #receive(worker: Worker, answer: JqAnswer): void {
    if (worker !== this.#worker) return;
    if (answer.kind === "ready") {
      this.#ready = true;
    } else {
      const job = this.#finish();
      if (answer.kind === "broken") job?.reject(tooLarge());
      else job?.resolve(answer);
      if (answer.kind === "broken" || answer.heap > HEAP_TO_KEEP) this.#dropWorker();
    }
    this.#next();
  }

  /** The worker ended by itself: out of memory, or jq could not be loaded at all. */
  #lose(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return;
    const wasReady = this.#ready;
    const job = this.#finish() ?? (wasReady ? undefined : this.#queue.shift());
    job?.reject(wasReady ? tooLarge() : new DeputyError("INTERNAL", "Cannot start jq", { cause: error }));
    this.#dropWorker();
    this.#next();
  }

  #expire(job: Job): void {
    this.#finish();
    job.reject(new DeputyError("TIMEOUT", `took longer than ${job.milliseconds} ms`));
    this.#dropWorker();
    this.#next();
  }

  #finish(): Job | undefined {
    clearTimeout(this.#timer);
    const job = this.#current;
    this.#current = undefined;
    return job;
  }

  #dropWorker(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#ready = false;
    if (worker === undefined) return;
    const ending = worker.terminate().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

function cancelled(): DeputyError {
  return new DeputyError("CANCELLED", "The caller gave up before the expression was evaluated");
}

function stopped(): DeputyError {
  return new DeputyError("CANCELLED", "Deputy is stopping: the expression was not evaluated");
}

function tooLarge(): DeputyError {
  return new DeputyError("TOO_LARGE", "needs more memory or a deeper stack than jq is given");
}
