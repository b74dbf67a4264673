import type { CdpConnection, CdpEvent } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { stringField, type TargetInfo, targetInfo } from "./answers.ts";
import type { Likeness } from "./likeness.ts";

/** What one context wants to do with its pages. */
export interface PageGuard {
  /** Before a page's first request. The page waits for the answers. */
  prepare(page: AttachedPage): readonly Promise<unknown>[];
  visited(url: string): void;
}

export interface AttachedPage {
  readonly targetId: string;
  /** Our own session with it. */
  readonly session: string;
}

/** A page of our own that no client is shown. */
export interface HelperPage extends AttachedPage, AsyncDisposable {}

const PATIENCE_MS = 30_000;

/**
 * The pages of a browser, seen before they ask for anything: whoever opens one, it waits until its context has prepared
 * it. Pages of contexts that are not ours are let go at once.
 */
export class Targets implements Disposable {
  readonly #connection: CdpConnection;
  readonly #contexts = new Map<string, PageGuard>();
  readonly #pages = new Map<string, { readonly session: string; readonly ready: Promise<unknown> }>();
  readonly #awaited = new Map<string, PromiseWithResolvers<void>>();
  readonly #helpers = new Set<string>();
  readonly #listening: Disposable;
  #likeness: Likeness | undefined;

  constructor(connection: CdpConnection) {
    this.#connection = connection;
    this.#listening = connection.on(null, (event) => this.#hear(event));
  }

  /** Both are browser-wide: the protocol has no other. */
  async start(): Promise<void> {
    const filter = [{ type: "page" }, { exclude: true }];
    const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter };
    await Promise.all([
      this.#connection.call("Target.setDiscoverTargets", { discover: true, filter }),
      this.#connection.call("Target.setAutoAttach", attach),
    ]);
  }

  /** What pages are told from now on. */
  lookLike(likeness: Likeness): void {
    this.#likeness = likeness;
  }

  own(contextId: string, guard: PageGuard): Disposable {
    this.#contexts.set(contextId, guard);
    return { [Symbol.dispose]: () => void this.#contexts.delete(contextId) };
  }

  isHelper(targetId: string): boolean {
    return this.#helpers.has(targetId);
  }

  /** A context's pages in the order they came, without our own. */
  async pagesOf(contextId: string): Promise<TargetInfo[]> {
    const { targetInfos } = await this.#connection.call("Target.getTargets");
    const order = [...this.#pages.keys()];
    return (Array.isArray(targetInfos) ? targetInfos : [])
      .map(targetInfo)
      .filter(
        (one) => one.type === "page" && one.browserContextId === contextId && !this.isHelper(one.targetId),
      )
      .toSorted((one, other) => order.indexOf(one.targetId) - order.indexOf(other.targetId));
  }

  /** A new page at about:blank, prepared. */
  async create(contextId: string): Promise<AttachedPage> {
    const made = await this.#connection.call("Target.createTarget", {
      url: "about:blank",
      browserContextId: contextId,
    });
    const targetId = stringField(made, "targetId");
    return { targetId, session: await this.page(targetId) };
  }

  /** Disposing closes it: a hidden page is not closed with its context, and its renderer would stay. */
  async helper(contextId: string): Promise<HelperPage> {
    const connection = this.#connection;
    const wanted = { url: "about:blank", browserContextId: contextId, hidden: true };
    const targetId = stringField(await connection.call("Target.createTarget", wanted), "targetId");
    this.#helpers.add(targetId);
    const close = async () => {
      await connection.call("Target.closeTarget", { targetId }).catch(() => {}); // gone with its browser
      this.#helpers.delete(targetId);
    };
    try {
      // What is hidden is not attached to by itself.
      await connection.call("Target.attachToTarget", { targetId, flatten: true });
      return { targetId, session: await this.page(targetId), [Symbol.asyncDispose]: close };
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Our session with a page, once it is prepared. */
  async page(targetId: string): Promise<string> {
    const known = this.#pages.get(targetId);
    if (known !== undefined) {
      await known.ready;
      return known.session;
    }
    const awaited = this.#awaited.getOrInsertComputed(targetId, () => Promise.withResolvers<void>());
    const timer = setTimeout(
      () =>
        awaited.reject(
          new DeputyError("NOT_FOUND", "The tab is gone, or never came", {
            hint: "See which there are: deputy session list",
          }),
        ),
      PATIENCE_MS,
    );
    try {
      await awaited.promise;
    } finally {
      clearTimeout(timer);
      this.#awaited.delete(targetId);
    }
    return this.page(targetId);
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }

  #hear({ method, params }: CdpEvent): void {
    if (method === "Target.detachedFromTarget") {
      const gone = [...this.#pages].find(([, { session }]) => session === params["sessionId"]);
      if (gone !== undefined) this.#pages.delete(gone[0]);
      return;
    }
    if (method === "Target.targetInfoChanged") {
      const info = targetInfo(params["targetInfo"]);
      if (!this.isHelper(info.targetId)) this.#contexts.get(info.browserContextId)?.visited(info.url);
      return;
    }
    if (method !== "Target.attachedToTarget") return;
    const session = stringField(params, "sessionId");
    const info = targetInfo(params["targetInfo"]);
    // A client of an endpoint gets a session on the browser itself, which is nobody's page.
    if (info.type === "browser") return;
    // One of ours that somebody attaches to once more has been prepared.
    if (this.#pages.has(info.targetId)) return;
    const ready = this.#prepare(info, session);
    // It may be closed before it is prepared: then nobody waits for it.
    ready.catch(() => {});
    if (!this.#contexts.has(info.browserContextId)) return;
    this.#pages.set(info.targetId, { session, ready });
    this.#awaited.get(info.targetId)?.resolve();
  }

  /** Sent in one go: the browser handles a session's commands in their order. */
  #prepare(info: TargetInfo, session: string): Promise<unknown> {
    const call = (method: string, params = {}) => this.#connection.call(method, params, session);
    const guard = this.#contexts.get(info.browserContextId);
    if (guard === undefined) {
      return Promise.all([
        call("Runtime.runIfWaitingForDebugger"),
        this.#connection.call("Target.detachFromTarget", { sessionId: session }),
      ]);
    }
    const looks = this.#likeness;
    return Promise.all([
      ...(looks === undefined ? [] : [call("Emulation.setUserAgentOverride", looks)]),
      ...(this.isHelper(info.targetId) ? [] : guard.prepare({ targetId: info.targetId, session })),
      call("Runtime.runIfWaitingForDebugger"),
    ]);
  }
}
