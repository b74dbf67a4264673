import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { DeputyError } from "../../kernel/index.ts";
import type { LiveSession } from "../session.ts";
import { SessionEndpoint } from "./session-endpoint.ts";

/** As large as the browser's own messages may be (content/browser/devtools/devtools_pipe_handler.cc). */
const LARGEST_MESSAGE = 256 * 1024 * 1024;

export interface ServedEndpoint extends AsyncDisposable {
  /** `ws://127.0.0.1:PORT/…TOKEN…`: whoever knows it drives this session and nothing else. */
  readonly url: string;
}

interface Served {
  readonly hash: Buffer;
  readonly endpoint: SessionEndpoint;
}

/**
 * Serves sessions to clients of the DevTools protocol, each to who knows its token, on one port of this machine that is
 * opened at the first need.
 */
export class LoopbackEndpointServer implements AsyncDisposable {
  readonly #served = new Set<Served>();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_MESSAGE,
    perMessageDeflate: false,
  });
  #listening: Promise<{ server: Server; port: number }> | undefined;

  async serve(session: LiveSession): Promise<ServedEndpoint> {
    this.#listening ??= this.#listen();
    const { port } = await this.#listening.catch((error: unknown) => {
      this.#listening = undefined; // the next may find a port
      throw error;
    });
    const token = randomBytes(32).toString("base64url");
    const url = `ws://127.0.0.1:${port}/${token}`;
    const served = { hash: hashOf(token), endpoint: new SessionEndpoint(session, url) };
    this.#served.add(served);
    const end = async () => {
      this.#served.delete(served);
      await served.endpoint[Symbol.asyncDispose]();
    };
    void session.ended.then(end);
    return { url, [Symbol.asyncDispose]: end };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const listening = await this.#listening?.catch(() => undefined);
    for (const { endpoint } of this.#served) await endpoint[Symbol.asyncDispose]();
    this.#served.clear();
    listening?.server.closeAllConnections();
    await new Promise<void>((resolve) => {
      if (listening === undefined) resolve();
      else listening.server.close(() => resolve());
    });
  }

  async #listen(): Promise<{ server: Server; port: number }> {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.on("upgrade", (request, socket, head) => void this.#upgrade(request, socket, head));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    return { server, port: (server.address() as AddressInfo).port };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = this.#find(request);
    if (found === undefined) return writeError(response, 404, "NOT_FOUND", "There is no session here");
    if (request.method !== "GET")
      return writeError(response, 405, "BAD_USAGE", "Only GET and WebSocket are served here");
    try {
      const text = await found.endpoint.describe(found.path);
      if (text === undefined) return writeError(response, 404, "NOT_FOUND", "There is no such description");
      response.writeHead(200, {
        "content-type": "application/json; charset=UTF-8",
        "cache-control": "no-store",
      });
      response.end(text);
    } catch {
      writeError(response, 500, "INTERNAL", "The browser does not answer");
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const found = this.#find(request);
    // Only pages of a browser send an Origin, and no page has business here.
    if (found === undefined || request.headers.origin !== undefined)
      return refuseUpgrade(socket, found === undefined ? "404 Not Found" : "403 Forbidden");
    const page = /^\/devtools\/page\/([\w-]+)$/.exec(found.path)?.[1];
    if (page === undefined && found.path !== "/" && !/^\/devtools\/browser(\/|$)/.test(found.path))
      return refuseUpgrade(socket, "404 Not Found");
    try {
      await found.endpoint.admit(page, (begin) => this.#sockets.handleUpgrade(request, socket, head, begin));
    } catch (error) {
      const missing = error instanceof DeputyError && error.code === "NOT_FOUND";
      refuseUpgrade(socket, missing ? "404 Not Found" : "503 Service Unavailable");
    }
  }

  /** By the token in the path. A host that is a name may be anybody's who had it point here (DNS rebinding). */
  #find({ url = "/", headers }: IncomingMessage): { endpoint: SessionEndpoint; path: string } | undefined {
    if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(headers.host ?? "")) return undefined;
    const [, token = "", rest = ""] = /^\/([^/?#]*)([^?#]*)/.exec(url) ?? [];
    const hash = hashOf(token);
    const found = [...this.#served].find((served) => timingSafeEqual(served.hash, hash));
    return found && { endpoint: found.endpoint, path: rest === "" ? "/" : rest };
  }
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function writeError(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { code, message } }));
}

function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
