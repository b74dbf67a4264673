import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { randomUUID } from "node:crypto";
import type { Refusal } from "./refusal.ts";

interface Session {
  readonly client: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly end: () => void;
  /** Requests being answered, open streams among them. */
  busy: number;
  lastUsed: number;
}

interface Made {
  readonly server: Server;
  /** What belongs to the session goes with it. */
  readonly end: () => void;
}

const MOST_SESSIONS = 256;
const IDLE_MS = 60 * 60_000;

/** Clients of revisions up to 2025-11-25: what they are is said once, at the start of a session. */
export class Sessions implements AsyncDisposable {
  readonly #make: (client: string) => Made;
  readonly #byId = new Map<string, Session>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(make: (client: string) => Made) {
    this.#make = make;
    this.#sweeper = setInterval(() => this.#sweep(), IDLE_MS / 12).unref();
  }

  async handle(client: string, request: Request, parsedBody: unknown): Promise<Response | Refusal> {
    const id = request.headers.get("mcp-session-id");
    const session = id === null ? await this.#begin(client) : this.#byId.get(id);
    // A session is its client's: to another it does not exist.
    if (session === undefined || session.client !== client) {
      return id === null
        ? { status: 429, code: "ENGINE_BUSY", message: "Too many sessions; end one, or try later" }
        : { status: 404, code: "NOT_FOUND", message: "There is no such session; begin a new one" };
    }
    session.lastUsed = Date.now();
    session.busy++;
    request.signal.addEventListener("abort", () => {
      session.busy--;
      session.lastUsed = Date.now();
    });
    const response = await session.transport.handleRequest(request, { parsedBody });
    if (session.transport.sessionId === undefined) await this.#drop(session); // it was no initialize
    return response;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all([...this.#byId.values()].map((session) => this.#drop(session)));
  }

  async #begin(client: string): Promise<Session | undefined> {
    if (this.#byId.size >= MOST_SESSIONS) this.#sweep();
    if (this.#byId.size >= MOST_SESSIONS) return undefined;
    const { server, end } = this.#make(client);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#byId.set(id, session),
      onsessionclosed: (id) => {
        this.#byId.delete(id);
        end();
      },
    });
    const session: Session = { client, transport, end, busy: 0, lastUsed: Date.now() };
    await server.connect(transport);
    return session;
  }

  async #drop(session: Session): Promise<void> {
    const { sessionId } = session.transport;
    if (sessionId !== undefined) this.#byId.delete(sessionId);
    session.end();
    await session.transport.close();
  }

  #sweep(): void {
    for (const session of this.#byId.values()) {
      if (session.busy <= 0 && Date.now() - session.lastUsed > IDLE_MS)
        void this.#drop(session).catch(() => {});
    }
  }
}
