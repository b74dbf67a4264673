import { DeputyError } from "../../kernel/index.ts";
import { CookieMask } from "../endpoint/cookie-mask.ts";
import type { OpenSession } from "../open-session.ts";
import type { Tab } from "../session.ts";
import type { ActRequest, ActResult } from "./action.ts";
import { addressOf, type DrivenTab, perform } from "./perform.ts";
import { References } from "./references.ts";
import { takeSnapshot } from "./snapshot.ts";
import { TabPage } from "./tab-page.ts";

const TIMEOUT_MS = 10_000;

/**
 * Hands and eyes in one session's tabs, one action after the other. What it tells is masked as at the session's
 * endpoint: values of cloned HttpOnly cookies stay out of it.
 */
export class Driver {
  readonly #session: OpenSession;
  readonly #mask: CookieMask | null;
  readonly #tabs = new Map<string, DrivenTab>();
  /** The tabs there were at the end of the last action, and the one it was in. */
  #seen: ReadonlySet<string> = new Set();
  #current: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: OpenSession) {
    this.#session = session;
    this.#mask = session.expose ? null : new CookieMask(session.hidden());
  }

  act(request: ActRequest, signal: AbortSignal): Promise<ActResult> {
    const done = this.#last.then(() => this.#act(request, signal));
    this.#last = done.catch(() => {});
    return done;
  }

  async #act(request: ActRequest, signal: AbortSignal): Promise<ActResult> {
    signal.throwIfAborted();
    using _held = this.#session.hold();
    try {
      const { png, ...told } = await this.#perform(request, signal);
      return { ...(await this.#masked(told)), ...(png === undefined ? {} : { png }) };
    } catch (error) {
      if (signal.aborted) throw new DeputyError("CANCELLED", "It was given up");
      if (!(error instanceof DeputyError)) throw error;
      const { code, message, hint } = error;
      throw new DeputyError(code, (await this.#masked({ message })).message, { hint });
    }
  }

  async #perform(request: ActRequest, signal: AbortSignal): Promise<ActResult> {
    const { action, timeoutMs = TIMEOUT_MS, acceptDialogs = false } = request;
    if (action.do === "goto") addressOf(action.url);
    const { id } = await this.#tab(request, signal);
    const before = new Set((await this.#session.tabs()).map((one) => one.id));
    await using page = await TabPage.attach(this.#session.connection, id, { acceptDialogs });
    const tab = this.#driven(id);
    const patience = { until: performance.now() + timeoutMs, signal };
    const done = await perform(page, tab, action, patience);
    const looks = action.do === "snapshot" || request.snapshot === true;
    const snapshot = looks ? { snapshot: await takeSnapshot(page, tab.references) } : {};
    const tabs = await this.#session.tabs();
    const now = tabs.find((one) => one.id === id);
    this.#seen = before;
    this.#current = id;
    for (const known of this.#tabs.keys())
      if (!tabs.some((one) => one.id === known)) this.#tabs.delete(known);
    return {
      tab: id,
      url: now?.url ?? "",
      title: now?.title ?? "",
      ...done,
      ...snapshot,
      dialogs: page.dialogs,
      opened: tabs.filter((one) => !before.has(one.id)),
    };
  }

  async #tab({ tab, action }: ActRequest, signal: AbortSignal): Promise<Tab> {
    const tabs = await this.#session.tabs();
    const found =
      tab === undefined
        ? (tabs.find(({ id }) => this.#current !== undefined && !this.#seen.has(id)) ??
          tabs.find(({ id }) => id === this.#current) ??
          tabs.at(-1))
        : tabs.find(({ id }) => id === tab);
    if (found !== undefined) return found;
    if (tab === undefined && action.do === "goto") return this.#session.open("about:blank", signal);
    throw new DeputyError(
      "NOT_FOUND",
      tab === undefined ? "The session has no tab" : "There is no such tab",
      {
        hint: "Go somewhere first: deputy session act ID goto https://example.com/",
      },
    );
  }

  #driven(id: string): DrivenTab {
    const known = this.#tabs.get(id);
    if (known !== undefined) return known;
    const made = { references: new References(), mouse: { x: 0, y: 0 } };
    this.#tabs.set(id, made);
    return made;
  }

  /** Also what a site put in the place of a cloned cookie since. */
  async #masked<T extends object>(told: T): Promise<T> {
    if (this.#mask === null) return told;
    const { connection, contextId } = this.#session;
    const cookies = await connection
      .call("Storage.getCookies", { browserContextId: contextId })
      .catch(() => ({})); // gone with its browser
    this.#mask.serialise(cookies, "Storage.getCookies");
    return JSON.parse(this.#mask.serialise(told, "act")) as T;
  }
}
