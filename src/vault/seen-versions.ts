import type { RowKey } from "../kernel/index.ts";

/**
 * The highest version met of each row. Three maps deep: one string joined of a key's parts would cost every read
 * more than the three look-ups do.
 */
export class SeenVersions {
  readonly #types = new Map<string, Map<string, Map<string, number>>>();

  /** 0 for a row never met. */
  get(key: RowKey): number {
    return this.#types.get(key.itemType)?.get(key.domain)?.get(key.identifier) ?? 0;
  }

  set(key: RowKey, version: number): void {
    const domains = this.#types.getOrInsertComputed(key.itemType, () => new Map());
    domains.getOrInsertComputed(key.domain, () => new Map()).set(key.identifier, version);
  }

  clear(): void {
    this.#types.clear();
  }
}
