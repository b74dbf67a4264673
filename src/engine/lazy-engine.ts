import type { Caller } from "../kernel/index.ts";
import { type Core, createCore, type EngineParts } from "./core.ts";
import type { Calls, Methods } from "./methods.ts";
import { requirePermitted } from "./permissions.ts";
import type { Handler } from "./server.ts";

type Rest = Awaited<ReturnType<typeof loadRest>>;

/**
 * The engine as it is served. The vault, the log and the engine's own state answer at once; skills, browsers and the network are
 * five times as much code, and wait for the first call that needs them or for a quiet moment.
 */
export class LazyEngine implements AsyncDisposable {
  readonly #parts: EngineParts;
  readonly #core: Core;
  #rest: Promise<Rest> | undefined;
  #isWaiting = () => false;
  #left: (caller: Caller) => void = () => {};

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#core = createCore(parts);
  }

  readonly handle: Handler = async (method, input, context) =>
    this.#core.activity.during(method, input, context, async () => {
      requirePermitted(method, input, context.caller);
      return (await this.#find(method))(input, context);
    });

  async load(): Promise<Calls<keyof Methods>> {
    this.#rest ??= loadRest(this.#parts, this.#core);
    const { calls, isWaiting, left } = await this.#rest;
    this.#isWaiting = isWaiting;
    this.#left = left;
    return calls;
  }

  /** Whether something is to be done once a browser exits. */
  isWaiting(): boolean {
    return this.#isWaiting();
  }

  /** A connection ended. */
  left(caller: Caller): void {
    this.#left(caller);
  }

  noteFault(where: string): void {
    this.#core.noteFault(where);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const rest = await this.#rest?.catch(() => undefined);
    await rest?.[Symbol.asyncDispose]();
    await this.#core[Symbol.asyncDispose]();
  }

  async #find<K extends keyof Methods>(method: K): Promise<Calls<keyof Methods>[K]> {
    const atOnce: Partial<Calls<keyof Methods>> = this.#core.calls;
    return atOnce[method] ?? (await this.load())[method];
  }
}

async function loadRest(parts: EngineParts, core: Core) {
  const { createEngine } = await import("./engine.ts");
  return createEngine(parts, core);
}
