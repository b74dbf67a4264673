import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { loopback } from "./loopback.ts";

export const SITE = "notes.example";

/** Who has an account there, and what they have written. */
const NOTES: Readonly<Record<string, readonly string[]>> = {
  ada: ["Call Charles about the engine", "Bernoulli numbers: check note G"],
  grace: ["Moth in relay 70: keep it", "COBOL committee on Thursday"],
};

/**
 * A site with logins, on loopback. Every answer of its API replaces the caller's session token, and the one before
 * is worth nothing from then on: who keeps a copy is soon logged out.
 */
export class NotesSite implements AsyncDisposable {
  readonly #server: Server;
  /** Whose token each valid one is. */
  readonly #valid = new Map<string, string>();
  /** Every token there ever was: none of them may turn up anywhere. */
  readonly tokens: string[] = [];
  /** What came to the API, in order. */
  readonly calls: { readonly account: string | undefined; readonly token: string }[] = [];
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => this.#serve(request, response));
  }

  static async open(): Promise<NotesSite> {
    const site = new NotesSite();
    site.#port = await loopback(site.#server);
    return site;
  }

  url(path = "/"): string {
    return `http://${SITE}:${this.#port}${path}`;
  }

  /** As a browser's cookie would have it. */
  signIn(account: string): string {
    for (const [token, whose] of this.#valid) if (whose === account) this.#valid.delete(token);
    const token = randomBytes(16).toString("hex");
    this.#valid.set(token, account);
    this.tokens.push(token);
    return token;
  }

  /** The one token that is good for this account now. */
  tokenOf(account: string): string | undefined {
    return [...this.#valid].find(([, whose]) => whose === account)?.[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url());
    const token = /(?:^|; )session=([0-9a-f]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
    const account = this.#valid.get(token);
    if (!pathname.startsWith("/api/")) return this.#page(response, pathname, account, searchParams.get("as"));
    this.calls.push({ account, token });
    response.setHeader("content-type", "application/json");
    if (account === undefined) {
      response.statusCode = 401;
      response.end('{"error": "sign in first"}');
      return;
    }
    response.setHeader("set-cookie", cookie(this.signIn(account)));
    if (pathname === "/api/leave") response.writeHead(302, { location: searchParams.get("to") ?? "/" });
    response.end(JSON.stringify(answerOf(pathname, account, request)));
  }

  #page(response: ServerResponse, path: string, account: string | undefined, as: string | null): void {
    response.setHeader("content-type", "text/html; charset=utf-8");
    const known = path === "/sign-in" && as !== null && Object.hasOwn(NOTES, as) ? as : undefined;
    if (known !== undefined) response.setHeader("set-cookie", cookie(this.signIn(known)));
    const whose = known ?? account;
    response.end(`<title>${whose === undefined ? "Nobody is signed in" : `Notes of ${whose}`}</title>`);
  }
}

function cookie(token: string): string {
  return `session=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400`;
}

function answerOf(path: string, account: string, request: IncomingMessage): unknown {
  if (path === "/api/me") return { account };
  if (path === "/api/echo") return { you_sent: request.headers.cookie };
  return (NOTES[account] ?? []).map((text, i) => ({ id: `${account}-${i + 1}`, text }));
}
