import {
  type Called,
  type CallOptions,
  type EngineClient,
  type Methods,
  openEngine,
  type Progress,
} from "../../engine/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { readLineFrom } from "./input.ts";
import { askHidden, askNewPassphrase, isInteractive, requirePerson } from "./prompt.ts";
import { plain } from "./table.ts";

interface ShellOptions {
  readonly json: boolean;
  /** Where the passphrase this command asks for comes from. */
  readonly passphraseFd: number | undefined;
  /** Where the vault's own comes from, should it be locked. */
  readonly unlockFd: number | undefined;
}

/** What a command needs to do its work: the engine, a passphrase where one is needed, and a place to answer. */
export class Shell implements Disposable {
  readonly json: boolean;
  readonly #passphraseFd: number | undefined;
  readonly #unlockFd: number | undefined;
  #engine: EngineClient | undefined;
  #passphrase: string | undefined;

  constructor(options: ShellOptions) {
    this.json = options.json;
    this.#passphraseFd = options.passphraseFd;
    this.#unlockFd = options.unlockFd;
  }

  /** One JSON document with --json, else words for a person. */
  show(document: unknown, words: string): void {
    const text = this.json ? JSON.stringify(document, null, 2) : words;
    if (text !== "") process.stdout.write(`${text}\n`);
  }

  /** Calls the engine, starting it if need be; a locked vault is unlocked first where that is possible. */
  async call<K extends keyof Methods>(
    method: K,
    input: Methods[K]["in"],
    onProgress: (progress: Progress) => void = showProgress,
  ): Promise<Called<K>> {
    this.#engine ??= await openEngine({ via: "cli" });
    const controller = new AbortController();
    const onInterrupt = () => controller.abort();
    process.once("SIGINT", onInterrupt);
    const options: CallOptions = { signal: controller.signal, onProgress };
    try {
      try {
        return await this.#engine.call(method, input, options);
      } catch (error) {
        const locked = error instanceof DeputyError && error.code === "VAULT_LOCKED";
        if (!locked || (this.#unlockFd === undefined && !isInteractive())) throw error;
        const passphrase =
          this.#unlockFd === undefined
            ? await askHidden("Passphrase of the vault")
            : await readLineFrom(this.#unlockFd);
        await this.#engine.call("vault.unlock", { passphrase });
        return await this.#engine.call(method, input, options);
      }
    } finally {
      process.removeListener("SIGINT", onInterrupt);
      clearProgress();
    }
  }

  /** From --passphrase-fd, else asked for on the terminal. */
  async passphrase(question: string, isNew = false): Promise<string> {
    if (this.#passphraseFd !== undefined) {
      this.#passphrase ??= await readLineFrom(this.#passphraseFd);
      return this.#passphrase;
    }
    requirePerson();
    if (!isInteractive()) {
      throw new DeputyError("BAD_USAGE", "A passphrase is needed and there is no terminal to ask on", {
        hint: "Run it in a terminal, or hand the passphrase over: --passphrase-fd 3 3< passphrase.txt",
      });
    }
    return isNew ? askNewPassphrase() : askHidden(question);
  }

  [Symbol.dispose](): void {
    this.#engine?.[Symbol.dispose]();
  }
}

function showProgress(progress: Progress): void {
  if (!process.stderr.isTTY || progress.chunk !== undefined) return;
  const { message, done, total } = progress;
  const count = done === undefined ? "" : ` ${done}${total ? ` of ${total}${barOf(done / total)}` : ""}`;
  process.stderr.write(`\r\x1b[K${plain(message)}${count}`);
}

const BAR = 20;

function barOf(part: number): string {
  const filled = Math.round(Math.min(Math.max(part, 0), 1) * BAR);
  return ` ${"█".repeat(filled)}${"░".repeat(BAR - filled)}`;
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
}
