import { isShownAt } from "./permitted-url.ts";
import type { TargetFilter } from "./scope.ts";

export interface TargetInfo {
  readonly targetId: string;
  readonly type: string;
  readonly url: string;
  readonly browserContextId?: string;
  readonly [field: string]: unknown;
}

const SHOWN_TYPES = new Set(["page", "tab", "iframe", "worker", "shared_worker", "service_worker"]);
/** What Chromium takes where a client gives none (content/browser/devtools/protocol/target_handler.cc). */
const USUAL_FILTER: readonly TargetFilter[] = [
  { type: "browser", exclude: true },
  { type: "tab", exclude: true },
  {},
];

/** The targets of one context as a client may see them, kept up to date by the browser's events. */
export class OwnTargets {
  readonly #targets = new Map<string, TargetInfo>();
  readonly #contextId: string;
  readonly #isHelper: (targetId: string) => boolean;

  constructor(options: { contextId: string; isHelper: (targetId: string) => boolean }) {
    this.#contextId = options.contextId;
    this.#isHelper = options.isHelper;
  }

  /** Whether it is of the context and a page's: the browser's own pages could do more than a client may. */
  covers(info: TargetInfo): boolean {
    return (
      info.browserContextId === this.#contextId &&
      SHOWN_TYPES.has(info.type) &&
      isShownAt(info.url) &&
      !this.#isHelper(info.targetId)
    );
  }

  has(targetId: string): boolean {
    return this.#targets.has(targetId) && !this.#isHelper(targetId);
  }

  /** What became of it for a client that looks on. */
  note(info: TargetInfo): "created" | "changed" | "gone" | "foreign" {
    const known = this.#targets.has(info.targetId);
    if (!this.covers(info)) {
      this.#targets.delete(info.targetId);
      return known ? "gone" : "foreign";
    }
    this.#targets.set(info.targetId, info);
    return known ? "changed" : "created";
  }

  remove(targetId: string): TargetInfo | undefined {
    const info = this.#targets.get(targetId);
    this.#targets.delete(targetId);
    return info;
  }

  get(targetId: string): TargetInfo | undefined {
    return this.#targets.get(targetId);
  }

  list(): readonly TargetInfo[] {
    return [...this.#targets.values()].filter(({ targetId }) => !this.#isHelper(targetId));
  }
}

/** The first entry that speaks of the type decides; none: not shown. */
export function passesFilter(info: TargetInfo, filter: readonly TargetFilter[] | null): boolean {
  const entry = (filter ?? USUAL_FILTER).find(({ type }) => type === undefined || type === info.type);
  return entry !== undefined && entry.exclude !== true;
}

export function isTargetInfo(value: unknown): value is TargetInfo {
  if (typeof value !== "object" || value === null) return false;
  const { targetId, type, url } = value as Record<string, unknown>;
  return typeof targetId === "string" && typeof type === "string" && typeof url === "string";
}
