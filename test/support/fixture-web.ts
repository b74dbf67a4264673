/** Services of the real web under their own names, on a loopback address of this test's own. */
import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { selfSignedCertificate } from "./certificate.ts";
import { type LoopbackServer, tlsServer } from "./http-servers.ts";

export interface Asked {
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Answered {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Text as it is; anything else as JSON. */
  readonly body?: unknown;
}

export type Answer = (asked: Asked) => Answered | undefined;

export class FixtureWeb implements AsyncDisposable {
  readonly #server: LoopbackServer;
  readonly address: string;
  readonly #hosts: ReadonlyMap<string, Answer>;
  readonly seen: Asked[];

  private constructor(
    server: LoopbackServer,
    address: string,
    hosts: ReadonlyMap<string, Answer>,
    seen: Asked[],
  ) {
    this.#server = server;
    this.address = address;
    this.#hosts = hosts;
    this.seen = seen;
  }

  /** Why it cannot be: port 443 is the one that real addresses mean. */
  static async open(hosts: ReadonlyMap<string, Answer>, rootsFile: string): Promise<FixtureWeb | string> {
    const certificate = selfSignedCertificate([...hosts.keys()]);
    writeFileSync(rootsFile, certificate.cert);
    const seen: Asked[] = [];
    for (let tries = 0; ; tries++) {
      const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(2, 255)}`;
      try {
        const server = await tlsServer(
          certificate,
          (request, response) => void serve(request, response, hosts, seen),
          { host: address, port: 443 },
        );
        return new FixtureWeb(server, address, hosts, seen);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "EADDRINUSE" && tries < 5) continue;
        return `no server can listen on port 443 of ${address} here (${code})`;
      }
    }
  }

  /** For config.yaml. */
  resolve(): string {
    return [...this.#hosts.keys()].map((host) => `  ${host}: ${this.address}`).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  hosts: ReadonlyMap<string, Answer>,
  seen: Asked[],
): Promise<void> {
  const asked = await ask(request);
  seen.push(asked);
  const { status, headers, body } = answerTo(asked, hosts.get(asked.host));
  const type = typeof body === "string" ? "text/html; charset=utf-8" : "application/json";
  response.writeHead(status ?? 200, { "content-type": type, ...headers });
  response.end(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body));
}

/** A question that the service did not expect shows in what the skill says of the answer. */
function answerTo(asked: Asked, answer: Answer | undefined): Answered {
  try {
    const nothing = `no ${asked.method} ${asked.host}${asked.path} here`;
    return answer?.(asked) ?? { status: 404, body: { message: nothing } };
  } catch (error) {
    return { status: 500, body: { message: String(error) } };
  }
}

async function ask(request: IncomingMessage): Promise<Asked> {
  const host = String(request.headers[":authority"] ?? request.headers.host);
  const url = new URL(request.url ?? "/", `https://${host}`);
  return {
    host: url.hostname,
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: await text(request),
  };
}
