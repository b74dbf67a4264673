/**
 * How long it takes to decide which login a call gets, with every source asked: a vault of 10,000 rows and a Chromium
 * profile of 3,000 cookies. `cache`: a login lent before, the browser unchanged. `vault`: not lent before in this
 * process, the browser unchanged and older. `browser`: the browser has changed, is read again, wins, and is stored. The
 * ancestor gives 58 ms for its first case, 1 ms for reading its vault and 20 ms for its browser, without a machine;
 * here every case is one whole decision, and the floor beside each is what it cannot do without. In turns, in one run.
 */
import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type CookieProvider, connectionForm, createLender, loadConnection } from "../src/auth/index.ts";
import { createBrowsers } from "../src/browsers/index.ts";
import { toWebKitTime } from "../src/chromium/index.ts";
import { parseCookie, type Unlabelled } from "../src/cookies/index.ts";
import { createExpressions } from "../src/expressions/index.ts";
import { createHttp, TransportPool } from "../src/http/index.ts";
import { Secret, systemClock } from "../src/kernel/index.ts";
import { writeChromiumProfile } from "../test/support/chromium-profile.ts";
import { META, TestVault } from "../test/support/test-vault.ts";

const ROWS = 10_000;
const COOKIES = 3000;
const DOMAINS = 300;
const ROUNDS = 201;
const WARM_UP = 30;
const LIMITS = { cache: 58, vault: 1, browser: 20 };

const folder = mkdtempSync(join(tmpdir(), "deputy-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const start = Date.now();
const cookie = (name: string, domain: string, at: number): Unlabelled =>
  parseCookie({
    name,
    value: "v".repeat(60),
    domain,
    expires: start + 30 * 86_400_000,
    created: at,
    updated: at,
  });
const cookies = Array.from({ length: COOKIES }, (_, i) =>
  cookie(`name-${Math.floor(i / DOMAINS)}`, `site${i % DOMAINS}.com`, start - 3_600_000 - i),
);
const browsers = createBrowsers({ env: process.env, platform: "linux" });

/** A profile nobody has just written to, as it usually is; `touched` is when its file says it changed. */
function chromium(name: string) {
  const profile = join(folder, name);
  const path = writeChromiumProfile(profile, cookies);
  const reader = browsers.reader(browsers.find({ browser: "chrome", profile }));
  const provider: CookieProvider = {
    id: "chrome/Default",
    live: false,
    stamp: () => reader.stamp(),
    cookies: async (domain) => ({ cookies: (await reader.read({ under: domain })).cookies, warnings: [] }),
  };
  const touched = (at: number) => utimesSync(path, at / 1000, at / 1000);
  touched(start - 3_600_000);
  return { path, provider, touched };
}
const quiet = chromium("Quiet");
const busy = chromium("Busy");

const files = new TestVault();
const vault = files.open();
const login = (domain: string) => JSON.stringify({ cookies: [cookie("name-0", domain, start)], gone: [] });
for (let i = 0; i < ROWS; i++) {
  // Two logins the browser has an older copy of, the rest of other services; their values are as long.
  const domain = i < 2 ? `site${i}.com` : `service${i}.net`;
  using value = Secret.fromText(login(domain));
  vault.put({ domain, identifier: "@chrome/Default", itemType: "cookies" }, value, META);
}

const expressions = createExpressions();
const pool = new TransportPool();
const http = createHttp({ pool, clock: systemClock, resolveAddresses: async () => [] });
const newLender = ({ provider } = quiet) =>
  createLender({ vault, clock: systemClock, http, pool, expressions, providers: () => [provider] });
const connect = (domain: string) =>
  loadConnection(
    connectionForm.parse({ base_url: `https://${domain}`, auth: { type: "cookies", names: ["name-0"] } }),
    { skill: "bench", name: domain },
    expressions,
  );
const [cached, stored, browsed] = await Promise.all(["site0.com", "site1.com", "site2.com"].map(connect));
if (cached === undefined || stored === undefined || browsed === undefined) throw new Error();

/** The person has browsed: one cookie of the site is newer than all we have. */
using db = new DatabaseSync(busy.path);
const touch = db.prepare(
  "UPDATE cookies SET last_update_utc = ? WHERE host_key = '.site2.com' AND name = 'name-0'",
);
let clicks = 0;
const browse = () => {
  touch.run(toWebKitTime(start + ++clicks * 1000));
  busy.touched(start - 3_000_000 + clicks * 1000);
};

const known = newLender();
const watching = newLender(busy);
const decide = async (lender: typeof known, connection: typeof cached, expected: string) => {
  const found = await lender.find({ connection });
  const from = found.kind === "lent" ? found.loan.provider : found.kind;
  if (from !== expected) throw new Error(`${from} instead of ${expected}`);
};
const key = { domain: "site1.com", identifier: "@chrome/Default", itemType: "cookies" };
let fresh = newLender();
const cases = {
  "cache floor": { call: async () => void (await quiet.provider.stamp()) },
  cache: { call: () => decide(known, cached, "cache") },
  "vault floor": { call: async () => vault.find(key)?.value[Symbol.dispose]() },
  vault: {
    // The browser's file is read once in a process; that is the last case's cost, not this one's.
    before: async () => {
      fresh = newLender();
      await fresh.find({ connection: stored, exclude: ["vault", "cache"], account: "nobody" });
    },
    call: () => decide(fresh, stored, "vault"),
  },
  "browser floor": {
    before: async () => browse(),
    call: async () => void (await busy.provider.cookies("site2.com")),
  },
  browser: { before: async () => browse(), call: () => decide(watching, browsed, "chrome/Default") },
};

await known.find({ connection: cached });
const times = new Map<string, number[]>();
for (let round = -WARM_UP; round < ROUNDS; round++) {
  for (const [name, one] of Object.entries(cases)) {
    if ("before" in one) await one.before();
    const from = performance.now();
    await one.call();
    if (round >= 0) times.getOrInsertComputed(name, () => []).push(performance.now() - from);
  }
}
await expressions[Symbol.asyncDispose]();
await pool[Symbol.asyncDispose]();
browsers[Symbol.dispose]();
files[Symbol.dispose]();

for (const list of times.values()) list.sort((a, b) => a - b);
const median = (name: string) => times.get(name)?.[Math.floor(ROUNDS / 2)] ?? 0;
const least = (name: string) => times.get(name)?.[0] ?? 0;
for (const [name, limit] of Object.entries(LIMITS)) {
  const met = median(name) <= limit;
  console.log(
    `${name.padEnd(8)} median ${median(name).toFixed(3)} ms, least ${least(name).toFixed(3)} ms; ` +
      `x${(median(name) / median(`${name} floor`)).toFixed(1)} of its floor (${median(`${name} floor`).toFixed(3)} ms); ` +
      `the ancestor's ${limit} ms: x${(limit / median(name)).toFixed(1)} as fast, ${met ? "met" : "MISSED"}`,
  );
  if (!met) process.exitCode = 1;
}
