/**
 * How long it takes to decide which login a call gets, with every source asked: a vault of 10,000 rows and a Chromium
 * profile of 3,000 cookies. `cache`: a login lent before, the browser unchanged. `vault`: not lent before in this
 * process, the browser unchanged and older. `browser`: the browser has changed, is read again, wins, and is stored. The
 * ancestor gives 58 ms for its first case, 1 ms for reading its vault and 20 ms for its browser, without a machine: those
 * are the targets. Here every case is one whole decision, and the floor beside each is what it cannot do without.
 */
import { utimesSync } from "node:fs";
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
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { META, TestVault } from "../test/support/test-vault.ts";
import { inTurns } from "./support/in-turns.ts";
import { report } from "./support/report.ts";

const ROWS = 10_000;
const COOKIES = 3000;
const DOMAINS = 300;

using folder = temporaryFolder("bench");
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
using browsers = createBrowsers({ env: process.env, platform: "linux" });

/** A profile nobody has just written to, as it usually is; `touched` is when its file says it changed. */
function chromium(name: string) {
  const profile = join(folder.path, name);
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

using files = new TestVault();
const vault = files.open();
const login = (domain: string) => JSON.stringify({ cookies: [cookie("name-0", domain, start)], gone: [] });
vault.putAll(
  Array.from({ length: ROWS }, (_, i) => {
    // Two logins the browser has an older copy of, the rest of other services; their values are as long.
    const domain = i < 2 ? `site${i}.com` : `service${i}.net`;
    const key = { domain, identifier: "@chrome/Default", itemType: "cookies" };
    return { key, value: Secret.fromText(login(domain)), meta: META };
  }),
);

await using expressions = createExpressions();
await using pool = new TransportPool();
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

await known.find({ connection: cached });
const times = await inTurns(
  {
    cacheFloor: async () => void (await quiet.provider.stamp()),
    cache: () => decide(known, cached, "cache"),
    vaultFloor: () => vault.find(key)?.value[Symbol.dispose](),
    vault: {
      // The browser's file is read once in a process; that is the last case's cost, not this one's.
      before: async () => {
        fresh = newLender();
        await fresh.find({ connection: stored, exclude: ["vault", "cache"], account: "nobody" });
      },
      run: () => decide(fresh, stored, "vault"),
    },
    browserFloor: { before: browse, run: async () => void (await busy.provider.cookies("site2.com")) },
    browser: { before: browse, run: () => decide(watching, browsed, "chrome/Default") },
  },
  { rounds: 201, warmUp: 30, seconds: 15 },
);

const atMost = (value: number) => ({ kind: "at most", value }) as const;
report({
  what: "a login lent before",
  unit: "ms",
  ours: times.cache,
  beside: { what: "looking whether the browser changed", samples: times.cacheFloor },
  target: atMost(58),
});
report({
  what: "a login of the vault, among 10,000",
  unit: "ms",
  ours: times.vault,
  beside: { what: "reading its row", samples: times.vaultFloor },
  target: atMost(1),
});
report({
  what: "a login of a browser that changed",
  unit: "ms",
  ours: times.browser,
  beside: { what: "reading its cookies", samples: times.browserFloor },
  target: atMost(20),
});
