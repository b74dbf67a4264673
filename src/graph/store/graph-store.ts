import { DeputyError } from "../../kernel/index.ts";
import { Database } from "../../platform/index.ts";
import type { GraphRequests } from "../graph.ts";
import type { ShapeBook } from "../shapes/shape-book.ts";
import { claimAccount } from "./claim-account.ts";
import { counts } from "./counts.ts";
import { describeShapes, describeSkills } from "./describe.ts";
import { create, setDeleted, update } from "./edit.ts";
import { exportFile } from "./export-file.ts";
import { getEntity } from "./get-entity.ts";
import { historyOf } from "./history.ts";
import { list } from "./list.ts";
import { writerOf } from "./origins.ts";
import { stateAt } from "./past-state.ts";
import { prepareSchema } from "./schema.ts";
import { findOwn, findRow } from "./rows.ts";
import { search } from "./search.ts";
import { getRow } from "./show-entity.ts";
import { createStore, write } from "./store.ts";
import { upsert } from "./upsert.ts";

interface RequestContext {
  readonly at: number;
  /** Lets other requests have their turn; throws when the caller gave up. */
  readonly pause: (done: number) => Promise<void>;
}

type Answers = {
  [K in keyof GraphRequests]: (
    input: GraphRequests[K]["in"],
    context: RequestContext,
  ) => GraphRequests[K]["out"] | Promise<GraphRequests[K]["out"]>;
};

export type GraphStore = Answers & Disposable;

/** The graph itself, in whatever thread it is opened. */
export function openGraphStore(options: { path: string; book: ShapeBook; now: number }): GraphStore {
  const db = new Database({ path: options.path });
  const store = createStore(db, options.book);
  try {
    prepareSchema(db);
    describeShapes(store, options.now);
  } catch (error) {
    db.close();
    throw error;
  }
  const importing = new Set<string>();
  return {
    remember: ({ entities, source }, { at }) =>
      write(
        store,
        () => {
          const done = upsert(store, entities, writerOf(store, source, at));
          const ids = done.keys.map((key) => (key === undefined ? "" : (findRow(store, key)?.id ?? "")));
          const { created, changed, merged, warnings } = done;
          return { ids, created, changed, merged, warnings };
        },
        "can be had again",
      ),
    search: (input) => search(store, input),
    list: (input, { at }) => list(store, input, at),
    get: ({ id }) => getEntity(store, id),
    create: (input, { at }) => create(store, input, at),
    update: (input, { at }) => update(store, input, at),
    delete: (input, { at }) => setDeleted(store, input, at, true),
    restore: (input, { at }) => setDeleted(store, input, at, false),
    history: ({ id, limit = 50, cursor }) => historyOf(store, id, limit, cursor),
    stateAt: ({ id, time }) => stateAt(store, findOwn(store, id) ?? getRow(store, id), time),
    counts: () => counts(store),
    describeSkills: ({ skills }, { at }) => ({ changed: describeSkills(store, skills, at) }),
    claimAccount: (input, { at }) => ({ id: claimAccount(store, input, at) }),
    exportTo: ({ path }, { at, pause }) => exportFile(store, path, at, pause),
    importFrom: async ({ path, source }, { at, pause }) => {
      if (importing.has(path))
        throw new DeputyError("CONFLICT", "That file is being taken in already", {
          hint: "Wait for it to end.",
        });
      importing.add(path);
      try {
        // It brings a schema library with it, which nothing else here needs.
        const { importFile } = await import("./import-file.ts");
        return await importFile(store, { path, source, at, pause });
      } finally {
        importing.delete(path);
      }
    },
    [Symbol.dispose]: () => db.close(),
  };
}
