import type { Graph, GraphCallOptions, GraphRequests } from "./graph.ts";
import { GraphThread, type ThreadOptions } from "./graph-thread.ts";

/** The graph in a file, asked through its own thread. The thread starts with the first request. */
export function createGraph(options: ThreadOptions): Graph {
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
    prepare: () => thread.start(),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}
