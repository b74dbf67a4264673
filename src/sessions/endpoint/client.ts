import { randomBytes } from "node:crypto";
import type { CdpAnswer, CdpEvent } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { LiveSession } from "../session.ts";
import { ClientSessions } from "./client-sessions.ts";
import type { CookieMask } from "./cookie-mask.ts";
import { judge } from "./judge.ts";
import { OwnTargets } from "./own-targets.ts";
import { type ClientMessage, parseMessage } from "./parse-message.ts";
import type { ClientSession, Scope } from "./scope.ts";
import { TargetNews } from "./target-news.ts";

interface Outlet {
  send(text: string): void;
  close(): void;
}

const MOST_BROWSER_SESSIONS = 16;

/** One client of an endpoint: what it asks is judged first, what it is told is only of its session. */
export class Client implements AsyncDisposable {
  readonly #session: LiveSession;
  readonly #mask: CookieMask | null;
  readonly #outlet: Outlet;
  readonly #sessions: ClientSessions;
  readonly #targets: OwnTargets;
  readonly #news: TargetNews;
  readonly #browserTarget = {
    targetId: randomBytes(16).toString("hex").toUpperCase(),
    type: "browser",
    title: "",
    url: "",
    attached: true,
    canAccessOpener: false,
  };
  readonly #windows = new Set<number>();
  #browser = "";
  /** Messages without a session are of this one. */
  #root = "";
  #left = false;

  private constructor(session: LiveSession, mask: CookieMask | null, outlet: Outlet) {
    this.#session = session;
    this.#mask = mask;
    this.#outlet = outlet;
    const { connection, contextId } = session;
    this.#sessions = new ClientSessions({ connection, onEvent: (from, event) => this.#onEvent(from, event) });
    this.#targets = new OwnTargets({ contextId, isHelper: (targetId) => session.isHelper(targetId) });
    this.#news = new TargetNews({
      connection,
      sessions: this.#sessions,
      targets: this.#targets,
      tell: (from, method, params) => this.#tell(from, method, params),
    });
  }

  /** Of the browser as the session shows it, or of one page where `page` names one. */
  static async open(
    session: LiveSession,
    options: { mask: CookieMask | null; outlet: Outlet; page?: string | undefined },
  ): Promise<Client> {
    const client = new Client(session, options.mask, options.outlet);
    try {
      await client.#attach(options.page);
      return client;
    } catch (error) {
      await client[Symbol.asyncDispose]();
      throw error;
    }
  }

  receive(text: string): void {
    if (this.#left) return;
    this.#session.touch();
    const message = parseMessage(text);
    if (message === undefined) return this.#outlet.close();
    const from =
      message.sessionId === undefined ? this.#sessions.get(this.#root) : this.#find(message.sessionId);
    // In Chromium's words (content/browser/devtools/devtools_session.cc).
    if (from === undefined) this.#answer(message, fault("Session with given id not found.", -32001));
    else this.#obey(message, from);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#left) return;
    this.#left = true;
    const { connection, contextId, folder } = this.#session;
    const ours = this.#sessions.first();
    this.#sessions[Symbol.dispose]();
    for (const sessionId of ours)
      await connection.call("Target.detachFromTarget", { sessionId }).catch(() => {});
    // With the client's session its own wishes are gone, and the browser's folder would be next.
    const downloads = { behavior: "allow", downloadPath: folder, browserContextId: contextId };
    await connection.call("Browser.setDownloadBehavior", downloads).catch(() => {});
  }

  async #attach(page: string | undefined): Promise<void> {
    const { connection } = this.#session;
    this.#browser = await this.#attachBrowser();
    this.#root = this.#browser;
    await connection.call("Target.setDiscoverTargets", { discover: true, filter: [{}] }, this.#browser);
    if (page === undefined) return;
    if (!this.#targets.has(page)) throw new DeputyError("NOT_FOUND", "The session has no such page");
    const target = { targetId: page, flatten: true };
    const { sessionId } = await connection.call("Target.attachToTarget", target, this.#browser);
    this.#root = String(sessionId);
  }

  async #attachBrowser(): Promise<string> {
    const { sessionId } = await this.#session.connection.call("Target.attachToBrowserTarget");
    const id = String(sessionId);
    this.#sessions.add({ id, level: "browser", targetId: this.#browserTarget.targetId, parent: null });
    return id;
  }

  #find(sessionId: string): ClientSession | undefined {
    return sessionId === this.#browser || sessionId === this.#root
      ? undefined
      : this.#sessions.get(sessionId);
  }

  #obey(message: ClientMessage, from: ClientSession): void {
    const { method, params } = message;
    const verdict = judge({ method, params, from }, this.#scope());
    switch (verdict.kind) {
      case "refuse":
        return this.#answer(message, fault(verdict.message));
      case "answer":
        return this.#answer(message, { result: verdict.result });
      case "leave":
        this.#answer(message, { result: {} });
        return this.#outlet.close();
      case "discover":
        this.#answer(message, { result: {} });
        return this.#news.discover(from, verdict.on, verdict.filter);
      case "attach-browser":
        return void this.#attachMore(message, from);
      case "detach-browser":
        this.#sessions.drop(verdict.session.id);
        this.#session.connection
          .call("Target.detachFromTarget", { sessionId: verdict.session.id })
          .catch(() => {});
        return this.#answer(message, { result: {} });
      case "forward": {
        const answered = (answer: CdpAnswer) => {
          const shaped = "result" in answer && verdict.shape !== undefined;
          this.#answer(message, shaped ? { result: verdict.shape(answer.result) } : answer);
        };
        try {
          this.#session.connection.relay(
            verdict.method ?? method,
            verdict.params,
            verdict.session ?? from.id,
            answered,
          );
        } catch {
          this.#outlet.close();
        }
      }
    }
  }

  async #attachMore(message: ClientMessage, from: ClientSession): Promise<void> {
    if (this.#sessions.first().length >= MOST_BROWSER_SESSIONS)
      return this.#answer(message, fault("Too many sessions on the browser"));
    try {
      const sessionId = await this.#attachBrowser();
      const params = { sessionId, targetInfo: this.#browserTarget, waitingForDebugger: false };
      this.#tell(from, "Target.attachedToTarget", params);
      this.#answer(message, { result: { sessionId } });
    } catch {
      this.#outlet.close();
    }
  }

  #onEvent(from: ClientSession, { method, params }: CdpEvent): void {
    if (method.startsWith("Target.")) this.#news.onEvent(from, method, params, from.id === this.#browser);
    else if (from.level === "target" || method.startsWith("Browser.download"))
      this.#tell(from, method, params);
  }

  #tell(from: ClientSession, method: string, params: object): void {
    if (from.id === this.#root) this.#send({ method, params }, method);
    // A client of one page knows nothing of the browser.
    else if (from.id !== this.#browser) this.#send({ method, params, sessionId: from.id }, method);
  }

  #answer({ id, method, sessionId }: ClientMessage, answer: CdpAnswer): void {
    this.#send({ id, ...answer, ...(sessionId === undefined ? {} : { sessionId }) }, method);
  }

  #send(message: object, method: string): void {
    if (!this.#left) this.#outlet.send(this.#mask?.serialise(message, method) ?? JSON.stringify(message));
  }

  #scope(): Scope {
    return {
      contextId: this.#session.contextId,
      folder: this.#session.folder,
      browserSession: this.#browser,
      browserTarget: this.#browserTarget,
      windows: this.#windows,
      isOwn: (targetId) => this.#targets.has(targetId) || this.#sessions.ofTarget(targetId).length > 0,
      find: (sessionId) => this.#find(sessionId),
      isMasked: (text) => this.#mask?.isMasked(text) ?? false,
    };
  }
}

function fault(message: string, code = -32000): CdpAnswer {
  return { error: { code, message } };
}
