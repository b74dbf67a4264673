import type { Database } from "../../platform/index.ts";
import type { ShapeBook } from "../shapes/shape-book.ts";
import { createIds } from "./entity-id.ts";
import { Words } from "./words.ts";

/** What every part of the graph works on. */
export interface Store {
  readonly db: Database;
  readonly book: ShapeBook;
  readonly words: Words;
  readonly newId: (at: number) => string;
  /** Keys of origins by what they stand for. */
  readonly origins: Map<string, number>;
}

/** Who writes, and when. */
export interface By {
  readonly origin: number;
  /** What a bare id is an id of; empty for what is written by hand. */
  readonly skill: string;
  readonly at: number;
}

export function createStore(db: Database, book: ShapeBook): Store {
  return { db, book, words: new Words(db), newId: createIds(), origins: new Map() };
}

/**
 * All of `work` or nothing of it, what is kept in memory included. What can be had again outlives the process, and need
 * not wait for the disk; what somebody wrote by hand also outlives a power cut.
 */
export function write<T>(store: Store, work: () => T, kept: "by hand" | "can be had again" = "by hand"): T {
  try {
    return store.db.transaction(work, { durable: kept === "by hand" });
  } catch (error) {
    store.words.forget();
    store.origins.clear();
    throw error;
  }
}
