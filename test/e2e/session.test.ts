import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parseCookie } from "../../src/cookies/index.ts";
import { writeChromiumProfile } from "../support/chromium-profile.ts";
import { TestHome } from "../support/deputy.ts";
import { stdioClient, textOf } from "../support/mcp/mcp-clients.ts";
import { noChromium } from "../support/real-chromium.ts";
import { type SessionSite, startSessionSite } from "../support/session-site.ts";

const skip = noChromium;
const CANARY = "canary-of-a-login-in-a-session";
const AGENT = { env: { DEPUTY_AGENT: "scout" } };
let home: TestHome;
let site: SessionSite;
let said = "";

/** A command whose words are searched for the secret at the end. */
async function run(args: string[], options = {}) {
  const ran = await home.run(["session", ...args, "--json"], options);
  said += ran.stdout + ran.stderr;
  return { status: ran.status, out: ran.json() };
}

before(async () => {
  if (skip !== false) return;
  site = await startSessionSite();
  home = new TestHome();
  mkdirSync(home.home, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(home.home, "config.yaml"),
    "resolve: {shop.test: 127.0.0.1}\nsessions: {concurrent: 3, grace_seconds: 0}\n",
  );
  await home.ok(["setup", "--key", "file", "--yes"]);
  const cookie = {
    name: "sid",
    value: CANARY,
    domain: "shop.test",
    hostOnly: true,
    httpOnly: true,
    expires: Date.now() + 3_600_000,
  };
  await home.set("shop.test", "joe", "cookies", { cookies: [cookie] });
});
after(async () => {
  await home?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

test("open, tab, list, view and dispose, as the owner, with a login of the vault", { skip }, async () => {
  const opened = await run(["open", "--identity", "shop.test/joe", "--url", site.url("shop.test")]);
  assert.equal(opened.status, 0);
  const { id, agent, source, tabs, report } = opened.out;
  assert.deepEqual([agent, source, tabs.length], ["owner", "shop.test/joe", 1]);
  assert.deepEqual([report.cookies.cloned, report.logins[0].domain], [1, "shop.test"]);
  assert.ok(Date.parse(report.logins[0].until) > Date.now());
  assert.equal(site.requests.find(({ path }) => path === "/")?.headers.cookie, `sid=${CANARY}`);

  const again = await run(["open", "--identity", "shop.test"]);
  assert.equal(again.out.id, id, "the same owner and source, the same session");
  const tab = await run(["tab", "--session", id, "--url", site.url("shop.test", "/set?a=1")]);
  assert.equal(tab.out.title, "/set");
  const listed = await run(["list"]);
  assert.deepEqual(
    listed.out.map((one: { id: string }) => one.id),
    [id],
  );
  assert.equal(listed.out[0].tabs.length, 2);

  const picture = join(home.root, "tab.png");
  await run(["view", "--session", id, "--out", picture]);
  assert.deepEqual([...readFileSync(picture).subarray(1, 4)], [...Buffer.from("PNG")]);

  assert.equal((await run(["dispose", "--session", id])).status, 0);
  assert.deepEqual((await run(["list"])).out, []);
  assert.equal((await run(["tab", "--session", id])).out.error.code, "NOT_FOUND");
  assert.deepEqual(readdirSync(join(home.home, "sessions", "files")), []);
});

test("an agent needs a grant for a login, sees only its own sessions, and the owner sees all", {
  skip,
}, async () => {
  const denied = await run(["open", "--identity", "shop.test/joe"], AGENT);
  assert.deepEqual([denied.status, denied.out.error.code], [4, "DENIED"]);
  const profile = await run(["open", "--profile", "chromium"], AGENT);
  assert.deepEqual([profile.status, profile.out.error.code], [4, "DENIED"]);

  const grant = ["grants", "add", "--skill", "@session", "--identity", "shop.test/joe", "--agent", "scout"];
  const added = (await home.ok([...grant, "--json"])).json().grant;
  const mine = await run(["open", "--identity", "shop.test/joe"], AGENT);
  assert.equal(mine.status, 0);
  const blank = await run(["open", "--blank"]);
  assert.deepEqual(
    (await run(["list"], AGENT)).out.map((one: { id: string }) => one.id),
    [mine.out.id],
  );
  assert.equal((await run(["list"])).out.length, 2);
  assert.equal((await run(["dispose", "--session", blank.out.id], AGENT)).out.error.code, "NOT_FOUND");

  const endpoint = await run(["endpoint", "--session", mine.out.id], AGENT);
  assert.match(endpoint.out.url, /^ws:\/\/127\.0\.0\.1:\d+\//);

  await home.ok(["grants", "remove", added.id]);
  const after = await run(["tab", "--session", mine.out.id], AGENT);
  assert.deepEqual([after.status, after.out.error.code], [4, "DENIED"]);
  for (const id of [mine.out.id, blank.out.id]) await run(["dispose", "--session", id]);
  const log = (await home.ok(["log", "--json"])).stdout;
  assert.match(log, /"@session"/);
  said += log;
});

test("a session's state is kept sealed under a name, and opened from it", { skip }, async () => {
  const { out } = await run(["open", "--blank", "--url", site.url("shop.test", "/set?kept=value")]);
  const saved = await run(["save", "--session", out.id, "mine"]);
  assert.equal(saved.out.cookies, 1);
  await run(["dispose", "--session", out.id]);
  const before = site.requests.length;
  const from = await run(["open", "--from", "mine", "--url", site.url("shop.test")]);
  assert.equal(site.requests.slice(before).find(({ path }) => path === "/")?.headers.cookie, "kept=value");
  assert.equal((await run(["open", "--from", "mine"], AGENT)).out.error.code, "NOT_FOUND");
  assert.deepEqual(
    (await run(["list", "--saved"])).out.map((one: { name: string }) => one.name),
    ["mine"],
  );
  await run(["forget", "mine"]);
  assert.deepEqual((await run(["list", "--saved"])).out, []);
  await run(["dispose", "--session", from.out.id]);
});

test("a login that was saved, opened and saved again is the agent's for as long as its grant", {
  skip,
}, async () => {
  const grant = ["grants", "add", "--skill", "@session", "--identity", "shop.test/joe", "--agent", "scout"];
  const added = (await home.ok([...grant, "--json"])).json().grant;
  const first = await run(["open", "--identity", "shop.test/joe"], AGENT);
  await run(["save", "--session", first.out.id, "once"], AGENT);
  await run(["dispose", "--session", first.out.id], AGENT);
  const second = await run(["open", "--from", "once"], AGENT);
  assert.equal((await run(["save", "--session", second.out.id, "twice"], AGENT)).out.cookies, 1);

  await home.ok(["grants", "remove", added.id]);
  for (const args of [
    ["tab", "--session", second.out.id],
    ["open", "--from", "once", "--new", "other"],
    ["open", "--from", "twice"],
  ]) {
    const refused = await run(args, AGENT);
    assert.deepEqual([refused.status, refused.out.error?.code], [4, "DENIED"], args.join(" "));
  }
  await run(["dispose", "--session", second.out.id]);
  for (const name of ["once", "twice"]) await run(["forget", name]);
});

test("a profile of a browser gives all its cookies, by name or by its folder", { skip }, async () => {
  const folder = join(home.root, ".config/chromium/Default");
  const cookies = ["shop.test", "other.test"].map((domain) =>
    parseCookie({ name: "own", value: CANARY, domain, hostOnly: true, expires: Date.now() + 3_600_000 }),
  );
  writeChromiumProfile(folder, cookies);
  const named = await run([
    "open",
    "--profile",
    "chromium:Default",
    "--url",
    site.url("shop.test", "/profile"),
  ]);
  assert.deepEqual([named.out.source, named.out.report.cookies.cloned], ["chromium:Default", 2]);
  assert.equal(site.requests.find(({ path }) => path === "/profile")?.headers.cookie, `own=${CANARY}`);
  const byFolder = await run(["open", "--profile", folder]);
  assert.equal(byFolder.out.report.cookies.cloned, 2);
  for (const id of new Set([named.out.id, byFolder.out.id])) await run(["dispose", "--session", id]);
  assert.equal((await run(["open", "--profile", "netscape"])).out.error.code, "BROWSER_NOT_FOUND");
  assert.equal((await run(["open", "--blank", "--profile", "chromium"])).out.error.code, "BAD_USAGE");
});

test("a fenced session is logged in, and reaches nothing else", { skip }, async () => {
  const allow = ["--allow", "shop.test"];
  const open = ["open", "--identity", "shop.test/joe", ...allow, "--url", site.url("shop.test")];
  const fenced = await run(open);
  assert.deepEqual([fenced.status, fenced.out.report.cookies.cloned], [0, 1]);
  assert.match(String(site.requests.at(-1)?.headers.cookie), /^sid=/);
  const before = site.requests.length;
  await run(["tab", "--session", fenced.out.id, "--url", site.url("127.0.0.1")]);
  await run(["tab", "--session", fenced.out.id, "--url", site.url("localhost")]);
  assert.deepEqual(
    site.requests.slice(before).filter(({ host }) => host !== "shop.test"),
    [],
  );
  const other = await run(["open", "--identity", "shop.test/joe"]);
  assert.equal(other.out.error.code, "CONFLICT");
  await run(["dispose", "--session", fenced.out.id]);
});

test("MCP clients have sessions of their own, and a session ends with its connection", { skip }, async () => {
  const grant = ["grants", "add", "--skill", "@session", "--identity", "shop.test/joe", "--agent"];
  const call = async (client: Awaited<ReturnType<typeof stdioClient>>, name: string, given: object = {}) => {
    const result = await client.callTool({ name, arguments: { ...given } });
    said += JSON.stringify(result);
    return result;
  };
  {
    await using one = await stdioClient(home, { name: "pilot" });
    await using two = await stdioClient(home, { name: "pilot" });
    const wanted = { identity: "shop.test/joe", url: site.url("shop.test") };
    assert.equal((await call(one, "session_open", wanted)).isError, true);
    await home.ok([...grant, "pilot"]);
    const [mine, theirs] = await Promise.all([
      call(one, "session_open", wanted),
      call(two, "session_open", wanted),
    ]);
    const [id, other] = [mine, theirs].map(
      ({ structuredContent }) => (structuredContent as { id: string }).id,
    );
    assert.notEqual(id, other, "two running copies of one agent");
    assert.match(textOf(mine), /shop\.test\/joe \(session_\w+\), open: 1 cookies, logged in until/);
    const tab = await call(one, "session_tab", { session: id, url: site.url("shop.test", "/set?mcp=1") });
    assert.match(textOf(tab), /^\/set \(/);
    assert.equal((await call(two, "session_tab", { session: id })).isError, true, "not the other's");
    const listed = (await call(two, "session_list")).structuredContent as { sessions: { id: string }[] };
    assert.deepEqual(
      listed.sessions.map((one) => one.id),
      [other],
    );
    assert.match(textOf(await call(one, "session_endpoint", { session: id })), /^ws:\/\/127\.0\.0\.1/);
    assert.equal((await call(two, "session_dispose", { session: other })).isError, undefined);
    assert.deepEqual(
      (await run(["list"])).out.map((row: { id: string }) => row.id),
      [id],
    );
  }
  for (let tries = 0; tries < 40 && (await run(["list"])).out.length > 0; tries++) await sleep(100);
  assert.deepEqual((await run(["list"])).out, [], "it ended with its connection");
});

test("write-back returns what the service renewed to the vault; without it the vault does not change", {
  skip,
}, async () => {
  const value = async () =>
    (await home.ok(["cookies", "--domain", "shop.test", "--account", "joe"])).stdout.trim();
  const rotate = site.url("shop.test", "/rotate");
  const plain = await run(["open", "--identity", "shop.test/joe", "--url", rotate]);
  await run(["dispose", "--session", plain.out.id]);
  assert.equal(await value(), `sid=${CANARY}`);
  const kept = await run(["open", "--identity", "shop.test/joe", "--write-back", "--url", rotate]);
  assert.equal(kept.status, 0);
  await run(["dispose", "--session", kept.out.id]);
  assert.match(await value(), /^sid=rotated-\d+$/);
  const login = ["open", "--blank", "--adopt", "shop.test", "--new", "login", "--url", rotate];
  const adopted = await run(login);
  await run(["dispose", "--session", adopted.out.id]);
  const rows = (await home.ok(["vault", "list", "--json"])).json();
  assert.ok(rows.some((row: { identifier: string }) => row.identifier === "@session/login"));
});

test("a stopped engine leaves no session, no folder and no word of the login", { skip }, async () => {
  await run(["open", "--blank"]);
  await home.ok(["engine", "stop"]);
  assert.ok(!existsSync(join(home.home, "sessions", "files")));
  assert.ok(!readdirSync(join(home.home, "sessions")).some((name) => name.endsWith(".json")));
  assert.ok(!said.includes(CANARY));
});
