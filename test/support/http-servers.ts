/** Servers on loopback that remember every byte they were sent, for tests of what leaves this machine and where to. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createSecureServer } from "node:http2";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  /** Connections accepted so far. */
  readonly connections: () => number;
  /** For TLS: whether each connection resumed an earlier session. */
  readonly resumed: () => boolean[];
  /** Connections that are open now. */
  readonly open: () => number;
}

async function listen(server: Server, event: "connection" | "secureConnection"): Promise<LoopbackServer> {
  const sockets = new Set<Socket>();
  const resumed: boolean[] = [];
  let connections = 0;
  server.on(event, (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    if ("isSessionReused" in socket) resumed.push((socket as TLSSocket).isSessionReused());
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    resumed: () => resumed,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export function http1Server(handler: Handler): Promise<LoopbackServer> {
  const server = createHttpServer(handler);
  server.keepAliveTimeout = 60_000;
  return listen(server, "connection");
}

/** HTTP/2 over TLS, with HTTP/1.1 for those who ask for it. */
export function tlsServer(
  certificate: { key: string; cert: string },
  handler: Handler,
): Promise<LoopbackServer> {
  const server = createSecureServer({ ...certificate, allowHTTP1: true }, handler as never);
  server.on("tlsClientError", () => undefined);
  server.on("sessionError", () => undefined);
  return listen(server, "secureConnection");
}

export interface RecordingServer extends LoopbackServer {
  /** Everything received, one buffer for each connection, as it came (decrypted where there was TLS). */
  readonly received: () => Buffer[];
}

/** Speaks just enough HTTP/1.1 to answer each request with `reply`'s text, and keeps every byte. */
export async function recordingServer(
  reply: (request: string) => string,
  certificate?: { key: string; cert: string },
): Promise<RecordingServer> {
  const received: Buffer[] = [];
  const serve = (socket: Socket) => {
    const index = received.push(Buffer.alloc(0)) - 1;
    let answered = 0;
    socket.on("data", (data: Buffer) => {
      const all = Buffer.concat([received[index]!, data]);
      received[index] = all;
      const pending = all.subarray(answered).toString("latin1");
      const head = pending.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/^content-length: *(\d+)/im.exec(pending.slice(0, head))?.[1] ?? 0);
      if (pending.length < head + 4 + length) return;
      answered += head + 4 + length;
      socket.write(Buffer.from(reply(pending.slice(0, head + 4 + length)), "latin1"));
    });
  };
  const server =
    certificate === undefined
      ? createTcpServer(serve)
      : createTlsServer({ ...certificate, ALPNProtocols: ["http/1.1"] }, serve);
  const event = certificate === undefined ? "connection" : "secureConnection";
  const base = await listen(server, event);
  return { ...base, received: () => received };
}
