import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { userInfo } from "node:os";
import { type Caller, DeputyError } from "../kernel/index.ts";
import { peerOf } from "../platform/index.ts";
import { callerOf, parseHello } from "./caller-of.ts";
import { errorFor } from "./error-for.ts";
import { isMethod, parseInput } from "./inputs.ts";
import type { CallContext, Methods } from "./methods.ts";
import { version } from "./version.ts";
import { receive, send, WIRE } from "./wire.ts";

/** What the engine does for a call. The context's caller is the connection's, never the message's. */
export type Handler = <K extends keyof Methods>(
  method: K,
  input: Methods[K]["in"],
  context: CallContext,
) => Promise<Methods[K]["out"]>;

interface ServerOptions {
  readonly socket: string;
  readonly handle: Handler;
  /** A connection with a caller ended. */
  readonly onLeave?: (caller: Caller) => void;
  /** A fault of our own: not a DeputyError. It is told without its message, which may quote what was sent. */
  readonly onFault: (where: string) => void;
}

/** Calls one connection may have under way: enough for any client, too few to exhaust the engine. */
const MOST_CALLS = 256;

/** The acceptor: decides who is calling, checks every input, keeps errors coded. */
export class EngineServer implements AsyncDisposable {
  readonly #options: ServerOptions;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  #lastUsed = Date.now();
  #closed: Promise<void> | undefined;

  private constructor(options: ServerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** The lock on the engine's run folder must be held: a socket found there is a dead engine's. */
  static async listen(options: ServerOptions): Promise<EngineServer> {
    const server = new EngineServer(options);
    if (process.platform !== "win32") rmSync(options.socket, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.#server.once("error", reject);
      server.#server.listen(options.socket, () => resolve());
    });
    if (process.platform !== "win32") chmodSync(options.socket, 0o600);
    return server;
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** How long nobody has been connected. */
  get idleMs(): number {
    return this.#connections.size > 0 ? 0 : Date.now() - this.#lastUsed;
  }

  /** No new connections; those there are stay. */
  stopListening(): void {
    this.#closed ??= new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopListening();
    for (const socket of this.#connections) socket.end();
    setTimeout(() => this.#connections.forEach((socket) => socket.destroy()), 500).unref();
    await this.#closed;
  }

  #accept(socket: Socket): void {
    const peer = peerOf(socket);
    // Folder and socket are private already; the kernel's word is the second lock.
    if (peer !== undefined && peer.uid !== userInfo().uid) {
      socket.destroy();
      return;
    }
    this.#connections.add(socket);
    const calls = new Map<number, AbortController>();
    let caller: Caller | undefined;
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#connections.delete(socket);
      this.#lastUsed = Date.now();
      for (const call of calls.values()) call.abort();
      if (caller !== undefined) this.#options.onLeave?.(caller);
    });
    let refused = false;
    const refuse = (error: DeputyError) => {
      refused = true;
      send(socket, { error: error.toJSON() });
      socket.end();
    };
    receive(
      socket,
      (message) => {
        if (refused) return undefined;
        if (caller === undefined) {
          const hello = parseHello(message);
          if (hello === undefined)
            return refuse(new DeputyError("PROTOCOL", "The first message was not a hello"));
          try {
            caller = callerOf(hello, peer?.pid);
          } catch (error) {
            return refuse(this.#coded(error));
          }
          return send(socket, { hello: { version, wire: WIRE, pid: process.pid } });
        }
        const request = parseRequest(message);
        if (request === undefined) return refuse(new DeputyError("PROTOCOL", "A message was not a call"));
        if ("cancel" in request) return calls.get(request.id)?.abort();
        if (calls.size >= MOST_CALLS || calls.has(request.id)) {
          const error = new DeputyError("ENGINE_BUSY", "Too many calls at once on one connection", {
            hint: "Wait until some of them are answered.",
          });
          return send(socket, { id: request.id, error: error.toJSON() });
        }
        const controller = new AbortController();
        calls.set(request.id, controller);
        return void this.#call(socket, caller, request, controller.signal).finally(() =>
          calls.delete(request.id),
        );
      },
      refuse,
    );
  }

  async #call(socket: Socket, caller: Caller, request: Request, signal: AbortSignal): Promise<void> {
    const { id, method } = request;
    try {
      if (!isMethod(method))
        throw new DeputyError("NOT_FOUND", `The engine has no method ${method.slice(0, 64)}`, {
          hint: "The command is of another version than the engine: deputy engine stop, and try again.",
        });
      const progress = (said: object) => send(socket, { id, progress: said } as never);
      const context = { caller, signal, progress };
      const result = await this.#options.handle(method, parseInput(method, request.params), context);
      send(socket, { id, result });
    } catch (error) {
      send(socket, { id, error: errorFor(caller, this.#coded(error)).toJSON() });
    }
  }

  #coded(error: unknown): DeputyError {
    if (error instanceof DeputyError) return error;
    const where = faultOf(error);
    this.#options.onFault(where);
    return new DeputyError("INTERNAL", `Deputy failed inside (${where})`, {
      hint: "This is a fault of Deputy. Please report it with the line above.",
    });
  }
}

/** The error's kind and place, without its message. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const place = /([\w.-]+\.[tj]s:\d+):\d+/.exec(
    error.stack?.split("\n    at ").slice(1).join("\n") ?? "",
  )?.[1];
  const code = "code" in error && typeof error.code === "string" ? ` ${error.code}` : "";
  return `${error.name}${code} at ${place ?? "an unknown place"}`;
}

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

function parseRequest(message: unknown): Request | { id: number; cancel: true } | undefined {
  if (typeof message !== "object" || message === null || !("id" in message)) return undefined;
  const { id } = message;
  if (typeof id !== "number" || !Number.isSafeInteger(id)) return undefined;
  if ("cancel" in message) return { id, cancel: true };
  if (!("method" in message) || typeof message.method !== "string") return undefined;
  return { id, method: message.method, params: "params" in message ? message.params : {} };
}
