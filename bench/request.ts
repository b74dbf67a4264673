/**
 * What Deputy adds to a request with a cached identity: `send` with a lease and a jar of 20 cookies, beside a bare call
 * of the same transport with the same headers, turn by turn on loopback. Target: at most +1 ms at the median.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createTransport, fetch } from "wreq-js";
import { Jar } from "../src/cookies/index.ts";
import { createHttp, headers, type Lease, readText, TransportPool } from "../src/http/index.ts";
import { Secret, systemClock } from "../src/kernel/index.ts";

const ROUNDS = 1000;
const WARM_UP = 100;
const TARGET_MS = 1;
const BODY = JSON.stringify({
  results: Array.from({ length: 100 }, (_, id) => ({ id, title: `result ${id}` })),
});

const server = createServer((_, response) => {
  response.setHeader("set-cookie", "rotating=1; Path=/");
  response.end(BODY);
});
await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
const base = `http://app.bank.test:${(server.address() as AddressInfo).port}`;

const jar = new Jar();
for (let i = 0; i < 20; i++) jar.set(`name${i}=value-of-cookie-${i}; Path=/`, base);
const cookies = jar.header(base);
const resolve = { "app.bank.test": ["127.0.0.1"] };
const pool = new TransportPool();
const http = createHttp({ pool, clock: systemClock, resolveAddresses: async () => [], overrides: resolve });
const lease: Lease = {
  identity: { domain: "bank.test", identifier: "ann" },
  mode: "fetch",
  baseUrl: new URL(base),
  jar,
  credential: null,
  egress: { domain: "bank.test", hosts: [] },
  secrets: [Secret.fromText("a-session-token-that-is-masked-0123456789")],
  onJarChange: () => undefined,
};

const transport = await createTransport({ browser: "chrome", os: "linux", trustStore: "mozilla", resolve });
const plain = headers({ waf: "cf" }).headers.map(([name, value]): [string, string] => [name, value]);
const calls = {
  "bare transport": async () => {
    const response = await fetch(`${base}/api`, {
      transport,
      headers: [...plain, ["Cookie", cookies]],
      disableDefaultHeaders: true,
      redirect: "manual",
    });
    await response.text();
  },
  "deputy send": async () =>
    void (await readText(await http.send(lease, { method: "GET", url: "/api", headers: [] }))),
};

const times = new Map<string, number[]>();
for (let round = -WARM_UP; round < ROUNDS; round++) {
  for (const [name, call] of Object.entries(calls)) {
    const start = performance.now();
    await call();
    if (round >= 0) times.getOrInsertComputed(name, () => []).push(performance.now() - start);
  }
}
await pool[Symbol.asyncDispose]();
await transport.close();
server.close();
server.closeAllConnections();

const [floor = [], ours = []] = [...times.values()].map((list) => list.sort((a, b) => a - b));
const p50 = (list: number[]) => list[Math.floor(list.length / 2)] ?? 0;
for (const [name, list] of times)
  console.log(`${name.padEnd(16)} p50 ${p50(list).toFixed(3)} ms, least ${(list[0] ?? 0).toFixed(3)} ms`);
const over = p50(ours) - p50(floor);
const ratio = p50(ours) / p50(floor);
console.log(
  `+${over.toFixed(3)} ms at the median (x${ratio.toFixed(2)}), +${((ours[0] ?? 0) - (floor[0] ?? 0)).toFixed(3)} ms at least; ` +
    `target +${TARGET_MS} ms: ${over <= TARGET_MS ? "met" : "MISSED"}`,
);
process.exitCode = over <= TARGET_MS ? 0 : 1;
