/** A command that goes on until it is interrupted. */
import { type ChildProcess, spawn } from "node:child_process";
import { launcher, type TestHome } from "./deputy.ts";

const PATIENCE_MS = 60_000;

export class RunningDeputy implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;
  stdout = "";
  stderr = "";
  #wake: () => void = () => {};

  /** `prefix` is put in front of the command, such as a network namespace to run in. */
  constructor(home: TestHome, args: readonly string[], input?: string, prefix: readonly string[] = []) {
    const [program = "", ...rest] = [...prefix, process.execPath, launcher, ...args];
    this.#child = spawn(program, rest, {
      stdio: ["pipe", "pipe", "pipe"],
      env: home.environment(),
    });
    this.#child.stdin?.end(input ?? "");
    this.#child.stdout?.on("data", (chunk) => this.#hear(() => (this.stdout += chunk)));
    this.#child.stderr?.on("data", (chunk) => this.#hear(() => (this.stderr += chunk)));
    this.ended = new Promise((resolve) =>
      this.#child.on("close", (status) => this.#hear(() => resolve(status))),
    );
  }

  /** What the pattern finds in what it has said on stderr, once it has. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = pattern.exec(this.stderr);
      if (found !== null) return found;
      if (Date.now() > until || this.#child.exitCode !== null)
        throw new Error(`it never said ${pattern}: ${this.stdout}${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, 1_000);
      });
    }
  }

  async interrupt(): Promise<number | null> {
    this.#child.kill("SIGINT");
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }

  #hear(note: () => void): void {
    note();
    this.#wake();
  }
}
