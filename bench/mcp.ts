/**
 * What MCP adds to a call of the engine: the tool `get` through `deputy mcp` (stdio) and `--http`, beside the same call on the
 * engine's own socket and a POST to a server that does nothing. Target: at most 3 ms more at the median. And how much memory
 * an idle engine has.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineClient } from "../src/engine/index.ts";
import { homePaths } from "../src/platform/index.ts";
import { launcher, TestHome } from "../test/support/deputy.ts";
import { inTurns } from "./support/in-turns.ts";
import { report } from "./support/report.ts";

await using home = new TestHome({ bare: true });
const env = home.environment();
await home.ok(["engine", "start"]);
const { socket } = homePaths({ DEPUTY_HOME: home.home });
const connected = await EngineClient.connect(socket, "mcp", { name: "bench" });
if (connected === undefined) throw new Error("the engine is not there");
using engine = connected;
const megabytes = async () => (await engine.call("engine.status", {})).memory_bytes / 1024 / 1024;
await sleep(2000);
const idle = await megabytes();
const { entity } = await engine.call("graph.create", { shape: "task", values: { name: "Bench" } });
const { id } = entity;

/** A program of ours or Node's that goes on until this ends. */
function serve(args: readonly string[]): Disposable & { child: ChildProcessByStdio<null, Readable, null> } {
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  return { child, [Symbol.dispose]: () => void child.kill() };
}

const info = { name: "bench", version: "1" };
await using clients = new AsyncDisposableStack();
const stdio = new Client(info);
await stdio.connect(new StdioClientTransport({ command: process.execPath, args: [launcher, "mcp"], env }));
clients.defer(() => stdio.close());
using serving = serve([launcher, "mcp", "--http", "0", "--json"]);
let said = "";
for await (const line of createInterface({ input: serving.child.stdout })) {
  said += line;
  if (line === "}") break;
}
const { url, token } = JSON.parse(said) as { url: string; token: string };
const overHttp = async (pin?: string) => {
  const client = new Client(info, pin === undefined ? {} : { versionNegotiation: { mode: { pin } } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  clients.defer(() => client.close());
  return client;
};
const http = await overHttp();
const modern = await overHttp("2026-07-28");

using bare = serve([
  "-e",
  "require('http').createServer((q, r) => q.resume().on('end', () => r.end('{}'))).listen(0, '127.0.0.1', function () { console.log(this.address().port) })",
]);
const [port] = await once(createInterface({ input: bare.child.stdout }), "line");

const tool = { name: "get", arguments: { id } };
const times = await inTurns(
  {
    engine: () => engine.call("graph.get", { id }),
    stdio: () => stdio.callTool(tool),
    post: async () => {
      const body = JSON.stringify({ id });
      await (await fetch(`http://127.0.0.1:${String(port)}/`, { method: "POST", body })).text();
    },
    http: () => http.callTool(tool),
    modern: () => modern.callTool(tool),
  },
  { rounds: 400, warmUp: 50, seconds: 10 },
);

const common = {
  unit: "ms",
  beside: { what: "the engine's own socket", samples: times.engine },
  target: { kind: "added at most", value: 3 },
} as const;
report({ what: "get, stdio", ...common, ours: times.stdio });
report({ what: "get, HTTP 2025-11-25", ...common, ours: times.http });
report({ what: "get, HTTP 2026-07-28", ...common, ours: times.modern });
const post = { what: "a bare POST", samples: times.post };
report({ what: "get, HTTP 2026-07-28", unit: "ms", ours: times.modern, beside: post });
report({ what: "memory of an idle engine", unit: "MB", ours: idle });
report({ what: "memory after these calls", unit: "MB", ours: await megabytes() });
