import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { DeputyError } from "../kernel/index.ts";
import { type Address, addressUrl } from "./address.ts";
import type { PairingDesk } from "./pairing-desk.ts";
import { VERSIONS } from "./peer.ts";
import type { Sink } from "./sink.ts";

const LARGEST_PAIRING = 16 * 1024;
const MOST_CONNECTIONS = 64;
const LAST_WORDS_MS = 1_000;

/** PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** What a machine shows the network: whether it lives, its pairing while one waits, its sink while one runs. */
export class SyncServer implements AsyncDisposable {
  /** Absent: it is not being paired. */
  desk: PairingDesk | undefined;
  /** Absent: it receives nothing. */
  sink: Sink | undefined;
  readonly #server: Server;
  readonly #secure: boolean;

  private constructor(certificate: Certificate | undefined) {
    this.#secure = certificate !== undefined;
    const limits = {
      maxHeaderSize: 8 * 1024,
      headersTimeout: 5_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
    };
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      this.#route(request, response).catch(() => {
        // A body that broke off, or a fault of ours: nobody is told more than that.
        if (response.headersSent) response.destroy();
        else answer(response, 500, { error: { code: "INTERNAL" } });
      });
    };
    this.#server =
      certificate === undefined
        ? createServer(limits, serve)
        : createSecureServer({ ...limits, ...certificate, handshakeTimeout: 5_000 }, serve);
    this.#server.maxConnections = MOST_CONNECTIONS;
  }

  static async listen({ host, port }: Address, certificate?: Certificate): Promise<SyncServer> {
    const made = new SyncServer(certificate);
    await new Promise<void>((resolve, reject) => {
      made.#server.once("error", (error) => reject(cannotListen(host, port, error)));
      made.#server.listen(port, host, resolve);
    });
    return made;
  }

  get address(): Address {
    const { address, port } = this.#server.address() as AddressInfo;
    return { host: address, port };
  }

  get url(): string {
    return addressUrl(this.address, this.#secure ? "https" : "http");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.desk?.[Symbol.dispose]();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // What is being answered is answered first: a peer that was just pinned has yet to hear of it.
    const patience = setTimeout(() => this.#server.closeAllConnections(), LAST_WORDS_MS);
    await closed;
    clearTimeout(patience);
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    switch (request.url) {
      case "/healthz":
        return answer(response, 200, { ok: true, versions: VERSIONS });
      case "/pair":
        return this.#pair(request, response);
      case "/sync":
        return this.#sync(request, response);
      default:
        return answer(response, 404, { error: { code: "NOT_FOUND" } });
    }
  }

  async #pair(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return answer(response, 405, { error: { code: "METHOD" } });
    if (lengthOf(request) > LARGEST_PAIRING) return answer(response, 413, { error: { code: "TOO_LARGE" } });
    const { desk } = this; // it may be taken away while the body is read
    if (desk === undefined) return answer(response, 410, { error: { code: "NOT_PAIRING" } });
    const message = parseJson(await readBody(request, lengthOf(request)));
    const { status, body } = await desk.handle(message);
    response.shouldKeepAlive = false;
    return answer(response, status, body);
  }

  async #sync(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { sink } = this;
    if (request.method !== "POST") return answer(response, 405, { error: { code: "METHOD" } });
    const length = lengthOf(request);
    if (sink === undefined) return answer(response, 503, { error: { code: "NOT_A_SINK" } });
    if (length > sink.largestBody) return answer(response, 413, { error: { code: "TOO_LARGE" } });
    const admitted = await sink.admit(request.headers, length);
    if (admitted === undefined) return answer(response, 401, { error: { code: "NOT_PAIRED" } });
    const reply = await sink.take(admitted, await readBody(request, length));
    response.writeHead(reply.status, { "content-type": "application/octet-stream" });
    response.end(reply.body);
  }
}

/** The length it claims; what claims none is longer than anything we take. */
function lengthOf({ headers }: IncomingMessage): number {
  const { "content-length": claimed } = headers;
  return claimed !== undefined && /^\d{1,15}$/.test(claimed) ? Number(claimed) : Infinity;
}

/** Node ends a body at its Content-Length, so no more than that is ever held. */
async function readBody(request: IncomingMessage, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks, length);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  // A body that was not read is not waited for either: the connection ends.
  const close = response.req.complete ? {} : { connection: "close" };
  const allow = status === 405 ? { allow: "POST" } : {};
  response.writeHead(status, { "content-type": "application/json", ...close, ...allow });
  response.end(JSON.stringify(body));
}

function cannotListen(host: string, port: number, error: Error): DeputyError {
  const code = "code" in error ? String(error.code) : "";
  const taken = code === "EADDRINUSE";
  return new DeputyError(
    taken ? "CONFLICT" : "BAD_INPUT",
    `Cannot listen on ${host} port ${port}${taken ? ": another program does" : ` (${code})`}`,
    { hint: "Choose another with --listen ADDRESS:PORT", cause: error },
  );
}
