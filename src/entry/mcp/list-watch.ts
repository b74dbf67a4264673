import { createHash } from "node:crypto";
import type { EngineLink } from "./engine-link.ts";

interface Changed {
  readonly tools: () => void;
  readonly resources: () => void;
}

const EVERY_MS = 10_000;

/**
 * Notices when skills come, go or change, so that clients can ask for the lists again. Skills are files anybody may edit: the
 * engine learns of it when asked. It is asked only while a connection stands, so that watching never starts an engine.
 */
export class ListWatch implements Disposable {
  readonly #link: EngineLink;
  readonly #changed: Changed;
  readonly #timer: NodeJS.Timeout;
  #seen: { readonly tools: string; readonly resources: string } | undefined;

  constructor(link: EngineLink, changed: Changed, everyMs = EVERY_MS) {
    this.#link = link;
    this.#changed = changed;
    this.#timer = setInterval(() => void this.#look(), everyMs).unref();
    void this.#look();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (!this.#link.isOpen) return;
    try {
      const [capabilities, skills] = await Promise.all([
        this.#link.call("capabilities.list", {}),
        this.#link.call("skills.list", {}),
      ]);
      const providers = capabilities.map(({ providers: all, ...row }) => [
        row,
        all.map(({ skill }) => skill),
      ]);
      const listed = skills.map(({ id, name, description, status }) => [
        id,
        name,
        description,
        status === "broken",
      ]);
      const now = { tools: digest(providers), resources: digest(listed) };
      const before = this.#seen;
      this.#seen = now;
      if (before === undefined) return;
      if (before.tools !== now.tools) this.#changed.tools();
      if (before.resources !== now.resources) this.#changed.resources();
    } catch {} // An engine that is away: the next look finds it, or the next call says so.
  }
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
