import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { CookieChange } from "../cookies/index.ts";
import { isRunning } from "../platform/index.ts";
import { noChromium, startChromium } from "../../test/support/real-chromium.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { startSessionSite } from "../../test/support/session-site.ts";
import {
  HOUR,
  inPage,
  owner,
  request,
  sessionsWith,
  startSessions,
} from "../../test/support/test-sessions.ts";

const skip = noChromium;
const { signal } = new AbortController();
const all = sessionsWith(startSessionSite);

test("an idle session falls asleep without tabs, wakes with them, and ends when nobody comes", {
  skip,
}, async () => {
  const { sessions } = all.held;
  const a = owner("sleepy");
  const url = all.site.url("shop.test");
  const { id } = await sessions.open(request(a, { url }), signal);
  await sessions.tab(a, id, all.site.url("shop.test", "/set?kept=1"), signal);
  all.held.skipped += HOUR + 1;
  await sessions.sweep();
  const [asleep] = await sessions.list(a);
  assert.deepEqual([asleep?.state, asleep?.tabs.length, sessions.count], ["asleep", 0, 1]);
  const before = all.site.requests.length;
  await sessions.tab(a, id, url, signal);
  const [awake] = await sessions.list(a);
  assert.deepEqual([awake?.state, awake?.tabs.length], ["open", 3]);
  assert.match(String(all.site.requests.at(before)?.headers.cookie), /sid=canary.*; kept=1/);
  using _client = (await sessions.live(a, id, signal)).hold();
  all.held.skipped += 3 * HOUR;
  await sessions.sweep();
  assert.equal((await sessions.list(a)).length, 1, "not while a client is connected");
  _client[Symbol.dispose]();
  all.held.skipped += 3 * HOUR;
  await sessions.sweep();
  assert.deepEqual([await sessions.list(a), sessions.count], [[], 0]);
});

test("a session ends with its connection after the grace; one of a command does not", { skip }, async () => {
  const { sessions } = all.held;
  const [mcp, cli] = [owner("mcp"), owner("cli", { bound: false })];
  await sessions.open(request(mcp), signal);
  const kept = await sessions.open(request(cli), signal);
  sessions.left(mcp);
  sessions.left(cli);
  await sessions.sweep();
  assert.equal(sessions.count, 2);
  all.held.skipped += HOUR;
  await sessions.sweep();
  assert.deepEqual([(await sessions.list(mcp)).length, (await sessions.list(cli)).length], [0, 1]);
  await sessions.dispose(cli, kept.id);
});

test("two clones of a login whose token rotates are told of it, and write-back keeps what was renewed", {
  skip,
}, async () => {
  const { sessions } = all.held;
  const [a, b] = [owner("a"), owner("b")];
  const kept: CookieChange[] = [];
  const writeBack = {
    domain: "shop.test",
    deletions: false,
    keep: async (all: readonly CookieChange[]) => void kept.push(...all),
  };
  const seedOf = request(a).seed;
  const hostOnly = async (its: AbortSignal) => {
    const seed = await seedOf(its);
    return { ...seed, cookies: seed.cookies.map((cookie) => ({ ...cookie, hostOnly: true })) };
  };
  const first = await sessions.open(request(a, { writeBack, seed: hostOnly }), signal);
  const second = await sessions.open(request(b, { seed: hostOnly }), signal);
  await sessions.sweep();
  assert.equal(kept.length, 0);
  await sessions.tab(a, first.id, all.site.url("shop.test", "/rotate"), signal);
  await sessions.sweep();
  const values = kept.map((change) => (change.kind === "set" ? change.cookie.value : ""));
  assert.match(values.join(), /^rotated-\d+$/);
  for (const [who, id] of [
    [a, first.id],
    [b, second.id],
  ] as const) {
    const view = (await sessions.list(who)).find((one) => one.id === id);
    assert.match(view?.report.warnings.join() ?? "", /sid of shop\.test was renewed in one of the sessions/);
  }
  const live = await sessions.live(a, first.id, signal);
  await live.connection.call("Storage.clearCookies", { browserContextId: live.contextId });
  await sessions.sweep();
  assert.equal(kept.length, 1, "an agent's logout does not log the person out");
  await sessions.dispose(a, first.id);
  await sessions.dispose(b, second.id);
});

test("a session whose cookies nobody takes back says so, and the others are looked after all the same", {
  skip,
}, async () => {
  const { sessions } = all.held;
  const [a, b] = [owner("full disk"), owner("sleeper")];
  const keep = () => Promise.reject(new Error("the disk is full"));
  const writeBack = { domain: "shop.test", deletions: false, keep };
  const first = await sessions.open(request(a, { writeBack }), signal);
  await sessions.tab(a, first.id, all.site.url("shop.test", "/rotate"), signal);
  const second = await sessions.open(request(b, { url: all.site.url("shop.test") }), signal);
  all.held.skipped += HOUR + 1;
  await sessions.sweep();
  assert.match((await sessions.list(a))[0]?.report.warnings.join() ?? "", /could not be taken back/);
  assert.equal((await sessions.list(b))[0]?.state, "asleep");
  await sessions.dispose(a, first.id);
  await sessions.dispose(b, second.id);
});

test("a browser that dies is noticed and said; the session is opened again from its source", {
  skip,
}, async () => {
  const { sessions } = all.held;
  const a = owner("crash");
  const { id } = await sessions.open(request(a, { url: all.site.url("shop.test") }), signal);
  const { browser, ended } = await sessions.live(a, id, signal);
  process.kill(browser.pid ?? 0, "SIGKILL");
  await ended;
  const [lost] = await sessions.list(a);
  assert.deepEqual([lost?.state, sessions.count], ["lost", 0]);
  assert.match(lost?.report.warnings.join() ?? "", /browser ended/);
  await assert.rejects(sessions.tab(a, id, "about:blank", signal), {
    code: "NOT_FOUND",
    message: /browser ended/,
  });
  const again = await sessions.open(request(a, { url: all.site.url("shop.test") }), signal);
  assert.notEqual(again.id, id);
  assert.equal(again.tabs.length, 1);
  assert.ok(!existsSync(join(all.held.folder, "sessions", `${id}.json`)));
  await sessions.dispose(a, again.id);
});

test("the browser sees no file of the owner's, and is gone with its last session", { skip }, async () => {
  const { sessions } = all.held;
  const a = owner("files");
  const { id } = await sessions.open(request(a, { url: all.site.url("shop.test") }), signal);
  const live = await sessions.live(a, id, signal);
  const { browser, connection, contextId } = live;
  if (browser.warnings.length === 0 && process.platform === "linux") {
    writeFileSync(join(all.held.folder, "secret.txt"), "canary-of-a-file");
    const page = await browser.targets.create(contextId);
    await connection.call("Page.navigate", { url: `file://${all.held.folder}/secret.txt` }, page.session);
    await sleep(200);
    const { root } = await connection.call("DOM.getDocument", { depth: -1 }, page.session);
    assert.ok(!JSON.stringify(root).includes("canary-of-a-file"));
  }
  assert.equal(await inPage(live, "1 + 1"), 2);
  await sessions.dispose(a, id);
  await sessions.sweep();
  assert.ok(isRunning(browser.pid ?? 0), "a moment for the next one");
  all.held.skipped += 60_000;
  await sessions.sweep();
  for (let tries = 0; tries < 100 && isRunning(browser.pid ?? 0); tries++) await sleep(50);
  assert.ok(!isRunning(browser.pid ?? 0));
});

test("in a browser the owner runs, sessions leave its own tabs alone and nothing behind", {
  skip,
}, async () => {
  using folder = temporaryFolder("endpoint");
  await using person = await startChromium({
    userData: folder.path,
    args: ["--remote-debugging-port=0", "--remote-debugging-address=127.0.0.1"],
  });
  await person.visit(all.site.url("shop.test", "/set?own=1"));
  const port = await portOf(folder.path);
  await using guest = startSessions(undefined, { endpoint: `http://127.0.0.1:${port}` });
  const a = owner("guest");
  const { tabs } = await guest.sessions.open(
    request(a, { url: all.site.url("shop.test", "/guest") }),
    signal,
  );
  assert.equal(tabs.length, 1);
  assert.equal(
    all.site.requests.find(({ path }) => path === "/guest")?.headers.cookie,
    "sid=canary-of-a-cloned-login",
  );
  await person.visit(all.site.url("shop.test", "/person"));
  assert.equal(all.site.requests.find(({ path }) => path === "/person")?.headers.cookie, "own=1");
  await guest[Symbol.asyncDispose]();
  for (let tries = 0; tries < 100; tries++) {
    const { browserContextIds } = await person.connection.call("Target.getBrowserContexts");
    if (Array.isArray(browserContextIds) && browserContextIds.length === 0) return;
    await sleep(50);
  }
  assert.fail("a context was left");
});

async function portOf(userData: string): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    const file = join(userData, "DevToolsActivePort");
    if (existsSync(file)) return readFileSync(file, "utf8").split("\n")[0] ?? "";
    await sleep(50);
  }
  throw new Error("the browser opened no port");
}

test("what a killed engine left is removed at the next start", async () => {
  const before = startSessions();
  const folder = join(before.folder, "sessions");
  mkdirSync(join(folder, "files", "session_old"), { recursive: true });
  mkdirSync(join(folder, "profiles", "profile_old"), { recursive: true });
  writeFileSync(join(folder, "session_old.json"), "{cut");
  const after = startSessions(before.folder);
  assert.deepEqual(readdirSync(folder), []);
  await after[Symbol.asyncDispose]();
  await before[Symbol.asyncDispose]();
});
