import { connect, type Socket } from "node:net";
import { DeputyError } from "../kernel/index.ts";
import type { Methods, Progress } from "./methods.ts";
import { version } from "./version.ts";
import { type FromEngine, type Hello, receive, send } from "./wire.ts";

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export type Called<K extends keyof Methods> = Methods[K]["out"];

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: DeputyError) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** An engine answers a hello at once, unless it was stopped in its tracks or the machine has much else to do. */
const HELLO_MS = 20_000;

/** No socket, a dead engine's socket, or no folder for one: what is wrong shows when the engine is started. */
const NOBODY = new Set(["ENOENT", "ECONNREFUSED", "ENOTDIR"]);

/** One connection to a running engine. */
export class EngineClient implements Disposable {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  readonly engine: { readonly version: string; readonly wire?: number; readonly pid: number };

  private constructor(socket: Socket, engine: EngineClient["engine"]) {
    this.#socket = socket;
    this.engine = engine;
  }

  /** Undefined when nobody listens at `path`. */
  static async connect(
    path: string,
    via: Hello["via"],
    agent?: Hello["agent"],
  ): Promise<EngineClient | undefined> {
    const socket = connect(path);
    const { promise, resolve, reject } = Promise.withResolvers<EngineClient | undefined>();
    let client: EngineClient | undefined;
    const fail = (error: DeputyError) => {
      socket.destroy();
      reject(error);
      if (client !== undefined) client.#end(error);
    };
    const deadline = setTimeout(() => fail(silent()), HELLO_MS);
    promise.finally(() => clearTimeout(deadline)).catch(() => {});
    socket.on("connect", () =>
      send(socket, { hello: { version, via, ...(agent === undefined ? {} : { agent }) } }),
    );
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (NOBODY.has(error.code ?? "")) resolve(undefined);
      else fail(lost(error));
    });
    socket.on("close", () => fail(lost()));
    receive(
      socket,
      (message) => {
        const from = message as FromEngine;
        if ("hello" in from) {
          client = new EngineClient(socket, from.hello);
          resolve(client);
        } else if ("id" in from) {
          if (client !== undefined) client.#answer(from);
        } else fail(DeputyError.fromWire(from.error));
      },
      fail,
    );
    return promise;
  }

  async call<K extends keyof Methods>(
    method: K,
    params: Methods[K]["in"],
    options: CallOptions = {},
  ): Promise<Called<K>> {
    // Before anything waits: what nobody awaits would end this process when the connection's end is told.
    if (this.#socket.destroyed) throw lost();
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject, onProgress: options.onProgress });
    const cancel = () => send(this.#socket, { id, cancel: true });
    options.signal?.addEventListener("abort", cancel, { once: true });
    send(this.#socket, { id, method, params });
    if (options.signal?.aborted) cancel();
    try {
      return (await promise) as Called<K>;
    } finally {
      this.#waiting.delete(id);
      options.signal?.removeEventListener("abort", cancel);
    }
  }

  /** Resolves when the engine has closed the connection: it has stopped. */
  async closed(): Promise<void> {
    if (this.#socket.destroyed) return;
    await new Promise<void>((resolve) => this.#socket.once("close", () => resolve()));
  }

  [Symbol.dispose](): void {
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }

  #answer(message: Extract<FromEngine, { id: number }>): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    if ("progress" in message) waiting.onProgress?.(message.progress);
    else if ("error" in message) waiting.reject(DeputyError.fromWire(message.error));
    else waiting.resolve(message.result);
  }

  #end(error: DeputyError): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
  }
}

function silent(): DeputyError {
  return new DeputyError("ENGINE_UNREACHABLE", "The engine is there but does not answer", {
    hint: "It may be stopped or stuck. End the process named in its log, then try again.",
  });
}

function lost(cause?: unknown): DeputyError {
  return new DeputyError("ENGINE_UNREACHABLE", "The engine ended the connection", {
    hint: "Try again: the next command starts it. See deputy doctor if it happens twice.",
    cause,
  });
}
