import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { type Environment, runProcess } from "../platform/index.ts";

const launcher = fileURLToPath(new URL("../../bin/deputy", import.meta.url));

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
}

/** What was shown, for a program that asks. */
export interface Shown {
  readonly ok: boolean;
  readonly claims: readonly { readonly claim: string; readonly ok: boolean }[];
  readonly skipped: readonly string[];
}

/** Runs the real command and shows it as it would look in a terminal; `silent` only keeps count. */
export class Stage {
  readonly #env: Environment;
  readonly #silent: boolean;
  readonly #signal: AbortSignal;
  readonly #skipped: string[] = [];
  readonly #claims: { claim: string; ok: boolean }[] = [];

  constructor(options: { env: Environment; silent: boolean; signal: AbortSignal }) {
    this.#env = options.env;
    this.#silent = options.silent;
    this.#signal = options.signal;
  }

  chapter(title: string): void {
    this.#print(`\n${styleText("bold", title)}\n`);
  }

  say(text: string): void {
    this.#print(`  ${styleText("dim", text)}\n`);
  }

  /** Something is left out, and the end says so. */
  skip(what: string, why: string): void {
    this.#skipped.push(`${what}: ${why}`);
    this.say(`(left out: ${why})`);
  }

  /** The demonstration fails when what it shows is not so. */
  expect(is: boolean, claim: string): void {
    this.#print(`  ${is ? styleText("green", "✓") : styleText("red", "✗")} ${claim}\n`);
    this.#claims.push({ claim, ok: is });
  }

  /** `quiet` is not shown; `always` runs even when the person has had enough. */
  async deputy(
    args: readonly string[],
    options: { input?: string; quiet?: boolean; always?: boolean } = {},
  ): Promise<Ran> {
    const shown = `${options.input === undefined ? "" : "… | "}deputy ${args.join(" ")}`;
    if (options.quiet !== true) this.#print(`  ${styleText("cyan", `$ ${shown}`)}\n`);
    const done = await runProcess([process.execPath, launcher, ...args], {
      env: this.#env,
      timeoutMs: 60_000,
      ...(options.always === true ? {} : { signal: this.#signal }),
      ...(options.input === undefined ? {} : { input: options.input }),
    });
    const stdout = done.stdout.toString("utf8");
    const text = `${stdout}${done.stderr.toString("utf8")}`.trimEnd();
    if (options.quiet !== true && text !== "") this.#print(`${text.replace(/^/gm, "    ")}\n`);
    return { status: done.status, stdout };
  }

  close(): Shown {
    const wrong = this.#claims.filter((one) => !one.ok);
    for (const { claim } of wrong) this.#print(`${styleText("red", "Not as shown:")} ${claim}\n`);
    if (wrong.length === 0) this.#print("Everything above was real, and is gone again.\n");
    if (this.#skipped.length > 0) {
      this.#print("Could not run here:\n");
      for (const line of this.#skipped) this.#print(`  ${line}\n`);
    }
    return { ok: wrong.length === 0, claims: this.#claims, skipped: this.#skipped };
  }

  #print(text: string): void {
    if (!this.#silent) process.stdout.write(text);
  }
}
