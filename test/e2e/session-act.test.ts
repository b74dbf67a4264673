import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TestHome } from "../support/deputy.ts";
import { SECRETS, startCapturedSite } from "../support/captured-site.ts";
import { type DrivenSite, startDrivenSite } from "../support/driven-site.ts";
import { stdioClient, textOf } from "../support/mcp/mcp-clients.ts";
import { noChromium } from "../support/real-chromium.ts";

const skip = noChromium;
const CANARY = "canary-of-a-driven-login";
const AGENT = { env: { DEPUTY_AGENT: "scout" } };
let home: TestHome;
let site: DrivenSite;
let id: string;

before(async () => {
  if (skip !== false) return;
  site = await startDrivenSite();
  home = new TestHome();
  mkdirSync(home.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home.home, "config.yaml"), "resolve: {shop.test: 127.0.0.1}\n");
  await home.ok(["setup", "--key", "file", "--yes"]);
  const cookie = { name: "sid", value: CANARY, domain: "shop.test", hostOnly: true, httpOnly: true };
  await home.set("shop.test", "joe", "cookies", { cookies: [cookie] });
  const opened = await home.ok(["session", "open", "--identity", "shop.test/joe", "--json"]);
  id = opened.json().id;
});
after(async () => {
  await home?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

test("a session is driven by commands, and another agent cannot", { skip }, async () => {
  const act = (...words: string[]) => home.ok(["session", "act", id, ...words]);
  const seen = (await act("goto", site.url("shop.test"), "--snapshot")).stdout;
  assert.match(seen, /^Went there\. Sign in, http:\/\/shop\.test/);
  const email = /textbox "Email" \[(e\d+)\]/.exec(seen)?.[1] ?? "";
  await home.ok(["session", "act", "--session", id, "type", email, "-"], { input: "joe@x.test\n" });
  const value = await act("evaluate", "(field) => field.value", email, "--json");
  assert.equal(value.json().value, "joe@x.test");
  const png = join(home.root, "page.png");
  assert.equal((await act("screenshot", "--out", png, "--json")).json().file, png);
  assert.equal(readFileSync(png).subarray(1, 4).toString(), "PNG");
  const echoed = (await act("goto", site.url("shop.test", "/echo"), "--snapshot")).stdout;
  assert.match(echoed, /sid=\[redacted\]/);
  const foreign = await home.run(["session", "act", id, "snapshot", "--json"], AGENT);
  assert.equal(foreign.json().error.code, "NOT_FOUND");
  const unknown = await home.run(["session", "act", id, "dance", "--json"]);
  assert.deepEqual([unknown.status, unknown.json().error.code], [2, "BAD_USAGE"]);
  const log = (await home.ok(["log", "--json"])).stdout;
  assert.match(log, /"operation":"act goto".*"shop\.test"/);
  assert.doesNotMatch(log, /joe@x\.test|canary/);
});

test("an agent with nothing but MCP looks, types, clicks and sees pictures", { skip }, async () => {
  await using client = await stdioClient(home, { name: "pilot" });
  const call = (name: string, given: object) => client.callTool({ name, arguments: { ...given } });
  const opened = await call("session_open", { blank: true });
  const { id: session } = opened.structuredContent as { id: string };
  const act = (given: object) => call("session_act", { session, ...given });
  const seen = textOf(await act({ action: "goto", url: site.url("shop.test"), snapshot: true }));
  const [, password] = /textbox "Password" \[(e\d+)\]/.exec(seen) ?? [];
  const typed = await act({ action: "type", element: password, text: "canary-typed", enter: true });
  assert.match(textOf(typed), /^Typed into e\d+\. Welcome, http/);
  assert.match(site.requests.find(({ path }) => path === "/login")?.body ?? "", /password=canary-typed/);
  const picture = await act({ action: "screenshot" });
  assert.deepEqual(
    (picture.content as { type: string }[]).map(({ type }) => type),
    ["text", "image"],
  );
  const stale = await act({ action: "click", element: password });
  assert.equal(stale.isError, true);
  assert.match(textOf(stale), /is of no page that is shown now/);
  assert.equal((await act({ action: "press", key: "Control+N" })).isError, true);
  assert.match(textOf(await act({ action: "click" })), /click needs element/);
});

test("a page's traffic is captured as text, JSON and HAR, and revealed to the owner alone", {
  skip,
}, async () => {
  await using captured = await startCapturedSite();
  const capture = (more: string[], options = {}) =>
    home.run(["browse", "capture", captured.url("shop.test", "/start"), "--wait", "0.7", ...more], options);
  const text = await capture([]);
  assert.equal(text.status, 0);
  assert.match(text.stdout, /^GET http:\/\/shop\.test:\d+\/start  \(Document\)$/m);
  assert.match(text.stdout, /^> authorization: Bearer \[redacted\]$/m);
  assert.match(text.stdout, /^<< you said hello/m);
  const har = await capture(["--format", "har", "--session", id, "--pattern", "**/api/**"]);
  const { log } = har.json();
  assert.deepEqual([log.version, log.creator.name], ["1.2", "deputy"]);
  assert.ok(log.entries.length >= 2);
  for (const one of log.entries) {
    assert.match(one.request.url, /\/api\//);
    assert.ok(Date.parse(one.startedDateTime) > 0 && one.time >= 0);
    assert.equal(typeof one.response.content.size, "number");
    for (const field of ["cookies", "headers", "queryString"]) assert.ok(Array.isArray(one.request[field]));
  }
  const agent = await capture(["--reveal", "--json"], AGENT);
  assert.deepEqual([agent.status, agent.json().error.code], [4, "DENIED"]);
  for (const { stdout, stderr } of [text, har, agent]) assert.doesNotMatch(stdout + stderr, /canary/);
  const revealed = await capture(["--reveal", "--json"]);
  assert.ok(revealed.stdout.includes(SECRETS.cookie) && revealed.stdout.includes(SECRETS.bearer));
  const sessions = (await home.ok(["session", "list", "--json"])).json();
  const own = sessions.filter((one: { agent: string }) => one.agent === "owner");
  assert.deepEqual([own.length, own[0].id], [1, id], "those of the captures are gone");
  assert.doesNotMatch((await home.ok(["log", "--json"])).stdout, /canary/);
});
