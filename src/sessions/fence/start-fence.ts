import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { parseHostPattern } from "../../cookies/index.ts";
import type { Fence, FenceOptions } from "./fence.ts";
import { forward } from "./forward.ts";
import { isWithin } from "./is-within.ts";
import { Reach } from "./reach.ts";
import { refusalPage } from "./refusal-page.ts";

/** On a port of its own, so that what it lets through is one session's and nothing a message could claim. */
export async function startFence(options: FenceOptions): Promise<Fence> {
  const allow = options.allow.map(parseHostPattern);
  const reach = new Reach({ allow, overrides: options.resolve, upstream: options.upstream });
  const sockets = new Set<Duplex>();

  const server = createServer((request, response) => void answer(request, response));
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()).once("close", () => sockets.delete(socket));
  });
  server.on("connect", (request, socket, head) => void tunnel(request, socket, head));
  // An upgrade comes through a tunnel; one in the open has no place to go.
  server.on("upgrade", (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = absoluteUrl(request.url);
    if (url === undefined) return refuse(response, 400, "Cannot go there: that is no address");
    if (!isWithin(allow, url.hostname))
      return refuse(
        response,
        403,
        `Cannot go to ${url.hostname}: this session is limited to ${allow.join(", ")}`,
      );
    try {
      await forward({ request, response, url, reach });
    } catch (error) {
      const reason = error instanceof Error ? error.message : "it failed";
      if (response.headersSent) response.destroy();
      else refuse(response, 502, reason);
    }
  }

  async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const url = absoluteUrl(`http://${request.url}`);
    if (url === undefined || !isWithin(allow, url.hostname)) {
      client.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      return;
    }
    try {
      const server = await reach.tunnel(url.hostname, Number(url.port === "" ? 80 : url.port));
      // Nobody would end what nobody waits for any more.
      if (client.destroyed) return void server.destroy();
      sockets.add(server);
      server.once("close", () => sockets.delete(server));
      server.on("error", () => client.destroy());
      client.on("error", () => server.destroy());
      client.once("close", () => server.destroy());
      server.once("close", () => client.destroy());
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      server.write(head);
      client.pipe(server).pipe(client);
    } catch {
      client.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }
  }

  return {
    proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
  response.end(refusalPage(reason));
}

/** What a browser asks a proxy for; the URL standard has made every spelling of a host one. */
function absoluteUrl(text: string | undefined): URL | undefined {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "http:" && url.hostname !== "" ? url : undefined;
}
