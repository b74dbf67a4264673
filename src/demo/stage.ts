import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { type Environment, runProcess } from "../platform/index.ts";

const launcher = fileURLToPath(new URL("../../bin/deputy", import.meta.url));

interface Shown {
  readonly status: number | null;
  readonly stdout: string;
}

/** Runs the real command and shows it as it would look in a terminal. */
export class Stage {
  readonly #env: Environment;
  readonly #skipped: string[] = [];
  readonly #wrong: string[] = [];

  constructor(env: Environment) {
    this.#env = env;
  }

  chapter(title: string): void {
    process.stdout.write(`\n${styleText("bold", title)}\n`);
  }

  say(text: string): void {
    process.stdout.write(`  ${styleText("dim", text)}\n`);
  }

  /** Something is left out, and the end says so. */
  skip(what: string, why: string): void {
    this.#skipped.push(`${what}: ${why}`);
    this.say(`(left out: ${why})`);
  }

  /** The demonstration fails when what it shows is not so. */
  expect(is: boolean, claim: string): void {
    process.stdout.write(`  ${is ? styleText("green", "✓") : styleText("red", "✗")} ${claim}\n`);
    if (!is) this.#wrong.push(claim);
  }

  async deputy(args: readonly string[], options: { input?: string; quiet?: boolean } = {}): Promise<Shown> {
    const shown = `${options.input === undefined ? "" : "… | "}deputy ${args.join(" ")}`;
    if (options.quiet !== true) process.stdout.write(`  ${styleText("cyan", `$ ${shown}`)}\n`);
    const done = await runProcess([process.execPath, launcher, ...args], {
      env: this.#env,
      timeoutMs: 60_000,
      ...(options.input === undefined ? {} : { input: options.input }),
    });
    const stdout = done.stdout.toString("utf8");
    const text = `${stdout}${done.stderr.toString("utf8")}`.trimEnd();
    if (options.quiet !== true && text !== "") process.stdout.write(`${text.replace(/^/gm, "    ")}\n`);
    return { status: done.status, stdout };
  }

  /** The exit status of the whole demonstration. */
  close(): number {
    for (const claim of this.#wrong) process.stdout.write(`${styleText("red", "Not as shown:")} ${claim}\n`);
    if (this.#wrong.length === 0) process.stdout.write("Everything above was real, and is gone again.\n");
    if (this.#skipped.length > 0) {
      process.stdout.write("Could not run here:\n");
      for (const line of this.#skipped) process.stdout.write(`  ${line}\n`);
    }
    return this.#wrong.length === 0 ? 0 : 1;
  }
}
