/**
 * What a run of a skill costs beside a bare call of the same transport, turn by turn on loopback: everything real, from
 * finding the skill to the checked result. Targets at the median: declarative +5 ms, TypeScript in a host that waits
 * +8 ms, in one that has to start +100 ms. Then the same through a running engine's socket, fifty at once, and the
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

const ROUNDS = 200;
const CODE_ROUNDS = 30;
const WARM_UP = 20;
const AT_ONCE = 50;
const TARGETS = { declarative: 5, "declarative, jq": 5, "typescript, warm": 8, "typescript, cold": 100 };
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
console.log(`isolation ${jail.level}${jail.reason === undefined ? "" : `: ${jail.reason}`}`);
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

const megabytes = async () => Math.round((await client.call("engine.status", {})).memory_bytes / 1024 / 1024);
const before = await megabytes();

const asked = { skill: "bench", params: {}, caller: OWNER, signal: new AbortController().signal };
const search = { ...asked, operation: "search", params: { query: "Cats" } };
const code = { ...asked, operation: "code" };
const calls = {
  bare: async () => {
    const response = await fetch(`${base}/search?q=Cats&n=20`, {
      transport,
      headers: [...plain, ["x-api-key", KEY]],
      disableDefaultHeaders: true,
      redirect: "manual",
    });
    JSON.parse(await response.text());
  },
  declarative: () => all.runner.run(search),
  "declarative, jq": () => all.runner.run({ ...asked, operation: "sorted" }),
  "by socket": () =>
    client.call("run", {
      ...search,
      caller: undefined,
      signal: undefined,
      detail: "preview",
      format: "json",
    } as never),
  "typescript, warm": () => warm.run(code),
  "typescript, cold": () => cold.run(code),
};
type Name = keyof typeof calls;
const times = new Map<Name, number[]>();

async function take(name: Name, count: boolean): Promise<void> {
  const start = performance.now();
  await calls[name]();
  if (count) times.getOrInsertComputed(name, () => []).push(performance.now() - start);
}

for (let round = -WARM_UP; round < ROUNDS; round++)
  for (const name of ["bare", "declarative", "declarative, jq", "by socket"] as const)
    await take(name, round >= 0);
for (let round = -3; round < CODE_ROUNDS; round++) {
  await take("typescript, cold", round >= 0);
  await warmHosts.warm("typescript");
  await sleep(60); // the machine is still busy with the hosts it started
  await take("bare", false);
  await take("typescript, warm", round >= 0);
}

const sorted = (list: number[]) => list.sort((a, b) => a - b);
const at = (list: number[], share: number) =>
  list[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0;
const p50 = (name: Name) => at(sorted(times.get(name) ?? []), 0.5);
for (const [name, list] of times)
  console.log(
    `  ${name.padEnd(17)} p50 ${p50(name).toFixed(2)} ms, least ${(sorted(list)[0] ?? 0).toFixed(2)} ms`,
  );
let missed = false;
for (const name of Object.keys(TARGETS) as (keyof typeof TARGETS)[]) {
  const floor = p50("bare");
  const over = p50(name) - floor;
  const met = over <= TARGETS[name];
  missed ||= !met;
  const least = (sorted(times.get(name) ?? [])[0] ?? 0) - (sorted(times.get("bare") ?? [])[0] ?? 0);
  console.log(
    `  ${name}: +${over.toFixed(2)} ms (x${(p50(name) / floor).toFixed(1)}, at least +${least.toFixed(2)}); ` +
      `target +${TARGETS[name]}: ${met ? "met" : "MISSED"}`,
  );
}

for (const name of ["bare", "declarative", "declarative, jq", "by socket", "typescript, warm"] as const) {
  if (name === "typescript, warm") await warmHosts.warm("typescript");
  const each: number[] = [];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      await calls[name]();
      each.push(performance.now() - start);
    }),
  );
  const whole = performance.now() - start;
  console.log(
    `  ${AT_ONCE} at once, ${name}: ${Math.round((AT_ONCE / whole) * 1000)} a second, ` +
      `p50 ${at(sorted(each), 0.5).toFixed(0)} ms, p99 ${at(each, 0.99).toFixed(0)} ms`,
  );
}
const runs = ROUNDS + WARM_UP + AT_ONCE;
console.log(`  engine's memory: ${before} MB before its first run, ${await megabytes()} MB after ${runs}`);
await transport.close();
server.close();
server.closeAllConnections();
process.exitCode = missed ? 1 : 0;
