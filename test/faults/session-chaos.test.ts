/**
 * Agents that open, tab and dispose at random while the browser is killed, and then the engine: no leaked context, process
 * or folder, no crossed cookie, no limit exceeded. The long form is 20 agents for 60 s with 5 kills of each.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { DeputyError } from "../../src/kernel/index.ts";
import { isRunning } from "../../src/platform/index.ts";
import { longForm, missing, seed as seedNumber, seededRandom } from "../support/fault-form.ts";
import { stdioClient, textOf } from "../support/mcp/mcp-clients.ts";
import { descendants } from "../support/process-memory.ts";
import { noChromium } from "../support/real-chromium.ts";
import { startSessionSite } from "../support/session-site.ts";
import { owner, request, startSessions } from "../support/test-sessions.ts";
import { TestHome } from "../support/deputy.ts";

const FORM = longForm ? { agents: 20, ms: 60_000, kills: 5 } : { agents: 6, ms: 4_000, kills: 1 };
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
}, async () => {
  const random = seededRandom(seedNumber);
  await using site = await startSessionSite();
  await using held = startSessions();
  const { sessions } = held;
  held.limits = { ...held.limits, concurrent: 5, perAgent: 2 };
  const before = new Set(descendants());
  const until = Date.now() + FORM.ms;
  let most = 0;
  let opened = 0;
  const watching = setInterval(() => (most = Math.max(most, sessions.count)), 5);

  async function agent(name: string): Promise<void> {
    const who = owner(name);
    while (Date.now() < until) {
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

  async function killer(): Promise<void> {
    for (let kill = 0; kill < FORM.kills; kill++) {
      await sleep(FORM.ms / (FORM.kills + 1));
      const all = owner("owner", { seesAll: true });
      const [some] = (await sessions.list(all)).filter(({ state }) => state === "open");
      const live = some && (await sessions.live(all, some.id, signal).catch(() => undefined));
      const pid = live?.browser.pid;
      if (typeof pid === "number") process.kill(pid, "SIGKILL");
    }
  }

  const names = Array.from({ length: FORM.agents }, (_, i) => `agent${i}`);
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
});

test("a killed engine takes its browser along, and the next one cleans what it left", {
  skip: skip || missing("bwrap"),
}, async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--key", "file", "--yes"]);
  for (let kill = 0; kill < FORM.kills; kill++) {
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
});

test(`agents at random over MCP, the engine and the browser killed in turns (seed ${seedNumber})`, {
  skip: skip || missing("bwrap"),
}, async () => {
  const random = seededRandom(seedNumber);
  await using site = await startSessionSite();
  await using home = new TestHome();
  mkdirSync(home.home, { recursive: true, mode: 0o700 });
  const most = 5;
  const settings = `sessions: {concurrent: ${most}, per_agent: 2, grace_seconds: 1}`;
  writeFileSync(join(home.home, "config.yaml"), `resolve: {shop.test: 127.0.0.1}\n${settings}\n`);
  await home.ok(["setup", "--key", "file", "--yes"]);
  const until = Date.now() + FORM.ms + 4_000;
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
    while (Date.now() < until) {
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

  async function killer(): Promise<void> {
    for (let kill = 0; kill < 2 * FORM.kills; kill++) {
      await sleep((until - Date.now()) / (2 * FORM.kills - kill + 1));
      const engine = await home.enginePid().catch(() => undefined);
      if (engine === undefined) continue;
      const below = descendants(engine);
      for (const pid of [engine, ...below]) left.add(pid);
      const browser = below.find((pid) => commandOf(pid).includes("--remote-debugging-pipe"));
      const victim = kill % 2 === 0 ? engine : browser;
      if (victim !== undefined) process.kill(victim, "SIGKILL");
    }
  }

  async function counter(): Promise<void> {
    while (Date.now() < until) {
      const ran = await home.run(["session", "list", "--json"]);
      if (ran.status === 0) {
        const live = ran.json().filter(({ state }: { state: string }) => state !== "lost");
        seen = Math.max(seen, live.length);
      }
      await sleep(200);
    }
  }

  const names = Array.from({ length: FORM.agents }, (_, i) => `agent${i}`);
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
