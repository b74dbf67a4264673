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

async function listen(
  server: Server,
  event: "connection" | "secureConnection",
  at = { host: "127.0.0.1", port: 0 },
): Promise<LoopbackServer> {
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
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(at.port, at.host, done);
  });
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
  at?: { host: string; port: number },
): Promise<LoopbackServer> {
  const server = createSecureServer({ ...certificate, allowHTTP1: true }, handler as never);
  server.on("tlsClientError", () => undefined);
  server.on("sessionError", () => undefined);
  return listen(server, "secureConnection", at);
}

/** Whatever `serve` says, byte by byte. */
export function tcpServer(serve: (socket: Socket) => void): Promise<LoopbackServer> {
  return listen(createTcpServer(serve), "connection");
}

export interface RecordingServer extends LoopbackServer {
  /** Everything received since the last time this was asked, a buffer for each connection, decrypted where there was TLS. */
  take(): Buffer[];
}

/** Speaks just enough HTTP/1.1 to answer each request with `reply`'s text (latin1), and keeps every byte. */
export async function recordingServer(
  reply: (request: string) => string,
  certificate?: { key: string; cert: string },
): Promise<RecordingServer> {
  const logs: Buffer[][] = [];
  const serve = (socket: Socket) => {
    const log: Buffer[] = [];
    logs.push(log);
    let pending = "";
    socket.on("data", (data: Buffer) => {
      log.push(data);
      pending += data.toString("latin1");
      const head = pending.indexOf("\r\n\r\n") + 4;
      const length = Number(/^content-length: *(\d+)/im.exec(pending.slice(0, head))?.[1] ?? 0);
      if (head < 4 || pending.length < head + length) return;
      socket.write(Buffer.from(reply(pending.slice(0, head + length)), "latin1"));
      pending = pending.slice(head + length);
    });
  };
  const server =
    certificate === undefined
      ? createTcpServer(serve)
      : createTlsServer({ ...certificate, ALPNProtocols: ["http/1.1"] }, serve);
  const base = await listen(server, certificate === undefined ? "connection" : "secureConnection");
  return {
    ...base,
    take: () => logs.map((log) => Buffer.concat(log.splice(0))).filter((all) => all.length > 0),
  };
}
