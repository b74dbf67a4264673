/** One bash that commands are typed into, as a person would: folders, variables and jobs carry over. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";

export class TypingShell implements AsyncDisposable {
  readonly #bash: ChildProcessWithoutNullStreams;
  readonly #news = new EventEmitter();
  #printed = "";

  constructor(cwd: string, env: Record<string, string>) {
    // A group of its own, so that what was left in the background ends with it.
    this.#bash = spawn("bash", ["--noprofile", "--norc"], { cwd, env, detached: true });
    this.#bash.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#printed += text;
      this.#news.emit("more");
    });
    this.#bash.on("exit", () => this.#news.emit("more"));
  }

  /** Both outputs in the order they came, as a terminal shows them. */
  async type(command: string): Promise<{ status: number; printed: string }> {
    const mark = `done-${randomUUID()}`;
    const end = new RegExp(`${mark} (\\d+)\\n$`);
    this.#printed = "";
    this.#bash.stdin.write(`{\n${command}\n} < /dev/null 2>&1\necho ${mark} $?\n`);
    for (;;) {
      const ended = end.exec(this.#printed);
      if (ended !== null) {
        return { status: Number(ended[1]), printed: this.#printed.slice(0, ended.index) };
      }
      if (this.#bash.exitCode !== null) throw new Error(`The shell ended in: ${command}\n${this.#printed}`);
      await once(this.#news, "more");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#bash.exitCode !== null || this.#bash.pid === undefined) return;
    const gone = once(this.#bash, "exit");
    process.kill(-this.#bash.pid, "SIGKILL");
    await gone;
  }
}
