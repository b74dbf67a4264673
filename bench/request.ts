/**
 * What Deputy adds to a request: a login is found, lent and sent, beside a bare call of the same transport with the same
 * headers, turn by turn on loopback. `cached` is a login this process has lent before, `vault` one it has not: found,
 * opened and read anew. Targets at the median: cached at most +1 ms, from the vault at most +2 ms.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createTransport, fetch } from "wreq-js";
import { connectionForm, createLender, loadConnection } from "../src/auth/index.ts";
import { createBrowsers } from "../src/browsers/index.ts";
import { Jar } from "../src/cookies/index.ts";
import { createExpressions } from "../src/expressions/index.ts";
import { createHttp, headers, readText, TransportPool } from "../src/http/index.ts";
import { Secret, systemClock } from "../src/kernel/index.ts";
import { META, TestVault } from "../test/support/test-vault.ts";
import { inTurns } from "./support/in-turns.ts";
import { report } from "./support/report.ts";

const BODY = JSON.stringify({
  results: Array.from({ length: 100 }, (_, id) => ({ id, title: `result ${id}` })),
});
const KEY = "a-key-that-is-masked-0123456789";

const server = createServer((_, response) => response.end(BODY));
await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
using _ = { [Symbol.dispose]: () => [server.close(), server.closeAllConnections()] };
const base = `http://app.bank.test:${(server.address() as AddressInfo).port}`;

const jar = new Jar();
for (let i = 0; i < 20; i++) jar.set(`name${i}=value-of-cookie-${i}; Path=/`, base);
const resolve = { "app.bank.test": ["127.0.0.1"] };
await using pool = new TransportPool();
const http = createHttp({ pool, clock: systemClock, resolveAddresses: async () => [], overrides: resolve });
await using expressions = createExpressions();
using files = new TestVault();
const vault = files.open();
const store = (itemType: string, value: unknown) => {
  using secret = Secret.fromText(JSON.stringify(value));
  vault.put({ domain: "bank.test", identifier: "ann", itemType }, secret, META);
};
store("cookies", { cookies: jar.all() });
store("api_key", { key: KEY });

/** As the engine has it: the machine's browsers are looked for and asked at every call. */
using browsers = createBrowsers({ env: process.env });
const lenders = () => createLender({ vault, clock: systemClock, http, pool, expressions, providers });
const providers = () =>
  browsers.list().map((profile) => {
    const reader = browsers.reader(profile);
    const cookies = async (domain: string) => ({ ...(await reader.read({ under: domain })), warnings: [] });
    const id = `${profile.browser}/${profile.profile}`;
    return { id, live: false, stamp: () => reader.stamp(), cookies };
  });
const connect = (auth: object) =>
  loadConnection(
    connectionForm.parse({ base_url: base, mode: "fetch", auth }),
    { skill: "bank", name: "web" },
    expressions,
  );
const byCookies = await connect({ type: "cookies", names: ["name1"] });
const byKey = await connect({
  type: "api_key",
  header: { "x-api-key": ".auth.key", authorization: '"Bearer \\(.auth.key)"' },
});
const known = lenders();

const transport = await createTransport({ browser: "chrome", os: "linux", trustStore: "mozilla", resolve });
const plain = headers({ waf: "cf" }).headers.map(([name, value]): [string, string] => [name, value]);
const bare = (more: [string, string][]) => async () => {
  const sent: [string, string][] = [...plain, ...more];
  const init = { transport, headers: sent, disableDefaultHeaders: true, redirect: "manual" } as const;
  await (await fetch(`${base}/api`, init)).text();
};
const ours = (lender: () => typeof known, connection: typeof byKey) => async () => {
  const loan = await lender().lend({ connection });
  await readText(await loan.send({ method: "GET", url: "/api", headers: [] }));
};

const times = await inTurns(
  {
    bareCookies: bare([["Cookie", jar.header(base)]]),
    cookiesCached: ours(() => known, byCookies),
    cookiesVault: ours(lenders, byCookies),
    bareKey: bare([
      ["X-Api-Key", KEY],
      ["Authorization", `Bearer ${KEY}`],
    ]),
    keyCached: ours(() => known, byKey),
    keyVault: ours(lenders, byKey),
  },
  { rounds: 1000, warmUp: 100, seconds: 12 },
);
await transport.close();

const cookies = { unit: "ms", beside: { what: "the same sent bare", samples: times.bareCookies } };
const key = { unit: "ms", beside: { what: "the same sent bare", samples: times.bareKey } };
const added = (value: number) => ({ kind: "added at most", value }) as const;
report({ what: "request with cookies, cached", ...cookies, ours: times.cookiesCached, target: added(1) });
report({ what: "request with cookies, vault", ...cookies, ours: times.cookiesVault, target: added(2) });
report({ what: "request with a key, cached", ...key, ours: times.keyCached, target: added(1) });
report({ what: "request with a key, vault", ...key, ours: times.keyVault, target: added(2) });
