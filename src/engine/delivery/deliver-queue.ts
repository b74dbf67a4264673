import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { findBrowserUse, userDataOf } from "../../chromium/index.ts";
import { DeputyError, type ErrorCode, Secret } from "../../kernel/index.ts";
import type { HomePaths } from "../../platform/index.ts";
import { deliverSchemas } from "./deliver-inputs.ts";
import type { DeliverInput } from "./deliver-methods.ts";
import { internalKey } from "../vault/internal-rows.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly door: VaultDoor;
  readonly paths: HomePaths;
  readonly deliver: (input: DeliverInput, signal: AbortSignal) => Promise<unknown>;
  /** Nobody waits for what is done here, and it must not end the engine. */
  readonly onFault: (error: unknown) => void;
}

const LOOK_MS = 500;
/** What a second attempt may come through. */
const LATER: ReadonlySet<ErrorCode> = new Set(["VAULT_LOCKED", "DATABASE_BUSY", "CANCELLED"]);
const KEY = internalKey("deliver-queue");
const schema = z.record(z.string(), deliverSchemas.deliver);

/**
 * By profile, what to deliver there once its browser is closed. Only what was asked for is kept, in the vault, so that
 * another engine goes on where this one ended; the values are taken from the vault when their time has come.
 */
export class DeliverQueue implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #waiting = new Map<string, DeliverInput>();
  readonly #disposed = new AbortController();
  /** Says, without opening the vault, that something waits in it. */
  readonly #marker: string;
  #watching: Promise<void> | undefined;
  #asked = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#marker = join(parts.paths.home, "surfaces", "waiting");
    if (existsSync(this.#marker)) this.#watch();
  }

  /** Profiles, as doctor names them. */
  get profiles(): string[] {
    return [...this.#waiting.keys()];
  }

  async add(profile: string, input: DeliverInput): Promise<void> {
    const { restart_browser: _restart, ...again } = input;
    this.#waiting.set(profile, { ...again, surface: "chromium", profile });
    await this.#keep();
    this.#watch();
  }

  async remove(profile: string): Promise<void> {
    if (this.#waiting.delete(profile)) await this.#keep();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed.abort();
    await this.#watching;
  }

  async #keep(): Promise<void> {
    using value = Secret.fromText(JSON.stringify(Object.fromEntries(this.#waiting)));
    (await this.#parts.door.get()).put(KEY, value, { source: "deliver", masked: "waiting" });
    if (this.#waiting.size === 0) return rmSync(this.#marker, { force: true });
    mkdirSync(join(this.#marker, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(this.#marker, "", { mode: 0o600 });
  }

  #watch(): void {
    this.#watching ??= this.#untilEmpty()
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#watching = undefined;
      });
  }

  async #untilEmpty(): Promise<void> {
    const { signal } = this.#disposed;
    while (!signal.aborted && (this.#waiting.size > 0 || (await this.#recall()) !== "nothing")) {
      await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
      for (const [profile, input] of this.#waiting) {
        if (signal.aborted) return;
        if ((await findBrowserUse(userDataOf(profile))).kind === "closed")
          await this.#attempt(profile, input);
      }
    }
  }

  /** What an engine before this one left. While the vault is locked nobody can say, and its key is asked for once. */
  async #recall(): Promise<"nothing" | "something" | "locked"> {
    const { door } = this.#parts;
    if (!existsSync(this.#marker)) return "nothing";
    if (this.#asked && !door.isOpen) return "locked";
    this.#asked = true;
    try {
      const row = (await door.get()).find(KEY);
      using value = row?.value;
      const parsed = schema.safeParse(value === undefined ? {} : JSON.parse(value.reveal()));
      for (const [profile, input] of Object.entries(parsed.data ?? {})) this.#waiting.set(profile, input);
      if (this.#waiting.size === 0) rmSync(this.#marker, { force: true });
      return this.#waiting.size === 0 ? "nothing" : "something";
    } catch (error) {
      if (!(error instanceof DeputyError)) throw error;
      return "locked";
    }
  }

  /** What went wrong is among the last results doctor tells of: nobody is listening to this delivery. */
  async #attempt(profile: string, input: DeliverInput): Promise<void> {
    try {
      await this.#parts.deliver(input, this.#disposed.signal);
    } catch (error) {
      if (!(error instanceof DeputyError)) throw error;
      if (LATER.has(error.code)) return;
    }
    // A browser that was quicker has it wait once more.
    if (this.#waiting.get(profile) === input) await this.remove(profile);
  }
}
