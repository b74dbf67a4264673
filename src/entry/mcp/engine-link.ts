import { setTimeout as sleep } from "node:timers/promises";
import type { Called, CallOptions, EngineClient, Methods } from "../../engine/index.ts";
import { DeputyError } from "../../kernel/index.ts";

export interface LinkOptions extends CallOptions {
  /** It changes nothing, so that it may be asked again where the answer was lost. */
  readonly repeatable?: boolean;
}

/** How an agent comes to an engine: to the running one, started where there is none. */
export type EngineDoor = () => Promise<EngineClient>;

/** An engine may be stopped again while it starts. */
const PATIENCE_MS = 45_000;
const PAUSE_MS = 100;

/** One agent's way to the engine. It outlives the engine: when that stops or restarts, the next call finds the new one. */
export class EngineLink implements Disposable {
  readonly #door: EngineDoor;
  #client: EngineClient | undefined;
  #opening: Promise<EngineClient> | undefined;
  #disposed = false;
  readonly #onOpen = new Set<() => void>();

  constructor(door: EngineDoor) {
    this.#door = door;
  }

  async call<K extends keyof Methods>(
    method: K,
    input: Methods[K]["in"],
    { repeatable = false, ...options }: LinkOptions = {},
  ): Promise<Called<K>> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const client = this.#client ?? (await this.#connected());
      try {
        return await client.call(method, input, options);
      } catch (error) {
        if (!isAway(error)) throw error;
        this.#forget(client);
        if (options.signal?.aborted === true) throw error;
        if (!repeatable) throw broken(error);
        if (Date.now() > until) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  /** Called now, where a connection stands, and whenever a new one does. */
  whenOpen(then: () => void): Disposable {
    this.#onOpen.add(then);
    if (this.#client !== undefined) then();
    return { [Symbol.dispose]: () => void this.#onOpen.delete(then) };
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#client?.[Symbol.dispose]();
    this.#client = undefined;
  }

  async #connected(): Promise<EngineClient> {
    this.#opening ??= this.#connect().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Until a connection stands nothing has been asked, so that this may be tried again whatever the call is. */
  async #connect(): Promise<EngineClient> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      if (this.#disposed) throw new DeputyError("CANCELLED", "The connection is over");
      try {
        const client = await this.#door();
        if (this.#disposed) {
          client[Symbol.dispose]();
          continue;
        }
        // What is asked on a connection that is known to be gone would be lost.
        void client.closed().then(() => this.#forget(client));
        this.#client = client;
        for (const then of this.#onOpen) then();
        return client;
      } catch (error) {
        if (!isAway(error) || Date.now() > until) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  #forget(client: EngineClient): void {
    if (this.#client === client) this.#client = undefined;
  }
}

function isAway(error: unknown): error is DeputyError {
  return error instanceof DeputyError && error.code === "ENGINE_UNREACHABLE";
}

function broken(cause: DeputyError): DeputyError {
  return new DeputyError("ENGINE_UNREACHABLE", "The engine stopped while this was under way", {
    hint: "It may or may not have been done: look before you ask for it again. The next call reaches the engine anew.",
    cause,
  });
}
