/**
 * What MCP adds to a call of the engine: the tool `get` through `deputy mcp` (stdio) and `--http`, beside the same call on the
 * engine's own socket and a POST to a server that does nothing. Target: under 3 ms more at the median. And how much memory an
 * idle engine has.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { findEngine, openEngine, stopEngine } from "../src/engine/index.ts";

const ROUNDS = 400;
const TARGET_MS = 3;
const root = mkdtempSync(join(tmpdir(), "deputy-bench-"));
process.env["DEPUTY_HOME"] = join(root, "deputy");
const launcher = resolve(import.meta.dirname, "../bin/deputy");
const env = { PATH: process.env["PATH"] ?? "", HOME: root, DEPUTY_HOME: join(root, "deputy") };
const agent = { name: "bench" };

const engine = await openEngine({ via: "mcp", agent });
await sleep(2000);
const resident = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${engine.engine.pid}/status`, "utf8"))?.[1]) / 1024;
const idle = process.platform === "linux" ? resident() : undefined;
const { entity } = await engine.call("graph.create", { shape: "task", values: { name: "Bench" } });

const info = { name: "bench", version: "1" };
const stdio = new Client(info);
await stdio.connect(new StdioClientTransport({ command: process.execPath, args: [launcher, "mcp"], env }));
const serving = spawn(process.execPath, [launcher, "mcp", "--http", "0", "--json"], {
  env,
  stdio: ["ignore", "pipe", "inherit"],
});
let said = "";
for await (const line of createInterface({ input: serving.stdout })) {
  said += line;
  if (line === "}") break;
}
const { url, token } = JSON.parse(said) as { url: string; token: string };
const overHttp = async (pin?: string) => {
  const client = new Client(info, pin === undefined ? {} : { versionNegotiation: { mode: { pin } } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
};
const http = await overHttp();
const modern = await overHttp("2026-07-28");

const bare = spawn(
  process.execPath,
  [
    "-e",
    "require('http').createServer((q, r) => q.resume().on('end', () => r.end('{}'))).listen(0, '127.0.0.1', function () { console.log(this.address().port) })",
  ],
  { stdio: ["ignore", "pipe", "inherit"] },
);
const [port] = await once(createInterface({ input: bare.stdout }), "line");
const post = async () =>
  (await fetch(`http://127.0.0.1:${String(port)}/`, { method: "POST", body: JSON.stringify({ id }) })).text();

const { id } = entity;
const ways: Record<string, () => Promise<unknown>> = {
  "engine, get": () => engine.call("graph.get", { id }),
  "stdio, get": () => stdio.callTool({ name: "get", arguments: { id } }),
  "a bare POST, beside": post,
  "HTTP 2025-11-25, get": () => http.callTool({ name: "get", arguments: { id } }),
  "HTTP 2026-07-28, get": () => modern.callTool({ name: "get", arguments: { id } }),
};
const times = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]));
for (let round = -50; round < ROUNDS; round++) {
  for (const [name, call] of Object.entries(ways)) {
    const start = performance.now();
    await call();
    if (round >= 0) times.get(name)?.push(performance.now() - start);
  }
}

const at = (list: readonly number[], share: number) => list[Math.floor(list.length * share)] ?? 0;
let floor = 0;
for (const [name, list] of times) {
  list.sort((a, b) => a - b);
  const median = at(list, 0.5);
  if (floor === 0) floor = median;
  const over = median - floor;
  const verdict =
    over === 0 || name.startsWith("a bare")
      ? "floor"
      : `+${over.toFixed(2)} ms (target ${TARGET_MS}): ${over < TARGET_MS ? "met" : "MISSED"}`;
  console.log(
    `${name.padEnd(22)} p50 ${median.toFixed(2)} ms, p95 ${at(list, 0.95).toFixed(2)} ms  ${verdict}`,
  );
}
if (idle !== undefined)
  console.log(
    `engine, resident: ${idle.toFixed(0)} MB idle, ${resident().toFixed(0)} MB after ${(ROUNDS + 50) * 4} calls`,
  );

await Promise.all([stdio.close(), http.close(), modern.close()]);
serving.kill();
bare.kill();
engine[Symbol.dispose]();
const running = await findEngine({ via: "cli" });
if (running !== undefined) await stopEngine(running);
rmSync(root, { recursive: true, force: true });
