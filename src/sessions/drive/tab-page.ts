import { setTimeout as sleep } from "node:timers/promises";
import type { CdpConnection, CdpEvent, CdpResult } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { stringField } from "../browser/answers.ts";
import { within } from "./within.ts";

export interface Frame {
  readonly id: string;
  /** Another for every document the frame shows. */
  readonly loaderId: string;
  readonly url: string;
}

/** What the page does on its own after an event shows within this. */
const GRACE_MS = 150;
const LOAD_MS = 15_000;
/** From the wish to go somewhere to the first step; where something prevents it, none follows. */
const START_MS = 1000;

/**
 * A DevTools session of our own with one tab, for as long as one action takes: what it turns on ends with it. It sees
 * the frames of the page's own process; those of other sites are other targets.
 */
export class TabPage implements AsyncDisposable {
  readonly targetId: string;
  readonly session: string;
  readonly dialogs: string[] = [];
  readonly #connection: CdpConnection;
  readonly #worlds = new Map<string, number>();
  readonly #listening: Disposable;
  readonly #acceptDialogs: boolean;
  #loading = false;
  #expected = 0;
  #moved: (() => void) | undefined;

  private constructor(
    connection: CdpConnection,
    at: { targetId: string; session: string; acceptDialogs: boolean },
  ) {
    this.#connection = connection;
    this.targetId = at.targetId;
    this.session = at.session;
    this.#acceptDialogs = at.acceptDialogs;
    this.#listening = connection.on(at.session, (event) => this.#hear(event));
  }

  static async attach(
    connection: CdpConnection,
    targetId: string,
    { acceptDialogs = false } = {},
  ): Promise<TabPage> {
    const attached = await connection.call("Target.attachToTarget", { targetId, flatten: true });
    const session = stringField(attached, "sessionId");
    const page = new TabPage(connection, { targetId, session, acceptDialogs });
    try {
      await Promise.all([
        page.call("Page.enable"),
        page.call("DOM.enable"),
        // A page nobody looks at takes no keys and draws no frames.
        page.call("Emulation.setFocusEmulationEnabled", { enabled: true }),
        page.call("Page.bringToFront"),
      ]);
      return page;
    } catch (error) {
      await page[Symbol.asyncDispose]();
      throw error;
    }
  }

  call(method: string, params: object = {}): Promise<CdpResult> {
    return this.#connection.call(method, params, this.session);
  }

  on(listener: (event: CdpEvent) => void): Disposable {
    return this.#connection.on(this.session, listener);
  }

  /** The main frame first. */
  async frames(): Promise<Frame[]> {
    const { frameTree } = await this.call("Page.getFrameTree");
    return framesOf(frameTree);
  }

  /** Where our scripts run in a frame: the page's own cannot change what they see. */
  async world({ id, loaderId }: Frame): Promise<number> {
    const key = `${id} ${loaderId}`;
    const known = this.#worlds.get(key);
    if (known !== undefined) return known;
    const { executionContextId } = await this.call("Page.createIsolatedWorld", {
      frameId: id,
      worldName: "deputy",
    });
    const world = Number(executionContextId);
    this.#worlds.set(key, world);
    return world;
  }

  /** Lets what an action set off come to its end: a page that is on its way somewhere arrives. */
  async settle(signal: AbortSignal): Promise<void> {
    await sleep(GRACE_MS, undefined, { signal });
    while (!this.#loading && performance.now() < this.#expected) await sleep(20, undefined, { signal });
    await this.loaded(signal);
  }

  /** Until the page is loaded, for a while: one that never stops loading is a page all the same. */
  async loaded(signal: AbortSignal, patienceMs = LOAD_MS): Promise<boolean> {
    const until = performance.now() + patienceMs;
    while (this.#loading && performance.now() < until) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#moved = resolve;
      await within(promise, Math.max(1, until - performance.now()), signal);
    }
    return !this.#loading;
  }

  async navigate(url: string, signal: AbortSignal): Promise<void> {
    this.#loading = true;
    const asked = this.call("Page.navigate", { url });
    asked.catch(() => {});
    // It is answered when the page is there, which may be never.
    const answer = await within(asked, LOAD_MS, signal);
    const errorText = answer?.["errorText"];
    if (answer?.["isDownload"] === true || errorText === "net::ERR_ABORTED") this.#loading = false;
    else if (typeof errorText === "string" && errorText !== "") {
      const { host } = new URL(url);
      throw new DeputyError("NETWORK_FAILED", `The browser could not open ${host}: ${errorText}`, {
        hint: "Check the address. A fenced session reaches only the hosts it was opened with.",
      });
    }
    // A place on the same page is no new document, and nothing loads.
    if (answer !== undefined && answer["loaderId"] === undefined) this.#loading = false;
    await this.loaded(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening[Symbol.dispose]();
    // It may be closed, or gone with its browser.
    await this.#connection.call("Target.detachFromTarget", { sessionId: this.session }).catch(() => {});
  }

  #hear({ method, params }: CdpEvent): void {
    // A page's main frame has the name of its target.
    const main = params["frameId"] === this.targetId;
    if (method === "Page.javascriptDialogOpening") this.#answerDialog(params);
    else if (method === "Page.frameStartedLoading" && main) this.#loading = true;
    else if (method === "Page.frameRequestedNavigation" && main && params["disposition"] === "currentTab")
      this.#expected = performance.now() + START_MS;
    else if (
      method === "Page.loadEventFired" ||
      (main && /^Page\.(frameStoppedLoading|navigatedWithinDocument)$/.test(method)) ||
      method === "Inspector.targetCrashed" ||
      method === "Inspector.detached"
    ) {
      this.#loading = false;
      this.#expected = 0;
      this.#moved?.();
    }
  }

  /** While somebody listens to the page, a dialog waits for an answer. Nobody is asked whether to leave a page. */
  #answerDialog({ type, message }: CdpResult): void {
    const accept = this.#acceptDialogs || type === "beforeunload";
    if (type !== "beforeunload")
      this.dialogs.push(`${String(type)}: ${String(message)} (${accept ? "accepted" : "cancelled"})`);
    this.call("Page.handleJavaScriptDialog", { accept }).catch(() => {});
  }
}

function framesOf(tree: unknown): Frame[] {
  const { frame, childFrames } = (tree ?? {}) as { frame?: Record<string, unknown>; childFrames?: unknown };
  if (frame === undefined) return [];
  const own = {
    id: String(frame["id"]),
    loaderId: String(frame["loaderId"]),
    url: String(frame["url"]),
  };
  return [own, ...(Array.isArray(childFrames) ? childFrames : []).flatMap(framesOf)];
}
