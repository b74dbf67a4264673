/** A service people log in at: by a key, by a form that sets a cookie, or by a page that logs itself in. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { http1Server, type LoopbackServer } from "./http-servers.ts";

export class LoginShop implements AsyncDisposable {
  /** Whose key or session token is whose. */
  readonly keys = new Map<string, string>();
  readonly sessions = new Map<string, string>();
  readonly seen: { url: string; host: string; cookie: string; key: string }[] = [];
  /** What the check answers instead, while it is set. */
  trouble: number | undefined;
  readonly #server: LoopbackServer;

  private constructor(server: LoopbackServer) {
    this.#server = server;
  }

  static async open(): Promise<LoginShop> {
    const server = await http1Server((request, response) => shop.#serve(request, response));
    const shop = new LoginShop(server);
    return shop;
  }

  get port(): number {
    return this.#server.port;
  }

  at(host: string, path = ""): string {
    return `http://${host}:${this.port}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://shop");
    const cookie = request.headers.cookie ?? "";
    const key = String(request.headers["x-api-key"] ?? "");
    this.seen.push({ url: request.url ?? "", host: request.headers.host ?? "", cookie, key });
    const who = this.keys.get(key) ?? this.sessions.get(/(?:^|; )sid=([^;]+)/.exec(cookie)?.[1] ?? "");
    response.setHeader("content-type", "text/html");
    switch (pathname) {
      case "/visit":
        response.setHeader("set-cookie", "_ga=a-visit; Max-Age=3600");
        return void response.end("hello, stranger");
      case "/enter": {
        const user = searchParams.get("user") ?? "";
        const token = `canary-session-of-${user}-${this.sessions.size}`;
        this.sessions.set(token, user);
        response.setHeader("set-cookie", `sid=${token}; HttpOnly; Path=/; Max-Age=3600`);
        return void response.end(`welcome, ${user}`);
      }
      case "/form": // as a person would, who takes a moment
        return void response.end(
          `<script>setTimeout(() => location = "/enter?user=${searchParams.get("user")}", 1500)</script>`,
        );
      case "/me":
        response.statusCode = this.trouble ?? 200;
        return void response.end(
          JSON.stringify(who === undefined ? {} : { email: who, name: who.split("@")[0] }),
        );
      case "/away":
        response.writeHead(302, { location: "/private?from=away", "set-cookie": "hop=canary-of-the-hop" });
        return void response.end();
      default:
        response.statusCode = who === undefined ? 401 : 200;
        return void response.end(
          who === undefined ? "who are you?" : `hello, ${who}; you sent ${cookie}${key}`,
        );
    }
  }
}
