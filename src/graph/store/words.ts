import type { Database } from "../../platform/index.ts";

/** Skills choose the names of fields: only so many are kept in memory. */
const MOST_KEPT = 20_000;

/** Names of shapes, fields and labels as small numbers. */
export class Words {
  readonly #db: Database;
  readonly #keys = new Map<string, number>();
  readonly #words = new Map<number, string>();

  constructor(db: Database) {
    this.#db = db;
  }

  find(word: string): number | undefined {
    const kept = this.#keys.get(word);
    if (kept !== undefined) return kept;
    const key = this.#db.get("SELECT key FROM words WHERE word = ?", word)?.["key"];
    return key === undefined ? undefined : this.#keep(Number(key), word);
  }

  /** Within a write: a word that is new becomes a row. */
  key(word: string): number {
    const found = this.find(word);
    if (found !== undefined) return found;
    const row = this.#db.get("INSERT INTO words (word) VALUES (?) RETURNING key", word);
    return this.#keep(Number(row?.["key"]), word);
  }

  word(key: number): string {
    const kept = this.#words.get(key);
    if (kept !== undefined) return kept;
    const word = String(this.#db.get("SELECT word FROM words WHERE key = ?", key)?.["word"] ?? "");
    this.#keep(key, word);
    return word;
  }

  /** After a write that was taken back. */
  forget(): void {
    this.#keys.clear();
    this.#words.clear();
  }

  #keep(key: number, word: string): number {
    if (this.#keys.size >= MOST_KEPT) this.forget();
    this.#keys.set(word, key);
    this.#words.set(key, word);
    return key;
  }
}
