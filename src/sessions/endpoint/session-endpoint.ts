import type { WebSocket } from "ws";
import { DeputyError } from "../../kernel/index.ts";
import type { LiveSession } from "../session.ts";
import { Client } from "./client.ts";
import { CookieMask } from "./cookie-mask.ts";
import { isTargetInfo, OwnTargets } from "./own-targets.ts";

/** A client that does not read is not waited for longer than this much. */
const MOST_UNREAD = 512 * 1024 * 1024;
const MOST_CLIENTS = 16;

/** One session and its clients. */
export class SessionEndpoint implements AsyncDisposable {
  readonly #session: LiveSession;
  readonly #url: string;
  readonly #mask: CookieMask | null;
  readonly #sockets = new Set<WebSocket>();
  readonly #leaving = new Set<Promise<void>>();
  #admitting = 0;
  #ended = false;

  constructor(session: LiveSession, url: string) {
    this.#session = session;
    this.#url = url;
    this.#mask = session.expose ? null : new CookieMask(session.hidden());
  }

  /** What clients that begin with http ask for; undefined: nobody asks for that. */
  async describe(path: string): Promise<string | undefined> {
    const what = path.replace(/\/$/, "");
    if (what === "/json/version") {
      const version = await this.#session.connection.call("Browser.getVersion");
      return JSON.stringify({
        Browser: version["product"],
        "Protocol-Version": version["protocolVersion"],
        "User-Agent": version["userAgent"],
        "V8-Version": version["jsVersion"],
        "WebKit-Version": version["revision"],
        webSocketDebuggerUrl: this.#url,
      });
    }
    return what === "/json" || what === "/json/list" ? await this.#list() : undefined;
  }

  /** The session is ready for the client before its socket opens. */
  async admit(
    page: string | undefined,
    handshake: (begin: (socket: WebSocket) => void) => void,
  ): Promise<void> {
    if (this.#sockets.size + this.#admitting >= MOST_CLIENTS)
      throw new DeputyError("TOO_LARGE", "The session has as many clients as it may");
    this.#admitting++;
    const hold = this.#session.hold();
    let socket: WebSocket | undefined;
    try {
      const outlet = {
        close: () => socket?.close(),
        send: (text: string) => {
          if (socket === undefined) return;
          if (socket.bufferedAmount > MOST_UNREAD) socket.terminate();
          else socket.send(text);
        },
      };
      const client = await Client.open(this.#session, { mask: this.#mask, outlet, page });
      if (this.#ended) {
        await client[Symbol.asyncDispose]();
        throw new DeputyError("NOT_FOUND", "The session has ended");
      }
      handshake((opened) => {
        socket = opened;
        this.#sockets.add(opened);
      });
      if (socket === undefined) {
        await client[Symbol.asyncDispose]();
        hold[Symbol.dispose]();
        return;
      }
      this.#serve(socket, client, hold);
    } catch (error) {
      hold[Symbol.dispose]();
      throw error;
    } finally {
      this.#admitting--;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    for (const socket of this.#sockets) socket.terminate();
    await Promise.all(this.#leaving);
  }

  #serve(socket: WebSocket, client: Client, hold: Disposable): void {
    const left = Promise.withResolvers<void>();
    this.#leaving.add(left.promise);
    socket.on("message", (data, isBinary) => {
      if (isBinary || !Buffer.isBuffer(data)) socket.close();
      else client.receive(data.toString());
    });
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      this.#sockets.delete(socket);
      void client[Symbol.asyncDispose]().finally(() => {
        hold[Symbol.dispose]();
        this.#leaving.delete(left.promise);
        left.resolve();
      });
    });
  }

  async #list(): Promise<string> {
    const { connection, contextId } = this.#session;
    const own = new OwnTargets({ contextId, isHelper: (targetId) => this.#session.isHelper(targetId) });
    const { targetInfos } = await connection.call("Target.getTargets");
    const list = (Array.isArray(targetInfos) ? targetInfos : [])
      .filter((info) => isTargetInfo(info) && own.covers(info))
      .map(({ targetId, type, title, url }) => ({
        id: targetId,
        type,
        title,
        url,
        description: "",
        webSocketDebuggerUrl: `${this.#url}/devtools/page/${targetId}`,
      }));
    return this.#mask?.serialise(list, "Target.getTargets") ?? JSON.stringify(list);
  }
}
