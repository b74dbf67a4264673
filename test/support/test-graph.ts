import { join } from "node:path";
import { bundledShapes, type GraphRequests, loadShapes, type Returns } from "../../src/graph/index.ts";
import { type GraphStore, openGraphStore } from "../../src/graph/store/graph-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const book = loadShapes({ folders: [bundledShapes], now: () => Date.UTC(2026, 10, 15) });

/** A graph in this thread. Every write happens a second after the one before it. */
export class TestGraph implements Disposable {
  readonly #folder = temporaryFolder("graph");
  readonly path = join(this.#folder.path, "graph.db");
  #store: GraphStore;
  now = Date.UTC(2026, 10, 15);

  constructor() {
    this.#store = openGraphStore({ path: this.path, book, now: this.now });
  }

  file(name: string): string {
    return join(this.#folder.path, name);
  }

  reopen(): void {
    this.#store[Symbol.dispose]();
    this.#store = openGraphStore({ path: this.path, book, now: this.now });
  }

  ask<K extends keyof GraphRequests>(
    method: K,
    input: GraphRequests[K]["in"],
  ): Awaited<GraphRequests[K]["out"]> {
    this.now += 1000;
    const answer = this.#store[method] as (input: unknown, context: unknown) => unknown;
    return answer(input, { at: this.now, pause: async () => {} }) as Awaited<GraphRequests[K]["out"]>;
  }

  /** What takes its time: exporting and importing. */
  async later<K extends "exportTo" | "importFrom">(
    method: K,
    input: GraphRequests[K]["in"],
  ): Promise<GraphRequests[K]["out"]> {
    return this.ask(method, input);
  }

  /** What an operation of a skill returned; the ids of the entities in it. */
  remember(skill: string, returns: Returns | string, data: unknown) {
    const checked = book.checkResult(returns, data);
    return this.ask("remember", {
      entities: book.entitiesOf(returns, checked.data),
      source: { agent: "owner", skill, operation: "list" },
    });
  }

  /** One record, its id. */
  one(skill: string, shape: string, record: unknown): string {
    return this.remember(skill, shape, record).ids[0]!;
  }

  values(id: string) {
    return this.ask("get", { id }).values;
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
    this.#folder[Symbol.dispose]();
  }
}

export const OWNER = { agent: "owner" } as const;
