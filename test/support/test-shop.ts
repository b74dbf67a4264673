/** A shop on loopback that knows keys, and sessions by the cookie `sid`; and what a call does there. */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import type { Loan } from "../../src/auth/index.ts";
import { parseCookie } from "../../src/cookies/index.ts";
import { readText } from "../../src/http/index.ts";
import { DeputyError } from "../../src/kernel/index.ts";
import { http1Server, type LoopbackServer } from "./http-servers.ts";

interface Seen {
  readonly request: IncomingMessage;
  readonly body: string;
}

export class Shop implements AsyncDisposable {
  readonly seen: Seen[] = [];
  readonly sessions = new Map<string, string>();
  readonly server: LoopbackServer;

  private constructor(server: LoopbackServer) {
    this.server = server;
  }

  static async open(): Promise<Shop> {
    let shop: Shop | undefined;
    const server = await http1Server((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        shop?.seen.push({ request, body: Buffer.concat(chunks).toString() });
        const sid = /(?:^|; )sid=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
        const user = shop?.sessions.get(sid);
        if (request.url === "/me")
          return response.end(JSON.stringify(user === undefined ? {} : { user: { email: user } }));
        if (request.url?.startsWith("/private") && user === undefined) {
          response.statusCode = 401;
          return response.end("who are you");
        }
        return response.end(user ?? "hello");
      });
    });
    shop = new Shop(server);
    return shop;
  }

  get base(): string {
    return `http://shop.test:${this.server.port}`;
  }

  get last(): Seen {
    const last = this.seen.at(-1);
    assert.ok(last);
    return last;
  }

  signIn(user: string, sid: string): string {
    this.sessions.set(sid, user);
    return sid;
  }

  async [Symbol.asyncDispose]() {
    await this.server[Symbol.asyncDispose]();
  }
}

export const sid = (value: string, at = Date.now()) =>
  parseCookie({ name: "sid", value, domain: "shop.test", hostOnly: true, created: at, updated: at });

export const get = async (loan: Loan, url = "/private") => {
  const response = await loan.send({ method: "GET", url, headers: [] });
  return { status: response.status, text: await readText(response) };
};

/** As an executor does it: a refusal by the service's own host is a failure of the login. */
export const mustGet = async (loan: Loan) => {
  const { status, text } = await get(loan);
  if (status !== 200) throw new DeputyError("SKILL_FAILED", `The service answered ${status}`);
  return text;
};
