import { styleText } from "node:util";
import type { Environment } from "../platform/index.ts";

type Style = Parameters<typeof styleText>[0];

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const FRAME_MS = 100;
const CLEAR = "\r\x1b[K";

/** Where it is shown: in colour and with a line that lives at a terminal, else as plain text. */
export class Screen implements Disposable {
  readonly #out: NodeJS.WriteStream | undefined;
  readonly #lively: boolean;
  readonly #began = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #doing = "";

  /** Without `out` nothing is shown. */
  constructor(out: NodeJS.WriteStream | undefined, env: Environment) {
    this.#out = out;
    const plain = ["NO_COLOR", "CI"].some((name) => (env[name] ?? "") !== "") || env["TERM"] === "dumb";
    this.#lively = out?.isTTY === true && !plain;
  }

  get seconds(): number {
    return Math.round((Date.now() - this.#began) / 100) / 10;
  }

  paint(style: Style, text: string): string {
    return this.#lively ? styleText(style, text, { validateStream: false }) : text;
  }

  line(text = ""): void {
    this.#out?.write(`${this.#timer === undefined ? "" : CLEAR}${text}\n`);
  }

  /** What is under way, until the next word of it. */
  doing(what: string): void {
    if (!this.#lively) return;
    this.#doing = what;
    this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref();
    this.#draw();
  }

  idle(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#out?.write(CLEAR);
  }

  [Symbol.dispose](): void {
    this.idle();
  }

  #draw(): void {
    const frame = FRAMES[this.#frame++ % FRAMES.length];
    const room = (this.#out?.columns || 80) - 2;
    const text = `${frame} ${Math.floor(this.seconds)} s  ${this.#doing}`;
    this.#out?.write(`${CLEAR}${styleText("dim", text.slice(0, room), { validateStream: false })}`);
  }
}
