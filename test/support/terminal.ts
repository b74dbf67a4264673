/** A person at a real terminal: the command runs on a pseudo-terminal made by script(1). */
import { type ChildProcess, spawn } from "node:child_process";
import { findProgram, readEnvironment } from "../../src/platform/index.ts";
import { launcher, type TestHome } from "./deputy.ts";

const program = findProgram("script", readEnvironment());

/** For `{ skip }`: why tests at a terminal cannot run here. */
export const noTerminal =
  program === undefined || process.platform !== "linux" ? "no script(1) of util-linux is installed" : false;

const PATIENCE_MS = 60_000;

export class Terminal implements AsyncDisposable {
  /** Everything the person has seen. */
  shown = "";
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  #onShown = () => {};

  constructor(home: TestHome, args: readonly string[], env: Record<string, string> = {}) {
    const words = [process.execPath, launcher, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    this.#child = spawn(
      program ?? "script",
      ["-qec", `stty cols 160 rows 40; exec ${words.join(" ")}`, "/dev/null"],
      {
        env: home.environment({ TERM: "xterm", ...env }),
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.shown += text;
      this.#onShown();
    });
    this.#child.stdin?.on("error", () => {});
    this.ended = new Promise((done) => this.#child.once("close", (status) => done(status)));
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Waits until the terminal shows it. */
  async see(pattern: RegExp): Promise<RegExpExecArray> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = pattern.exec(this.shown);
      if (found !== null) return found;
      const left = until - Date.now();
      if (left <= 0) throw new Error(`never saw ${pattern} in:\n${this.shown}`);
      await new Promise<void>((done, fail) => {
        const timer = setTimeout(done, left);
        this.#onShown = () => {
          clearTimeout(timer);
          done();
        };
        void this.ended.then(() =>
          pattern.test(this.shown)
            ? this.#onShown()
            : fail(new Error(`ended without ${pattern}:\n${this.shown}`)),
        );
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }
}
