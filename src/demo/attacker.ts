import { createServer, type Server, type Socket } from "node:net";
import { loopback } from "./loopback.ts";

export const ATTACKER = "attacker.example";

/** Where stolen logins would go: takes whatever comes, and answers as a web server would. */
export class Attacker implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  port = 0;
  connections = 0;
  received = "";

  private constructor() {
    this.#server = createServer((socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("data", (bytes) => {
        this.received += bytes.toString("latin1");
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nthanks");
      });
    });
  }

  static async open(): Promise<Attacker> {
    const attacker = new Attacker();
    attacker.port = await loopback(attacker.#server);
    return attacker;
  }

  get url(): string {
    return `http://${ATTACKER}:${this.port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
