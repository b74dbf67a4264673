/**
 * Agents that open, tab and dispose at random while the browser is killed, and then the engine: no leaked context, process
 * or folder, no crossed cookie, no limit exceeded.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { DeputyError } from "../../src/kernel/index.ts";
import { isRunning } from "../../src/platform/index.ts";
import { did, longForm, missing, Rounds, seed as seedNumber, seededRandom } from "../support/fault-form.ts";
import { stdioClient, textOf } from "../support/mcp/mcp-clients.ts";
import { descendants } from "../support/process-memory.ts";
import { noChromium } from "../support/real-chromium.ts";
import { startSessionSite } from "../support/session-site.ts";
import { owner, request, startSessions } from "../support/test-sessions.ts";
import { TestHome } from "../support/deputy.ts";

const AGENTS = longForm ? 20 : 6;
/** Between kills: more agents take longer to begin again. */
const BETWEEN_MS = longForm ? 10_000 : 2_000;
const EXPECTED = new Set([
  "ENGINE_BUSY",
  "NOT_FOUND",
  "CANCELLED",
  "PROTOCOL",
  "NETWORK_FAILED",
  "UNSUPPORTED",
  "TIMEOUT",
]);
const { signal } = new AbortController();
const skip = noChromium || (process.platform === "linux" ? false : "processes are counted in /proc");

test(`agents at random, the browser killed: nothing leaks and nothing crosses (seed ${seedNumber})`, {
  skip,
}, async (t) => {
  const random = seededRandom(seedNumber);
  await using site = await startSessionSite();
  await using held = startSessions();
  const { sessions } = held;
  held.limits = { ...held.limits, concurrent: 5, perAgent: 2 };
  const before = new Set(descendants());
  const over = new AbortController();
  let most = 0;
  let opened = 0;
  const watching = setInterval(() => (most = Math.max(most, sessions.count)), 5);

  async function agent(name: string): Promise<void> {
    const who = owner(name);
    while (!over.signal.aborted) {
      try {
        const source = { kind: "blank" } as const;
        const url = random() < 0.5 ? { url: site.url("shop.test", `/set?who=${name}`) } : {};
        const seed = async () => ({
          cookies: [],
          origins: [],
          storageOf: async () => undefined,
          warnings: [],
        });
        const named = { source, seed, name: String(Math.floor(random() * 2)), ...url };
        const { id } = await sessions.open(request(who, named), signal);
        opened++;
        if (random() < 0.5) await sessions.tab(who, id, site.url("shop.test", `/seen-by-${name}`), signal);
        if (random() < 0.8) await sessions.dispose(who, id);
      } catch (error) {
        assert.ok(error instanceof DeputyError && EXPECTED.has(error.code), String(error));
      }
      await sleep(random() * 50);
    }
    for (const { id } of await sessions.list(who)) await sessions.dispose(who, id);
  }

  let killed = 0;
  async function killer(): Promise<void> {
    for (const _ of new Rounds({ short: 1, long: 5, share: 0.4 })) {
      await sleep(BETWEEN_MS);
      const all = owner("owner", { seesAll: true });
      const [some] = (await sessions.list(all)).filter(({ state }) => state === "open");
      const live = some && (await sessions.live(all, some.id, signal).catch(() => undefined));
      const pid = live?.browser.pid;
      if (typeof pid !== "number") continue;
      process.kill(pid, "SIGKILL");
      killed++;
    }
    await sleep(BETWEEN_MS);
    over.abort();
  }

  const names = Array.from({ length: AGENTS }, (_, i) => `agent${i}`);
  await Promise.all([...names.map(agent), killer()]);
  clearInterval(watching);
  assert.ok(opened > 0);
  assert.ok(most <= 5, `${most} sessions at once`);
  for (const { path, headers } of site.requests) {
    const [, who] = /^\/seen-by-(\w+)$/.exec(path) ?? [];
    if (who !== undefined) assert.match(headers.cookie ?? `who=${who}`, new RegExp(`^who=${who}$`));
  }
  assert.equal(sessions.count, 0);
  const last = await sessions.open(request(owner("last")), signal);
  const { connection, contextId } = await sessions.live(owner("last"), last.id, signal);
  const { browserContextIds } = await connection.call("Target.getBrowserContexts");
  assert.deepEqual(browserContextIds, [contextId], "no context is left in the browser");
  await sessions.dispose(owner("last"), last.id);
  assert.deepEqual(readdirSync(join(held.folder, "sessions", "files")), []);
  held.skipped += 60_000;
  await sessions.sweep();
  await assertGone(() => descendants().filter((pid) => !before.has(pid)));
  did(t, { "sessions opened": opened, "browsers killed": killed }, { leaked: 0, crossed: 0 });
});

test("a killed engine takes its browser along, and the next one cleans what it left", {
  skip: skip || missing("bwrap"),
}, async (t) => {
  await using home = new TestHome();
  await home.ok(["setup", "--key", "file", "--yes"]);
  const kills = new Rounds({ short: 1, long: 5, share: 0.1 });
  for (const _ of kills) {
    const { id } = (await home.ok(["session", "open", "--blank", "--json"])).json();
    const pid = (await home.enginePid()) ?? 0;
    const processes = descendants(pid);
    assert.ok(processes.length > 2);
    assert.ok(existsSync(join(home.home, "sessions", `${id}.json`)));
    process.kill(pid, "SIGKILL");
    await assertGone(() => processes.filter(isRunning));
    assert.deepEqual((await home.ok(["session", "list", "--json"])).json(), []);
    assert.ok(!existsSync(join(home.home, "sessions", `${id}.json`)));
  }
  did(t, { "engines killed": kills.count }, { leaked: 0 });
});

test(`agents at random over MCP, the engine and the browser killed in turns (seed ${seedNumber})`, {
  skip: skip || missing("bwrap"),
}, async (t) => {
  const random = seededRandom(seedNumber);
  await using site = await startSessionSite();
  await using home = new TestHome();
  mkdirSync(home.home, { recursive: true, mode: 0o700 });
  const most = 5;
  const settings = `sessions: {concurrent: ${most}, per_agent: 2, grace_seconds: 1}`;
  writeFileSync(join(home.home, "config.yaml"), `resolve: {shop.test: 127.0.0.1}\n${settings}\n`);
  await home.ok(["setup", "--key", "file", "--yes"]);
  const over = new AbortController();
  const left = new Set<number>();
  let opened = 0;
  let seen = 0;

  async function agent(name: string): Promise<void> {
    await using client = await stdioClient(home, { name });
    const call = async (tool: string, given: Record<string, unknown>) => {
      const done = await client.callTool({ name: tool, arguments: given });
      const [, code] = /\(code: (\w+)\)/.exec(textOf(done)) ?? [];
      if (done.isError === true)
        assert.ok(EXPECTED.has(code ?? "") || code?.startsWith("ENGINE_"), textOf(done));
      return done.isError === true ? undefined : (done.structuredContent as any);
    };
    while (!over.signal.aborted) {
      const own = String(Math.floor(random() * 2));
      const url = site.url("shop.test", `/set?who=${name}`);
      const session = await call("session_open", {
        blank: true,
        name: own,
        ...(random() < 0.5 ? { url } : {}),
      });
      if (session !== undefined) opened++;
      if (session !== undefined && random() < 0.5)
        await call("session_tab", { session: session.id, url: site.url("shop.test", `/seen-by-${name}`) });
      if (session !== undefined && random() < 0.8) await call("session_dispose", { session: session.id });
      await sleep(random() * 100);
    }
  }

  let killed = 0;
  async function killer(): Promise<void> {
    for (const kill of new Rounds({ short: 2, long: 10, share: 0.4 })) {
      await sleep(BETWEEN_MS / 2 + 1_500);
      const engine = await home.enginePid().catch(() => undefined);
      if (engine === undefined) continue;
      const below = descendants(engine);
      for (const pid of [engine, ...below]) left.add(pid);
      const browser = below.find((pid) => commandOf(pid).includes("--remote-debugging-pipe"));
      const victim = kill % 2 === 0 ? engine : browser;
      if (victim === undefined) continue;
      process.kill(victim, "SIGKILL");
      killed++;
    }
    await sleep(BETWEEN_MS / 2 + 1_500);
    over.abort();
  }

  async function counter(): Promise<void> {
    while (!over.signal.aborted) {
      const ran = await home.run(["session", "list", "--json"]);
      if (ran.status === 0) {
        const live = ran.json().filter(({ state }: { state: string }) => state !== "lost");
        seen = Math.max(seen, live.length);
      }
      await sleep(200);
    }
  }

  const names = Array.from({ length: AGENTS }, (_, i) => `agent${i}`);
  await Promise.all([...names.map(agent), killer(), counter()]);
  assert.ok(opened > 0);
  assert.ok(seen <= most, `${seen} sessions at once`);
  for (const { path, headers } of site.requests) {
    const [, who] = /^\/seen-by-(\w+)$/.exec(path) ?? [];
    if (who !== undefined) assert.match(headers.cookie ?? `who=${who}`, new RegExp(`^who=${who}$`));
  }
  // Their clients have left: a second later so have they, and nothing of the killed is there.
  const listed = async (): Promise<unknown[]> => (await home.ok(["session", "list", "--json"])).json();
  for (let tries = 0; tries < 50 && (await listed()).length > 0; tries++) await sleep(100);
  assert.deepEqual(await listed(), []);
  assert.deepEqual(readdirSync(join(home.home, "sessions", "files")), []);
  const now = (await home.enginePid()) ?? 0;
  for (const pid of [now, ...descendants(now)]) left.delete(pid);
  await assertGone(() => [...left].filter(isRunning));
  did(t, { "sessions opened": opened, "engines and browsers killed": killed }, { leaked: 0, crossed: 0 });
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

async function assertGone(left: () => number[]): Promise<void> {
  for (let tries = 0; tries < 200 && left().length > 0; tries++) await sleep(50);
  assert.deepEqual(left(), []);
}
