import type { CdpConnection, CdpEvent } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { AttachedPage, Targets } from "../browser/targets.ts";
import type { SessionSeed } from "../session.ts";
import type { StorageLoss } from "./origin-storage.ts";
import { writeOrigin } from "./storage-page.ts";

interface Parts {
  readonly connection: CdpConnection;
  readonly targets: Targets;
  readonly contextId: string;
  readonly seed: Pick<SessionSeed, "origins" | "storageOf">;
}

/** With more origins than this, every document is looked at instead. */
const MOST_PATTERNS = 50;

/**
 * Gives each origin its storage when it is first visited: its document is held back until the storage is there. Once,
 * so that what the site then changes is never overwritten.
 */
export class StorageSeeder implements Disposable {
  readonly #parts: Parts;
  readonly #waiting: Set<string>;
  readonly #any: boolean;
  readonly #seen = new Set<string>();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #listening = new Map<string, Disposable>();
  readonly #gone: Disposable;
  readonly #lost: StorageLoss[] = [];
  #cloned = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { origins } = parts.seed;
    this.#any = origins === "any";
    this.#waiting = new Set(origins === "any" ? [] : origins);
    this.#gone = parts.connection.on(null, ({ method, params }) => {
      if (method === "Target.detachedFromTarget") this.#forget(String(params["sessionId"]));
    });
  }

  get report() {
    return { waiting: this.#any ? null : this.#waiting.size, cloned: this.#cloned, lost: [...this.#lost] };
  }

  /** Origins whose storage is still the source's. */
  get waiting(): ReadonlySet<string> {
    return this.#waiting;
  }

  prepare({ session }: AttachedPage): readonly Promise<unknown>[] {
    if (this.#isDone) return [];
    const { connection } = this.#parts;
    const every =
      this.#any || this.#waiting.size > MOST_PATTERNS
        ? ["*"]
        : [...this.#waiting].map((origin) => `${origin}/*`);
    const patterns = every.map((urlPattern) => ({ urlPattern, resourceType: "Document" }));
    this.#listening.set(
      session,
      connection.on(session, (event) => void this.#hear(session, event)),
    );
    return [connection.call("Fetch.enable", { patterns }, session)];
  }

  get #isDone(): boolean {
    return !this.#any && this.#waiting.size === 0;
  }

  [Symbol.dispose](): void {
    this.#gone[Symbol.dispose]();
    for (const session of this.#listening.keys()) this.#forget(session);
  }

  async #hear(session: string, { method, params }: CdpEvent): Promise<void> {
    if (method !== "Fetch.requestPaused") return;
    const { connection } = this.#parts;
    const url = String((params["request"] as { url?: unknown } | undefined)?.url);
    const origin = URL.canParse(url) ? new URL(url).origin : "";
    try {
      const isFirst = this.#any && /^https?:/.test(origin) && !this.#seen.has(origin);
      if (isFirst || this.#waiting.has(origin) || this.#underWay.has(origin)) await this.#seed(origin);
      await connection.call("Fetch.continueRequest", { requestId: params["requestId"] }, session);
      if (this.#isDone && this.#underWay.size === 0) await this.#stop();
    } catch (error) {
      if (!(error instanceof DeputyError)) throw error; // the page was closed meanwhile
    }
  }

  /** Pages that come to an origin together wait for the same storage. */
  #seed(origin: string): Promise<void> {
    this.#waiting.delete(origin);
    this.#seen.add(origin);
    return this.#underWay.getOrInsertComputed(origin, async () => {
      try {
        const storage = await this.#parts.seed.storageOf(origin);
        if (storage === undefined) return;
        this.#lost.push(...storage.lost);
        await writeOrigin(this.#parts, storage);
        this.#cloned++;
      } catch {
        // Whatever went wrong may quote what was to be written.
        const reason = "it could not be read, or the browser did not take it";
        this.#lost.push({ origin, where: "storage", count: 1, reason });
      } finally {
        this.#underWay.delete(origin);
      }
    });
  }

  async #stop(): Promise<void> {
    const sessions = [...this.#listening.keys()];
    for (const session of sessions) this.#forget(session);
    await Promise.all(sessions.map((session) => this.#parts.connection.call("Fetch.disable", {}, session)));
  }

  #forget(session: string): void {
    this.#listening.get(session)?.[Symbol.dispose]();
    this.#listening.delete(session);
  }
}
