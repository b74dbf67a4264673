/** The world outside a fence, on loopback: it counts who comes, over TCP and UDP, and for what. */
import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Outside extends AsyncDisposable {
  readonly port: number;
  readonly paths: Set<string>;
  readonly connections: () => number;
  readonly datagrams: () => number;
  forget(): void;
}

export async function outside(): Promise<Outside> {
  const paths = new Set<string>();
  let [connections, datagrams] = [0, 0];
  const server = createServer((request, response) => {
    paths.add(request.url ?? "");
    response.writeHead(200, { "access-control-allow-origin": "*" });
    response.end("outside");
  });
  server.on("connection", () => connections++);
  server.on("upgrade", (request, socket) => {
    paths.add(request.url ?? "");
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const udp = createSocket("udp4", () => void datagrams++);
  await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
  return {
    port,
    paths,
    connections: () => connections,
    datagrams: () => datagrams,
    forget() {
      paths.clear();
      [connections, datagrams] = [0, 0];
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await new Promise<void>((resolve) => udp.close(() => resolve()));
    },
  };
}
