/**
 * Agents that open, tab and dispose at random while the browser is killed, and then the engine: no leaked context, process
 * or folder, no crossed cookie, no limit exceeded. The long form is 20 agents for 60 s with 5 kills of each.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { DeputyError } from "../../src/kernel/index.ts";
import { isRunning } from "../../src/platform/index.ts";
import { longForm, missing, seed as seedNumber, seededRandom } from "../support/fault-form.ts";
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

async function assertGone(left: () => number[]): Promise<void> {
  for (let tries = 0; tries < 200 && left().length > 0; tries++) await sleep(50);
  assert.deepEqual(left(), []);
}
