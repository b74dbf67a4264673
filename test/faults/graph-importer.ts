/** Takes a file into a graph and says how far it is; beside that it remembers one thing after another until it is killed. */
import { writeSync } from "node:fs";
import { createGraph } from "../../src/graph/index.ts";
import { book } from "../support/test-graph.ts";

const [path = "", file = "", mark = ""] = process.argv.slice(2);
const graph = createGraph({ path, shapes: () => book, clock: { now: () => Date.now() } });
const source = { agent: "owner", skill: "import" };
const work = new AbortController();

const progress = (read: number) => void writeSync(1, `read ${read}\n`);
const importing = graph.importFrom({ path: file, source }, { progress });
const remembering = (async () => {
  for (let n = 0; !work.signal.aborted; n++) {
    const value = { id: `${mark}-${n}`, name: `Note ${n}` };
    await graph.remember({ entities: [{ shape: "note", value, links: [] }], source });
    writeSync(1, `noted ${value.id}\n`);
  }
})();
writeSync(1, `imported ${JSON.stringify(await importing)}\n`);
work.abort();
await remembering;
await graph[Symbol.asyncDispose]();
