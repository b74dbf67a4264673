/**
 * One session's whole life (open, 200 cookies, a page, end) beside the same by bare DevTools calls in such a browser,
 * which verifies, prepares and accounts for nothing (the floor), and beside Playwright's `newContext` and `addCookies`;
 * what a session costs in memory with a tab at 1, 10 and 50, and asleep; and how many a second eight agents open.
 * Targets: at most 1.15 times the floor and below Playwright; 25 MB a session, 2 MB asleep.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { type Cookie, cookiesToCdp, parseCookie } from "../src/cookies/index.ts";
import { launchBrowser } from "../src/cdp/index.ts";
import { browserFlags } from "../src/sessions/browser/browser-flags.ts";
import { browserJail } from "../src/sessions/browser/browser-jail.ts";
import { headedUserAgent } from "../src/sessions/browser/likeness.ts";
import { findBrowserProgram } from "../src/sessions/browser/browser-program.ts";
import { readEnvironment } from "../src/platform/index.ts";
import { descendants } from "../test/support/process-memory.ts";
import { startSessionSite } from "../test/support/session-site.ts";
import { LIMITS, owner, request, seed, startSessions } from "../test/support/test-sessions.ts";
import { inTurns, timed } from "./support/in-turns.ts";
import { absent, report } from "./support/report.ts";

const AGENTS = 8;
const EACH = 4;
const env = readEnvironment();
const program = await findBrowserProgram(undefined, env).catch((error: unknown) => {
  absent("sessions", error instanceof Error ? error.message : String(error));
  process.exit();
});
const { signal } = new AbortController();
const cookies: Cookie[] = Array.from({ length: 200 }, (_, i) =>
  parseCookie({
    name: `name-${i % 20}`,
    value: "v".repeat(20 + ((i * 37) % 200)),
    domain: `site${i % 10}.test`,
    path: i < 20 ? "/" : `/p${i}`,
    hostOnly: i % 2 === 0,
    httpOnly: i % 3 === 0,
    expires: Date.now() + 86_400_000,
  }),
);

await using site = await startSessionSite();
await using held = startSessions();
const { sessions } = held;
held.limits = { ...LIMITS, concurrent: 100, perAgent: 100 };
const url = site.url("site1.test");
const source = { kind: "blank" } as const;
const wanted = (name: string, at?: string) =>
  request(owner("bench"), { source, name, url: at, seed: async () => seed({ cookies }) });
const me = owner("bench");

// Keeps the browser.
const kept = await sessions.open(wanted("kept"), signal);
const { browser } = await sessions.live(me, kept.id, signal);
const { path: executablePath } = program;
const settings = { env, home: held.folder, files: held.folder, headed: false, proxy: undefined };
const within = await browserJail({ ...settings, program: program.real });
const userData = within === undefined ? `${held.folder}/floor` : "/tmp/profile";
const resolve = { "*.test": ["127.0.0.1"] };
const userAgent = headedUserAgent(program.major);
await using beside = new AsyncDisposableStack();
const bareBrowser = await launchBrowser({
  program: executablePath,
  args: browserFlags({ ...settings, userData, userAgent, locale: "en-US", resolve }),
  env,
  ...(within === undefined ? {} : { within }),
});
beside.defer(() => bareBrowser.close());
const { connection } = bareBrowser;
const peer = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--host-resolver-rules=MAP *.test 127.0.0.1"],
  handleSIGINT: false,
  handleSIGTERM: false,
});
beside.defer(() => peer.close());

async function ours(): Promise<void> {
  const { id } = await sessions.open(wanted("timed", url), signal);
  await sessions.dispose(me, id);
}

/** The same calls, by hand, in another browser that was started the same way. */
async function floor(): Promise<void> {
  const { browserContextId } = await connection.call("Target.createBrowserContext", {
    disposeOnDetach: true,
  });
  await connection.call("Storage.setCookies", { cookies: cookiesToCdp(cookies).cookies, browserContextId });
  const { targetId } = await connection.call("Target.createTarget", { url: "about:blank", browserContextId });
  const attached = await connection.call("Target.attachToTarget", { targetId, flatten: true });
  const session = String(attached["sessionId"]);
  const loaded = Promise.withResolvers<void>();
  using _ = connection.on(session, ({ method }) => {
    if (method === "Page.loadEventFired") loaded.resolve();
  });
  await connection.call("Page.enable", {}, session);
  await connection.call("Page.navigate", { url }, session);
  await loaded.promise;
  await connection.call("Target.closeTarget", { targetId });
  await connection.call("Target.disposeBrowserContext", { browserContextId });
}

async function playwright(): Promise<void> {
  const context = await peer.newContext();
  await context.addCookies(
    cookies.map(({ name, value, domain, hostOnly, path, expires, httpOnly }) => {
      const its = hostOnly ? domain : `.${domain}`;
      return { name, value, domain: its, path, expires: (expires ?? 0) / 1000, httpOnly };
    }),
  );
  const page = await context.newPage();
  await page.goto(url);
  await context.close();
}

const times = await inTurns({ floor, ours, playwright }, { rounds: 21, warmUp: 3, seconds: 20 });
await beside.disposeAsync();
const life = { what: "open, 200 cookies, a page, end", unit: "ms", ours: times.ours };
report({
  ...life,
  beside: { what: "bare DevTools calls", samples: times.floor },
  target: { kind: "ratio at most", value: 1.15 },
});
report({
  ...life,
  beside: { what: "Playwright", samples: times.playwright },
  target: { kind: "ratio at most", value: 1 },
});

const agents = Array.from({ length: AGENTS }, (_, agent) => owner(`agent-${agent}`));
const together = await timed(() =>
  Promise.all(
    agents.map(async (who) => {
      for (let i = 0; i < EACH; i++) {
        const { id } = await sessions.open({ ...wanted(`n${i}`), owner: who }, signal);
        await sessions.dispose(who, id);
      }
    }),
  ),
);
const each = together / (AGENTS * EACH);
report({ what: `opened and ended by ${AGENTS} agents at once, no page, each`, unit: "ms", ours: each });

if (process.platform === "linux") await measureMemory();
else absent("memory of a session", "only Linux tells how much memory processes share");

async function measureMemory(): Promise<void> {
  const before = await settledMemory();
  const target = { kind: "at most", value: 25 } as const;
  let last = { count: 0, megabytes: before };
  for (const count of [1, 10, 50]) {
    for (let i = last.count; i < count; i++)
      await timed(async () => void (await sessions.open(wanted(`m${i}`, url), signal)));
    const megabytes = await settledMemory();
    const ours = (megabytes - last.megabytes) / (count - last.count);
    report({ what: `memory of each more with a tab, ${last.count} to ${count}`, unit: "MB", ours, target });
    last = { count, megabytes };
  }
  held.skipped = LIMITS.sleepMs + 1;
  await sessions.sweep();
  const ours = ((await settledMemory()) - before) / 50;
  report({ what: "memory of each of 50 asleep", unit: "MB", ours, target: { ...target, value: 2 } });
}

/** Once processes that are ending have ended. */
async function settledMemory(): Promise<number> {
  let least = memory();
  for (let still = 0; still < 4; ) {
    await sleep(750);
    const now = memory();
    still = now < least * 0.99 ? 0 : still + 1;
    least = Math.min(least, now);
  }
  return least;
}

/** The megabytes the browser's processes use, shared pages divided among them. */
function memory(): number {
  const pss = (pid: number) => {
    try {
      return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
    } catch {
      return 0; // ended meanwhile
    }
  };
  return descendants(browser.pid ?? 0).reduce((sum, pid) => sum + pss(pid), 0) / 1024;
}
