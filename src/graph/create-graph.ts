import type { Clock } from "../kernel/index.ts";
import type { Graph, GraphCallOptions, GraphRequests } from "./graph.ts";
import { GraphThread } from "./graph-thread.ts";

interface GraphOptions {
  readonly path: string;
  /** Where shapes are read from; a later folder has the last word. */
  readonly folders: readonly string[];
  readonly clock: Clock;
}

/** The graph in a file, asked through its own thread. The thread starts with the first request. */
export function createGraph(options: GraphOptions): Graph {
  const thread = new GraphThread(options);
  const ask =
    <K extends keyof GraphRequests>(method: K) =>
    (input: GraphRequests[K]["in"], given?: GraphCallOptions) =>
      thread.ask(method, input, given);
  return {
    remember: ask("remember"),
    search: ask("search"),
    list: ask("list"),
    get: ask("get"),
    create: ask("create"),
    update: ask("update"),
    delete: ask("delete"),
    restore: ask("restore"),
    history: ask("history"),
    stateAt: ask("stateAt"),
    counts: ask("counts"),
    describeSkills: ask("describeSkills"),
    claimAccount: ask("claimAccount"),
    exportTo: ask("exportTo"),
    importFrom: ask("importFrom"),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}
