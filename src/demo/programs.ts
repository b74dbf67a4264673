import { setTimeout as sleep } from "node:timers/promises";
import { DeputyError } from "../kernel/index.ts";
import { type Environment, type RunningProcess, startProcess } from "../platform/index.ts";

export type Argv = readonly [string, ...string[]];

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly env: Environment;
  readonly input?: string;
  readonly timeoutMs?: number;
  /** It starts something that outlives it: an interruption lets it finish, so that this can be ended too. */
  readonly whole?: boolean;
}

const PATIENCE_MS = 60_000;
/** Longer than a command waits for an engine to start. */
const LAST_PATIENCE_MS = 35_000;

/** A program with which one talks while it runs. */
export class Program {
  readonly process: RunningProcess;
  stdout = "";
  stderr = "";
  #wake: () => void = () => {};

  constructor(argv: Argv, env: Environment) {
    this.process = startProcess(argv, { env });
    this.process.stdout
      .setEncoding("utf8")
      .on("data", (text: string) => this.#hear(() => (this.stdout += text)));
    this.process.stderr
      .setEncoding("utf8")
      .on("data", (text: string) => this.#hear(() => (this.stderr += text)));
  }

  /** Resolves when it says more, and when it ends. */
  async more(): Promise<void> {
    await Promise.race([new Promise<void>((resolve) => (this.#wake = resolve)), this.process.exited]);
  }

  #hear(note: () => void): void {
    note();
    this.#wake();
  }
}

/** What the demonstration starts: nothing of it outlives it, however it ends. */
export class Programs implements AsyncDisposable {
  readonly signal: AbortSignal;
  readonly #running = new Set<Program>();
  readonly #whole = new Set<Program>();

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  start(argv: Argv, env: Environment): Program {
    this.signal.throwIfAborted();
    return this.#add(new Program(argv, env));
  }

  /** Runs a program to its end. Its status is data; taking too long, and an interruption, throw. */
  async run(argv: Argv, options: RunOptions): Promise<Ran> {
    const program = this.start(argv, options.env);
    if (options.whole === true) this.#whole.add(program);
    program.process.stdin.end(options.input ?? "");
    const status = await this.finish(program, options.timeoutMs);
    return { status, stdout: program.stdout, stderr: program.stderr };
  }

  /** Waits for its end. */
  async finish(program: Program, timeoutMs = PATIENCE_MS): Promise<number | null> {
    return this.#unlessOver(program.process.exited, timeoutMs);
  }

  /** What the pattern finds in what it has said, once it has. */
  async hear(program: Program, pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const gone = !this.#running.has(program);
      const found = pattern.exec(`${program.stdout}\n${program.stderr}`);
      if (found !== null) return found;
      if (gone) throw new DeputyError("INTERNAL", `It ended too early: ${program.stderr.trim()}`);
      await this.#unlessOver(program.more(), PATIENCE_MS);
    }
  }

  /** As Ctrl-C does; who does not listen is ended. */
  async end(program: Program): Promise<void> {
    if (!this.#running.has(program)) return;
    if (!this.#whole.has(program)) program.process.kill("SIGINT");
    const patience = new AbortController();
    const late = sleep(LAST_PATIENCE_MS, "late", { signal: patience.signal }).catch(() => "late");
    if ((await Promise.race([program.process.exited, late])) === "late") program.process.kill("SIGKILL");
    patience.abort();
    await program.process.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((program) => this.end(program)));
  }

  async #unlessOver<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
    this.signal.throwIfAborted();
    const over = Promise.withResolvers<never>();
    const onAbort = () => over.reject(this.signal.reason);
    this.signal.addEventListener("abort", onAbort, { once: true });
    const late = new DeputyError("TIMEOUT", "A program of the demonstration took too long");
    const timer = setTimeout(() => over.reject(late), timeoutMs);
    try {
      return await Promise.race([work, over.promise]);
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener("abort", onAbort);
    }
  }

  #add(program: Program): Program {
    this.#running.add(program);
    void program.process.exited.then(() => this.#running.delete(program));
    return program;
  }
}
