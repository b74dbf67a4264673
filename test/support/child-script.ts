import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Environment } from "../../src/platform/index.ts";
import { childEnvironment } from "./fault-form.ts";

interface Ended {
  readonly status: number | null;
  readonly signal: string | null;
  readonly lines: readonly string[];
  readonly stderr: string;
}

interface ChildOptions {
  /** A program that runs node for us, such as strace, with its arguments. */
  readonly before?: readonly string[];
  readonly env?: Environment;
}

/** A script of test/faults in a process of its own. What it prints is read line by line. */
export class ChildScript {
  readonly process: ChildProcess;
  readonly lines: string[] = [];
  readonly ended: Promise<Ended>;
  readonly #heard = new EventEmitter();
  #over = false;

  constructor(script: string, args: readonly string[], options: ChildOptions = {}) {
    const node = [process.execPath, "--disable-warning=ExperimentalWarning"];
    const path = join(import.meta.dirname, "../faults", script);
    const [program, ...rest] = [...(options.before ?? []), ...node, path, ...args];
    this.process = spawn(program!, rest, {
      env: options.env ?? childEnvironment(),
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.process.stdin!.on("error", () => {});
    let stderr = "";
    this.process.stderr!.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const { promise, resolve, reject } = Promise.withResolvers<Ended>();
    const reader = createInterface({ input: this.process.stdout! });
    const read = new Promise<void>((done) => reader.on("close", done));
    reader.on("line", (line) => {
      this.lines.push(line);
      this.#heard.emit("line");
    });
    this.process.on("error", reject);
    this.process.on("close", (status, signal) => {
      this.#over = true;
      this.#heard.emit("line");
      read.then(() => resolve({ status, signal, lines: this.lines, stderr }), reject);
    });
    this.ended = promise;
  }

  /** When it has printed so many lines, or ended. */
  async said(lines: number): Promise<void> {
    while (this.lines.length < lines && !this.#over) await once(this.#heard, "line");
  }

  async kill(): Promise<Ended> {
    this.process.kill("SIGKILL");
    return this.ended;
  }
}
