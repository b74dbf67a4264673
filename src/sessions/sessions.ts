import { isDeepStrictEqual } from "node:util";
import { type Clock, DeputyError, newId } from "../kernel/index.ts";
import { BrowserHolder } from "./browser/browser-holder.ts";
import { checkUrl } from "./browser/navigate.ts";
import type { BrowserSettings, RunningBrowser } from "./browser/running-browser.ts";
import { cloneSession } from "./clone-session.ts";
import { Manifest } from "./manifest.ts";
import { lookAtCookies } from "./look-at-cookies.ts";
import type { OpenSession } from "./open-session.ts";
import { Rooms, type SessionLimits } from "./rooms.ts";
import { type Entry, mayUse, type OpenRequest, viewOf } from "./session-entry.ts";
import type { SessionOwner, SessionSource, SessionView, Tab } from "./session.ts";
import { ProfileStorage } from "./storage/profile-storage.ts";
import { sourceLabel } from "./source-label.ts";
import { unlessAborted } from "./unless-aborted.ts";

export interface SessionsParts {
  readonly folder: string;
  readonly browser: () => Omit<BrowserSettings, "files" | "scratch">;
  readonly limits: () => SessionLimits;
  readonly clock: Clock;
}

const SWEEP_MS = 5_000;
/** Who ends one session often opens the next. */
const LINGER_MS = 60_000;
/** How long it is told of a session that its browser ended. */
const LOST_KEPT_MS = 600_000;

/** Everybody's sessions: who has which, how many there may be, and when they end. */
export class Sessions implements AsyncDisposable {
  readonly #parts: SessionsParts;
  readonly #manifest: Manifest;
  readonly #browser: BrowserHolder;
  readonly #cloning: Parameters<typeof cloneSession>[0];
  readonly #entries = new Map<string, Entry>();
  readonly #rooms = new Rooms();
  readonly #gone = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #sweeping: Promise<void> = Promise.resolve();
  #lastUsed = 0;
  #over = false;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#manifest = new Manifest(parts.folder);
    this.#manifest.clean();
    const { files, scratch } = this.#manifest;
    this.#browser = new BrowserHolder({
      settings: () => ({ ...parts.browser(), files, scratch }),
      onLost: (browser, reason) => this.#lose(browser, reason),
    });
    const { browser: settings, clock } = parts;
    this.#cloning = { manifest: this.#manifest, browser: this.#browser, settings, clock };
    this.#timer = setInterval(() => void this.sweep(), SWEEP_MS);
    this.#timer.unref();
  }

  /** How many there are, those being opened included. */
  get count(): number {
    return this.#rooms.taken;
  }

  /**
   * The owner's session with this source, cloned at the first call; two calls at once clone once. With a URL, a tab is
   * opened there too.
   */
  async open(request: OpenRequest, signal: AbortSignal): Promise<SessionView> {
    if (request.url !== undefined) checkUrl(request.url);
    const entry = this.#entryFor(request);
    entry.callers++;
    const session = await this.#opened(entry, signal);
    await this.#awake(session, signal);
    if (request.url !== undefined) {
      try {
        await session.open(request.url, signal);
      } catch (error) {
        // A session that nobody was told of is nobody's.
        if (entry.callers === 1) await this.#remove(entry);
        throw error;
      }
    }
    return viewOf(entry);
  }

  async tab(owner: SessionOwner, id: string, url: string, signal: AbortSignal): Promise<Tab> {
    checkUrl(url);
    const session = await this.#usable(owner, id, signal);
    return session.open(url, signal);
  }

  async list(owner: SessionOwner): Promise<SessionView[]> {
    const entries = [...this.#entries.values()].filter((entry) => mayUse(owner, entry));
    return Promise.all(entries.map((entry) => viewOf(entry)));
  }

  /** Also one that is being opened: that is cancelled and leaves nothing. */
  async dispose(owner: SessionOwner, id: string): Promise<SessionView> {
    const entry = this.#get(owner, id);
    const view = await viewOf(entry);
    await this.#remove(entry);
    return view;
  }

  /** The storage of a Chromium profile, for a seed. */
  profileStorage(profile: string): ProfileStorage {
    const { files, scratch } = this.#manifest;
    return new ProfileStorage(profile, { ...this.#parts.browser(), files, scratch });
  }

  sourceOf(owner: SessionOwner, id: string): SessionSource {
    return this.#get(owner, id).request.source;
  }

  /** The session for those who drive it, awake. */
  async live(owner: SessionOwner, id: string, signal: AbortSignal): Promise<OpenSession> {
    return this.#usable(owner, id, signal);
  }

  /** All a session has, to be kept. */
  async state(owner: SessionOwner, id: string, signal: AbortSignal) {
    const { source } = this.#get(owner, id).request;
    const session = await this.#usable(owner, id, signal);
    return { source, cookies: await session.cookies(), origins: await session.storage() };
  }

  /** A connection ended: what belongs to it follows after the grace. */
  left(owner: SessionOwner): void {
    if (!owner.bound || !this.#has(owner)) return;
    this.#gone.set(owner.key, this.#parts.clock.now());
    setTimeout(() => void this.sweep(), this.#parts.limits().graceMs).unref();
  }

  /** Puts idle sessions to sleep, ends those whose time is over, and takes back what services renewed. */
  async sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() => this.#sweep()).catch(() => {});
    return this.#sweeping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over = true;
    clearInterval(this.#timer);
    await this.#sweeping;
    await Promise.all([...this.#entries.values()].map((entry) => this.#remove(entry)));
    await this.#browser[Symbol.asyncDispose]();
    this.#manifest.clean();
  }

  #entryFor(request: OpenRequest): Entry {
    const key = JSON.stringify([request.owner.key, sourceLabel(request.source), request.name]);
    const known = [...this.#entries.values()].find((entry) => entry.key === key && entry.lost === undefined);
    if (known !== undefined) {
      if (isDeepStrictEqual(known.request.allow, request.allow)) return known;
      throw new DeputyError("CONFLICT", "This session is open already, with other hosts allowed", {
        hint: "Dispose of it first, or open another beside it: --new NAME",
      });
    }
    if (this.#over) throw new DeputyError("ENGINE_BUSY", "The engine is stopping");
    this.#rooms.take(request.owner.agent, this.#parts.limits());
    for (const [id, entry] of this.#entries) if (entry.key === key) this.#entries.delete(id);
    const cancel = new AbortController();
    const id = newId("session");
    const entry: Entry = {
      id,
      key,
      request,
      created: this.#parts.clock.now(),
      cancel,
      opening: cloneSession(this.#cloning, id, request, cancel.signal),
      session: undefined,
      lost: undefined,
      callers: 0,
      waiting: 0,
    };
    this.#entries.set(id, entry);
    entry.opening.then(
      (session) => void (entry.session = session),
      () => this.#forget(entry),
    );
    return entry;
  }

  #has({ key }: SessionOwner): boolean {
    return [...this.#entries.values()].some(({ request }) => request.owner.key === key);
  }

  /** Whoever gives up last gives up for all. */
  async #opened(entry: Entry, signal: AbortSignal): Promise<OpenSession> {
    entry.waiting++;
    try {
      return await unlessAborted(entry.opening, signal);
    } finally {
      entry.waiting--;
      if (signal.aborted && entry.waiting === 0 && entry.session === undefined) entry.cancel.abort();
    }
  }

  async #usable(owner: SessionOwner, id: string, signal: AbortSignal): Promise<OpenSession> {
    const entry = this.#get(owner, id);
    if (entry.lost !== undefined) {
      throw new DeputyError("NOT_FOUND", `Session ${id} ended: ${entry.lost.reason}`, {
        hint: "Open it again from its source: deputy session open",
      });
    }
    const session = await this.#opened(entry, signal);
    await this.#awake(session, signal);
    return session;
  }

  async #awake(session: OpenSession, signal: AbortSignal): Promise<void> {
    await (session.isAsleep ? session.wake(signal) : session.touch());
  }

  /** Somebody else's is not there. */
  #get(owner: SessionOwner, id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry !== undefined && mayUse(owner, entry)) return entry;
    throw new DeputyError("NOT_FOUND", `You have no session ${id.slice(0, 64)}`, {
      hint: "See which there are: deputy session list",
    });
  }

  async #remove(entry: Entry): Promise<void> {
    entry.cancel.abort();
    const session = await entry.opening.catch(() => undefined);
    if (session !== undefined && entry.lost === undefined) {
      await lookAtCookies(session, [], this.#parts.clock.now()).catch(() => {});
      await session[Symbol.asyncDispose]();
    }
    this.#forget(entry);
  }

  #forget(entry: Entry): void {
    if (this.#entries.get(entry.id) === entry) this.#entries.delete(entry.id);
    this.#rooms.free(entry, entry.request.owner.agent);
    this.#manifest.remove(entry.id);
    this.#lastUsed = this.#parts.clock.now();
  }

  #lose(browser: RunningBrowser, reason: string): void {
    for (const entry of this.#entries.values()) {
      const { session } = entry;
      if (session?.browser !== browser) continue;
      entry.lost = { reason: `the browser ended (${reason})`, at: this.#parts.clock.now() };
      this.#rooms.free(entry, entry.request.owner.agent);
      this.#manifest.remove(entry.id);
      void session.lose(entry.lost.reason);
    }
  }

  async #sweep(): Promise<void> {
    const now = this.#parts.clock.now();
    // One that fails must not keep the others from it.
    for (const entry of this.#entries.values()) await this.#tend(entry, now).catch(() => {});
    const owners = new Set([...this.#entries.values()].map(({ request }) => request.owner.key));
    for (const key of this.#gone.keys()) if (!owners.has(key)) this.#gone.delete(key);
    if (this.#rooms.taken > 0) this.#lastUsed = now;
    // Nobody's browser costs memory for nothing.
    else if (now - this.#lastUsed >= LINGER_MS && this.#browser.current !== undefined)
      await this.#browser.stop();
  }

  async #tend(entry: Entry, now: number): Promise<void> {
    const { session, lost, request } = entry;
    const { sleepMs, expireMs, graceMs } = this.#parts.limits();
    const left = this.#gone.get(request.owner.key);
    // Who has left asks no more what became of it.
    if (lost !== undefined && (left !== undefined || now - lost.at > LOST_KEPT_MS))
      this.#entries.delete(entry.id);
    if (lost !== undefined || session === undefined) return;
    const since = now - session.used;
    const orphaned = left !== undefined && now - Math.max(left, session.used) >= graceMs;
    if (!session.isHeld && (orphaned || since >= expireMs)) return this.#remove(entry);
    await lookAtCookies(session, this.#siblings(entry), now).catch(() =>
      session.warn("what services renewed could not be taken back"),
    );
    if (!session.isHeld && since >= sleepMs) await session.sleep();
  }

  /** Other clones of the same login. */
  #siblings(entry: Entry): OpenSession[] {
    const { source } = entry.request;
    if (source.kind === "blank") return [];
    const label = sourceLabel(source);
    return [...this.#entries.values()].flatMap((other) =>
      other !== entry && other.session !== undefined && sourceLabel(other.request.source) === label
        ? [other.session]
        : [],
    );
  }
}
