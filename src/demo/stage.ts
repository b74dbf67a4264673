import { DeputyError } from "../kernel/index.ts";
import type { Machine } from "./machine.ts";
import type { Ran } from "./programs.ts";
import type { Screen } from "./screen.ts";

export interface Chapter {
  readonly title: string;
  readonly claims: { readonly claim: string; readonly ok: boolean }[];
  readonly seconds: number;
}

interface AskOptions {
  readonly input?: string;
  readonly agent?: string;
  /** The exit status it must have. */
  readonly status?: number;
}

interface CommandOptions extends AskOptions {
  /** Only lines that match; a long answer is cut down to what it is about. */
  readonly show?: RegExp;
}

/** For `show`. */
export const NOTHING = /(?!)/;
/** Of a refusal: why, without what to do about it. */
export const REASON = /^deputy:/;

const WIDTH = 108;
const LONG_ID = /\b((?:session|grant)_[0-9a-f]{6})[0-9a-f]{26}\b/g;

/** Shows commands as they look in a terminal, and keeps count of what was claimed and whether it was so. */
export class Stage {
  readonly screen: Screen;
  readonly skipped: { readonly what: string; readonly why: string }[] = [];
  readonly #chapters: { title: string; claims: { claim: string; ok: boolean }[]; from: number }[] = [];
  /** Everything any command answered, shown or not. */
  said = "";

  constructor(screen: Screen) {
    this.screen = screen;
  }

  get chapters(): Chapter[] {
    return this.#chapters.map(({ title, claims, from }, i) => {
      const seconds = (this.#chapters[i + 1]?.from ?? this.screen.seconds) - from;
      return { title, claims, seconds: Math.round(seconds * 10) / 10 };
    });
  }

  /** `problem` says in a line what it is about. */
  chapter(title: string, problem?: string): void {
    this.#chapters.push({ title, claims: [], from: this.screen.seconds });
    this.screen.line();
    this.screen.line(this.screen.paint("bold", `${this.#chapters.length}. ${title}`));
    if (problem !== undefined) this.say(problem);
  }

  say(text: string): void {
    this.screen.line(`   ${text}`);
  }

  /** Something is left out, and the end says so. */
  skip(what: string, why: string): void {
    this.skipped.push({ what, why });
    this.screen.line(`   ${this.screen.paint("yellow", `– left out, because ${why}`)}`);
  }

  /** The demonstration fails when what it shows is not so. */
  expect(is: boolean, claim: string): void {
    this.#chapters.at(-1)?.claims.push({ claim, ok: is });
    const mark = is ? this.screen.paint("green", "✓") : this.screen.paint("red", "✗ NOT SO:");
    this.screen.line(`   ${mark} ${claim}`);
  }

  /** A command, shown with its answer. */
  async command(machine: Machine, args: readonly string[], options: CommandOptions = {}): Promise<Ran> {
    this.prompt(machine, args, options.agent);
    const ran = await this.ask(machine, args, options);
    const { show = /\S/ } = options;
    for (const line of `${ran.stdout}${ran.stderr}`.split("\n"))
      if (show.test(line)) this.answer(machine, line.replace(/^ +(?=")/, "")); // JSON, out of its nest
    return ran;
  }

  /** A command that is not worth showing. One that ends in another way than it must ends the demonstration. */
  async ask(machine: Machine, args: readonly string[], options: AskOptions = {}): Promise<Ran> {
    const { agent, input, status = 0 } = options;
    this.screen.doing(`deputy ${args.slice(0, 3).join(" ")}`);
    const ran = await machine.run(args, {
      ...(agent === undefined ? {} : { agent }),
      ...(input === undefined ? {} : { input }),
    });
    this.screen.idle();
    const answer = `${ran.stdout}${ran.stderr}`;
    this.said += answer;
    if (ran.status === status) return ran;
    throw new DeputyError("INTERNAL", `deputy ${args.join(" ")} ended with ${ran.status}: ${answer.trim()}`);
  }

  prompt(machine: Machine, args: readonly string[], agent?: string): void {
    const words = ["deputy", ...args.map(quoted)].join(" ").replace(LONG_ID, "$1…");
    const command = agent === undefined ? words : `DEPUTY_AGENT=${agent} ${words}`;
    this.screen.line(
      `   ${this.screen.paint("dim", `${machine.name}$`)} ${this.screen.paint("cyan", command)}`,
    );
  }

  answer(machine: Machine, line: string): void {
    const text = line.trimEnd().replaceAll(machine.home, "~").replace(LONG_ID, "$1…");
    this.screen.line(`     ${text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text}`);
  }
}

/** As a shell would have to be given it. */
function quoted(word: string): string {
  return /^[\w./:@=,+-]+$/.test(word) ? word : `'${word}'`;
}
