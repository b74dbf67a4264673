import type { CdpConnection } from "../cdp/index.ts";
import { type Cookie, hostMatches } from "../cookies/index.ts";
import { type Clock, DeputyError } from "../kernel/index.ts";
import { stringField } from "./browser/answers.ts";
import { checkUrl, navigate } from "./browser/navigate.ts";
import type { RunningBrowser } from "./browser/running-browser.ts";
import { CookieWatch } from "./clone/cookie-watch.ts";
import { cookiesIn, placeCookies } from "./clone/place-cookies.ts";
import { deviceBound, reportLogins } from "./clone/report-logins.ts";
import type { Fence } from "./fence/fence.ts";
import type { HiddenCookie, LiveSession, OpenReport, SessionSeed, Tab, WriteBack } from "./session.ts";
import type { OriginStorage } from "./storage/origin-storage.ts";
import { isEmpty, readOrigin } from "./storage/storage-page.ts";
import { StorageSeeder } from "./storage/storage-seeder.ts";

interface Parts {
  readonly id: string;
  readonly browser: RunningBrowser;
  readonly folder: string;
  readonly seed: SessionSeed;
  readonly allow: readonly string[] | null;
  readonly fence: Fence | undefined;
  readonly expose: boolean;
  readonly writeBack: WriteBack | null;
  readonly clock: Clock;
}

const MOST_TABS = 20;
const MOST_ORIGINS = 200;

/** One context of the browser, from its cloning to its end. */
export class OpenSession implements LiveSession, AsyncDisposable {
  readonly id: string;
  readonly connection: CdpConnection;
  readonly contextId: string;
  readonly folder: string;
  readonly allow: readonly string[] | null;
  readonly expose: boolean;
  readonly browser: RunningBrowser;
  readonly watch: CookieWatch;
  readonly writeBack: WriteBack | null;
  readonly #parts: Parts;
  readonly #seeder: StorageSeeder;
  readonly #owned: Disposable;
  readonly #cloned: Omit<OpenReport, "storage">;
  readonly #hidden: readonly HiddenCookie[];
  readonly #visited = new Set<string>();
  readonly #warnings = new Set<string>();
  readonly #ended = Promise.withResolvers<string>();
  #asleep: readonly string[] | undefined;
  #holds = 0;
  #used: number;
  #over = false;

  private constructor(
    parts: Parts,
    made: { contextId: string; placed: Awaited<ReturnType<typeof placeCookies>>; cookies: readonly Cookie[] },
  ) {
    const { contextId, placed, cookies } = made;
    const { browser, seed } = parts;
    this.#parts = parts;
    this.id = parts.id;
    this.browser = browser;
    this.connection = browser.connection;
    this.contextId = contextId;
    this.folder = parts.folder;
    this.allow = parts.allow;
    this.expose = parts.expose;
    this.writeBack = parts.writeBack;
    this.watch = new CookieWatch(placed.cookies);
    const isWithin = (origin: string) => isAllowed(parts.allow, new URL(origin).hostname);
    const origins = seed.origins === "any" ? seed.origins : seed.origins.filter(isWithin);
    this.#seeder = new StorageSeeder({
      ...browser,
      contextId,
      seed: { origins, storageOf: async (origin) => (isWithin(origin) ? seed.storageOf(origin) : undefined) },
    });
    this.#owned = browser.targets.own(contextId, {
      prepare: (page) => this.#seeder.prepare(page),
      visited: (url) => this.#visit(url),
    });
    this.#hidden = placed.cookies.filter(({ httpOnly }) => httpOnly);
    this.#used = parts.clock.now();
    this.#cloned = {
      cookies: { cloned: cookies.length - placed.refused.length, refused: placed.refused },
      logins: reportLogins(placed.cookies),
      device_bound: deviceBound(cookies),
      warnings: [...seed.warnings, ...browser.warnings],
    };
  }

  /** A new context with the seed's cookies in it. Where that fails, nothing is left of it. */
  static async clone(parts: Parts, signal: AbortSignal): Promise<OpenSession> {
    const { browser, seed, allow, fence, clock } = parts;
    const { connection } = browser;
    const cookies = seed.cookies.filter(({ domain }) => isAllowed(allow, domain));
    const made = await connection.call("Target.createBrowserContext", {
      disposeOnDetach: true,
      // Chromium goes around a proxy for loopback unless told not to.
      ...(fence === undefined ? {} : { proxyServer: fence.proxy, proxyBypassList: "<-loopback>" }),
    });
    const contextId = stringField(made, "browserContextId");
    try {
      signal.throwIfAborted();
      const placed = await placeCookies(connection, contextId, cookies, clock.now());
      signal.throwIfAborted();
      return new OpenSession(parts, { contextId, placed, cookies });
    } catch (error) {
      await connection.call("Target.disposeBrowserContext", { browserContextId: contextId }).catch(() => {});
      throw error;
    }
  }

  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  get report(): OpenReport {
    const warnings = [...this.#cloned.warnings, ...this.#warnings];
    return { ...this.#cloned, storage: this.#seeder.report, warnings };
  }

  get used(): number {
    return this.#used;
  }

  get isHeld(): boolean {
    return this.#holds > 0;
  }

  get isAsleep(): boolean {
    return this.#asleep !== undefined;
  }

  warn(words: string): void {
    this.#warnings.add(words);
  }

  hidden(): readonly HiddenCookie[] {
    return this.#hidden;
  }

  isHelper(targetId: string): boolean {
    return this.browser.targets.isHelper(targetId);
  }

  touch(): void {
    this.#used = this.#parts.clock.now();
  }

  hold(): Disposable {
    this.#holds++;
    this.touch();
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#holds--;
        held = false;
        this.touch();
      },
    };
  }

  async tabs(): Promise<Tab[]> {
    if (this.#over || this.#asleep !== undefined) return [];
    const pages = await this.browser.targets.pagesOf(this.contextId);
    return pages.map(({ targetId, url, title }) => ({ id: targetId, url, title }));
  }

  /** A new tab, there once its page is loaded. One that could not be opened is closed again. */
  async open(url: string, signal: AbortSignal): Promise<Tab> {
    const wanted = checkUrl(url);
    this.touch();
    const { connection, browser, contextId } = this;
    if ((await this.tabs()).length >= MOST_TABS)
      throw new DeputyError("TOO_LARGE", `A session has at most ${MOST_TABS} tabs`, {
        hint: "Close some, or dispose of the session.",
      });
    const page = await browser.targets.create(contextId);
    try {
      if (wanted !== "about:blank") await navigate(connection, page, wanted, signal);
      if (signal.aborted) throw new DeputyError("CANCELLED", "It was given up while the page loaded");
    } catch (error) {
      await connection.call("Target.closeTarget", { targetId: page.targetId }).catch(() => {});
      throw error;
    }
    const tab = (await this.tabs()).find(({ id }) => id === page.targetId);
    return tab ?? { id: page.targetId, url: wanted, title: "" };
  }

  /** Without tabs a context costs a megabyte. */
  async sleep(): Promise<void> {
    if (this.#asleep !== undefined || this.#over) return;
    const tabs = await this.tabs();
    this.#asleep = tabs.map(({ url }) => url);
    await this.#closeTabs(tabs);
  }

  /** Opens again what was open. A page that does not come back is left out. */
  async wake(signal: AbortSignal): Promise<void> {
    const urls = this.#asleep;
    this.#asleep = undefined;
    this.touch();
    for (const url of urls ?? []) {
      if (!/^https?:/.test(url)) continue;
      await this.open(url, signal).catch(() =>
        this.warn(`${new URL(url).host} did not open again after the pause`),
      );
    }
  }

  async cookies(): Promise<Cookie[]> {
    return cookiesIn(this.connection, this.contextId, this.#parts.clock.now());
  }

  /** The storage of every origin the session has been to, and of those it has not, as the source has it. */
  async storage(): Promise<OriginStorage[]> {
    const all: OriginStorage[] = [];
    for (const origin of this.#seeder.waiting) {
      const storage = await this.#parts.seed.storageOf(origin);
      if (storage !== undefined) all.push(storage);
    }
    for (const origin of this.#visited) {
      if (this.#seeder.waiting.has(origin)) continue;
      const storage = await readOrigin({ ...this.browser, contextId: this.contextId }, origin);
      if (!isEmpty(storage)) all.push(storage);
    }
    return all;
  }

  async #close(): Promise<void> {
    await this.#parts.fence?.[Symbol.asyncDispose]();
    await this.#parts.seed.close?.();
  }

  /** What is left when the browser has ended by itself. */
  async lose(reason: string): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    this.#release(reason);
    await this.#close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#over) return;
    const tabs = await this.tabs().catch(() => []);
    this.#over = true;
    // A context's pages outlive it by their renderers unless they are closed first.
    await this.#closeTabs(tabs);
    this.#release("it was disposed of");
    await this.connection
      .call("Target.disposeBrowserContext", { browserContextId: this.contextId })
      .catch(() => {}); // gone with its browser
    await this.#close();
  }

  #release(reason: string): void {
    this.#seeder[Symbol.dispose]();
    this.#owned[Symbol.dispose]();
    this.#ended.resolve(reason);
  }

  async #closeTabs(tabs: readonly Tab[]): Promise<void> {
    const close = (targetId: string) =>
      this.connection.call("Target.closeTarget", { targetId }).catch(() => {});
    await Promise.all(tabs.map(({ id }) => close(id)));
  }

  #visit(url: string): void {
    if (!/^https?:/.test(url) || this.#visited.size >= MOST_ORIGINS) return;
    this.#visited.add(new URL(url).origin);
  }
}

function isAllowed(allow: readonly string[] | null, host: string): boolean {
  return allow === null || allow.some((pattern) => hostMatches(pattern, host));
}
