/**
 * What a run of a skill costs beside a bare call of the same transport, turn by turn on loopback: everything real, from
 * finding the skill to the checked result. Targets at the median: declarative +5 ms, TypeScript in a host that waits
 * +8 ms, in one that has to start +100 ms. Also the same through a running engine's socket, fifty at once, and the
 * engine's memory.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createTransport, fetch } from "wreq-js";
import { EngineClient } from "../src/engine/index.ts";
import { headers } from "../src/http/index.ts";
import { createRunner, HostPool } from "../src/skills/index.ts";
import { TestHome } from "../test/support/deputy.ts";
import { writeSkill } from "../test/support/skill-folder.ts";
import { OWNER, TestRunner } from "../test/support/test-runner.ts";
import { inTurns, timed } from "./support/in-turns.ts";
import { report } from "./support/report.ts";

const AT_ONCE = 50;
const KEY = "a-key-that-is-masked-0123456789";

const body = JSON.stringify({
  results: Array.from({ length: 20 }, (_, id) => ({
    id,
    title: `result ${id}`,
    url: `https://a.test/${id}`,
    published: "2026-01-01",
  })),
});
const server = createServer((_, response) =>
  response.setHeader("content-type", "application/json").end(body),
);
await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
using _ = { [Symbol.dispose]: () => [server.close(), server.closeAllConnections()] };
const base = `http://api.bench.test:${(server.address() as AddressInfo).port}`;

const files = {
  "skill.yaml": `id: bench
name: Bench
description: Searches
connections: { api: { base_url: "${base}", auth: { type: api_key, header: { x-api-key: .auth.key } } } }
operations:
  search:
    description: Search
    returns: "webpage[]"
    params: { query: { type: string, required: true }, limit: { type: integer, default: 20 } }
    rest:
      url: /search
      query: { q: .params.query, n: .params.limit }
      headers: { x-trace: '"q-" + (.params.query | ascii_downcase)' }
      response: { transform: "[.results[] | {id, name: .title, url, published}]" }
  sorted:
    description: What only jq itself evaluates, in the request and in the answer
    returns: "webpage[]"
    rest:
      url: /search
      query: { q: '"Cats" | gsub("[^a-z]"; "-"; "i")' }
      response: { transform: "[.results | sort_by(.title)[] | {id, name: .title, url, published}]" }
  code: { description: Code, returns: "webpage[]", effect: read, typescript: { module: ./bench.ts, function: search } }
`,
  "bench.ts": `export async function search({ http }: { http: any }) {
  return (await http.get("/search")).json().results.map(({ id, title, url }: any) => ({ id, name: title, url }));
}
`,
};

await using all = await TestRunner.open(["api.bench.test"]);
all.skill("bench", files);
all.desk.store("bench.test", "joe", "api_key", { key: KEY });
await all.grant("bench", "bench.test");
const { jail } = all;
await using warmHosts = new HostPool({ jail, node: process.execPath });
await using coldHosts = new HostPool({ jail, node: process.execPath, size: 0 });
const warm = createRunner({ ...all.parts, hosts: async () => warmHosts });
const cold = createRunner({ ...all.parts, hosts: async () => coldHosts });

const transport = await createTransport({
  browser: "chrome",
  os: "linux",
  trustStore: "mozilla",
  resolve: { "api.bench.test": ["127.0.0.1"] },
});
const plain = headers({}).headers.map(([name, value]): [string, string] => [name, value]);

await using home = new TestHome();
mkdirSync(home.home, { recursive: true, mode: 0o700 });
writeFileSync(join(home.home, "config.yaml"), "resolve: { api.bench.test: 127.0.0.1 }\n", { mode: 0o600 });
writeSkill(join(home.home, "skills/bench"), files);
await home.ok(["setup", "--key", "file", "--yes", "--json"]);
await home.set("bench.test", "joe", "api_key", { key: KEY });
await home.ok(["grants", "add", "--skill", "bench", "--identity", "bench.test", "--json"]);
const connected = await EngineClient.connect(join(home.home, "run/engine.sock"), "cli");
if (connected === undefined) throw new Error("the engine is not there");
using client = connected;

const megabytes = async () => (await client.call("engine.status", {})).memory_bytes / 1024 / 1024;
const before = await megabytes();

const asked = { skill: "bench", params: {}, caller: OWNER, signal: new AbortController().signal };
const search = { ...asked, operation: "search", params: { query: "Cats" } };
const code = { ...asked, operation: "code" };
const bare = async () => {
  const response = await fetch(`${base}/search?q=Cats&n=20`, {
    transport,
    headers: [...plain, ["x-api-key", KEY]],
    disableDefaultHeaders: true,
    redirect: "manual",
  });
  JSON.parse(await response.text());
};
const declarative = () => all.runner.run(search);
const jq = () => all.runner.run({ ...asked, operation: "sorted" });
const { skill, operation, params } = search;
const socket = () => client.call("run", { skill, operation, params, detail: "preview", format: "json" });
const typescript = () => warm.run(code);

const times = await inTurns({ bare, declarative, jq, socket }, { rounds: 200, warmUp: 20, seconds: 10 });
const inHosts = await inTurns(
  {
    cold: () => cold.run(code),
    bare: {
      before: async () => {
        await warmHosts.warm("typescript");
        await sleep(60); // the machine is still busy with the hosts it started
      },
      run: bare,
    },
    warm: typescript,
  },
  { rounds: 30, warmUp: 3, seconds: 12 },
);

const added = (value: number) => ({ kind: "added at most", value }) as const;
const ones = { unit: "ms", beside: { what: "a bare call", samples: times.bare } };
report({ what: "declarative run", ...ones, ours: times.declarative, target: added(5) });
report({ what: "declarative run, jq on both sides", ...ones, ours: times.jq, target: added(5) });
report({ what: "declarative run through the engine's socket", ...ones, ours: times.socket });
const coded = { unit: "ms", beside: { what: "a bare call", samples: inHosts.bare } };
report({ what: "TypeScript run, warm host", ...coded, ours: inHosts.warm, target: added(8) });
report({ what: "TypeScript run, cold host", ...coded, ours: inHosts.cold, target: added(100) });

const atOnce = (call: () => Promise<unknown>) =>
  timed(async () => void (await Promise.all(Array.from({ length: AT_ONCE }, call))));
const beside = { what: `${AT_ONCE} bare calls`, samples: [await atOnce(bare)] };
for (const [what, call] of Object.entries({ declarative, "declarative, jq": jq, socket, typescript })) {
  if (call === typescript) await warmHosts.warm("typescript");
  report({ what: `${AT_ONCE} at once, ${what}`, unit: "ms", ours: await atOnce(call), beside });
}
report({ what: "engine's memory before its first run", unit: "MB", ours: before });
report({ what: "engine's memory after these runs", unit: "MB", ours: await megabytes() });
await transport.close();
