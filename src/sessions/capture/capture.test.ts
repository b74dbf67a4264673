import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { SECRETS, startCapturedSite } from "../../../test/support/captured-site.ts";
import { noChromium } from "../../../test/support/real-chromium.ts";
import { owner, request, seed, sessionsWith } from "../../../test/support/test-sessions.ts";
import type { OpenSession } from "../open-session.ts";
import { LoopbackEndpointServer } from "../endpoint/endpoint-server.ts";
import { captureAt, captureInSession } from "./capture-in.ts";
import type { Exchange } from "./exchange.ts";
import { urlPattern } from "./url-pattern.ts";

const skip = noChromium;
const { signal } = new AbortController();
const all = sessionsWith(startCapturedSite, async ({ sessions }) => {
  const me = owner("capture");
  const { id } = await sessions.open(
    request(me, { source: { kind: "blank" }, seed: async () => seed({ cookies: [] }) }),
    signal,
  );
  live = await sessions.live(me, id, signal);
});
let live: OpenSession;

const at = (exchanges: readonly Exchange[], path: string) =>
  exchanges.find(({ url }) => new URL(url).pathname === path) ?? assert.fail(`no ${path}`);

test("every request is kept with its headers and bodies: redirect, fetch, XHR, worker, WebSocket", {
  skip,
}, async () => {
  const wanted = { url: all.site.url("shop.test", "/start"), waitMs: 700, reveal: true };
  const { exchanges } = await captureInSession(live, wanted, signal);
  const header = (one: Exchange, side: "sent" | "received", name: string) =>
    one[side]?.headers.filter(([its]) => its.toLowerCase() === name).map(([, value]) => value);
  const start = at(exchanges, "/start");
  assert.deepEqual([start.type, start.received?.status], ["Document", 302]);
  assert.equal(header(start, "received", "set-cookie")?.length, 2);
  const app = at(exchanges, "/app");
  assert.deepEqual(header(app, "sent", "cookie"), [`sid=${SECRETS.cookie}; theme=dark`]);
  assert.match(app.received?.body?.text ?? "", /<title>App/);
  const me = at(exchanges, "/api/me");
  assert.deepEqual([me.type, me.received?.status, me.received?.mime], ["Fetch", 200, "application/json"]);
  assert.deepEqual(header(me, "sent", "authorization"), [`Bearer ${SECRETS.bearer}`]);
  const items = at(exchanges, "/api/items");
  assert.deepEqual([items.type, items.method], ["XHR", "POST"]);
  assert.match(items.sent.body?.text ?? "", /tea/);
  assert.equal(items.received?.body?.text, "this is /api/items");
  assert.equal(at(exchanges, "/api/worker").received?.status, 200);
  const socket = at(exchanges, "/live");
  assert.deepEqual(
    socket.frames.map(({ from, body }) => [from, body.text]),
    [
      ["page", "hello"],
      ["server", `you said hello; ${SECRETS.cookie}`],
    ],
  );
  assert.equal(socket.received?.status, 101);
});

test("without being told to reveal them, no credential is in it anywhere", { skip }, async () => {
  const wanted = { url: all.site.url("shop.test", "/start"), waitMs: 700, reveal: false };
  const capture = await captureInSession(live, wanted, signal);
  assert.doesNotMatch(JSON.stringify(capture), /canary/);
  const text = JSON.stringify(capture);
  for (const shown of ["tea", "Joe", "theme=[redacted]", "Bearer [redacted]", "you said hello"])
    assert.ok(text.includes(shown), shown);
});

test("where a page wants to go after an action is told, and it does not go", { skip }, async () => {
  const base = { url: all.site.url("shop.test", "/app"), waitMs: 200, keepFromLeaving: true };
  const clicked = await captureInSession(
    live,
    { ...base, reveal: true, action: { do: "click", element: "#go" } },
    signal,
  );
  assert.deepEqual(
    clicked.navigations.map(({ url, type }) => [new URL(url).search, type]),
    [[`?code=${SECRETS.token}`, "push"]],
  );
  assert.ok(!clicked.exchanges.some(({ url }) => url.includes("/done")));
  const submit = { do: "evaluate", script: "document.forms[0].submit()" } as const;
  const sent = await captureInSession(live, { ...base, reveal: false, action: submit }, signal);
  assert.deepEqual(sent.navigations[0]?.form, [
    ["password", "[redacted]"],
    ["plain", "seen"],
  ]);
  const tabs = async () => (await all.held.sessions.list(owner("capture")))[0]?.tabs.length;
  for (let tries = 0; tries < 40 && (await tabs()) !== 0; tries++) await sleep(50);
  assert.equal(await tabs(), 0, "its tabs are closed");
});

test("a browser at an address is captured from in a tab of its own", { skip }, async () => {
  await using server = new LoopbackEndpointServer();
  await using endpoint = await server.serve(live);
  const url = all.site.url("shop.test", "/start");
  const wanted = { url, waitMs: 500, reveal: false, pattern: "**/api/*" };
  const { exchanges } = await captureAt(endpoint.url, wanted, signal);
  assert.ok(exchanges.some(({ type }) => type === "XHR"));
  assert.ok(exchanges.every(({ url: its }) => its.includes("/api/")));
  assert.doesNotMatch(JSON.stringify(exchanges), /canary/);
});

test("a pattern takes any part for *, anything for **, and a word wherever it stands", () => {
  const url = "https://x.test/v1/api/items?page=2";
  for (const [pattern, fits] of [
    ["**/api/**", true],
    ["*/api/*", false],
    ["https://*/v1/**", true],
    ["https://x.test/*/api/items*", false],
    ["api/items", true],
    ["**/API/**", false],
    ["**?page=*", true],
  ] as const)
    assert.equal(urlPattern(pattern)(url), fits, pattern);
});
