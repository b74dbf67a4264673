import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Outside, outside } from "../../../test/support/outside.ts";
import { noChromium, type RealChromium, startChromium } from "../../../test/support/real-chromium.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { FENCE_FLAGS } from "./fence-flags.ts";
import { isWithin } from "./is-within.ts";
import { startFence } from "./start-fence.ts";

const skip = noChromium;

/** Every way out a page has, each with a path of its own. The page is on localhost, where service workers may be. */
const WAYS = [
  "fetch",
  "image",
  "socket",
  "beacon",
  "events",
  "frame",
  "worker",
  "shared",
  "service",
  "redirect",
];
const LATER = ["popup", "prefetch"];

let site: Server;
let here: number;
let out: Outside;
const seen: string[] = [];

before(async () => {
  out = await outside();
  const evil = `http://evil.test:${out.port}`;
  const pages: Record<string, [string, string]> = {
    "/": ["text/html", pageOf(evil, out.port)],
    "/worker.js": ["text/javascript", `fetch("${evil}/worker", {mode: "no-cors"})`],
    "/shared.js": ["text/javascript", `fetch("${evil}/shared", {mode: "no-cors"})`],
    "/service.js": [
      "text/javascript",
      `oninstall = () => skipWaiting(); fetch("${evil}/service", {mode: "no-cors"}).catch(() => {})`,
    ],
  };
  site = createServer((request, response) => {
    const path = request.url ?? "/";
    seen.push(`${request.headers.host?.replace(/:\d+$/, "")}${path}`);
    if (path === "/away") {
      response.writeHead(302, { location: `${evil}/redirect` });
      response.end();
      return;
    }
    const [type, text] = pages[path] ?? ["text/plain", request.headers["x-echo"] ?? `inside ${path}`];
    response.writeHead(200, { "content-type": type });
    response.end(text);
  });
  site.on("upgrade", (request, socket) => {
    seen.push(`upgrade ${request.headers.host?.replace(/:\d+$/, "")}${request.url}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  here = (site.address() as AddressInfo).port;
});
after(async () => {
  site.closeAllConnections();
  await new Promise<void>((resolve) => site.close(() => resolve()));
  await out[Symbol.asyncDispose]();
});

function pageOf(evil: string, port: number): string {
  return `<!doctype html><title>ways</title>
<link rel=preconnect href="${evil}">
<script type=speculationrules>{"prefetch": [{"urls": ["http://127.0.0.1:${port}/prefetch"], "eagerness": "immediate"}]}</script>
<body><script>
  const quiet = () => {};
  fetch("${evil}/fetch", {mode: "no-cors"}).catch(quiet);
  fetch("/away", {mode: "no-cors"}).catch(quiet);
  new Image().src = "${evil}/image";
  new WebSocket("${evil.replace("http", "ws")}/socket").onerror = quiet;
  new WebSocket("ws://" + location.host + "/inner");
  navigator.sendBeacon("${evil}/beacon");
  new EventSource("${evil}/events");
  const frame = document.createElement("iframe"); frame.src = "${evil}/frame"; document.body.append(frame);
  new Worker("/worker.js");
  new SharedWorker("/shared.js");
  navigator.serviceWorker.register("/service.js").catch(quiet);
  try { new WebTransport("https://evil.test:${port}/transport").ready.catch(quiet); } catch {}
  const peer = new RTCPeerConnection({iceServers: [
    {urls: ["stun:127.0.0.1:${port}", "stun:evil.test:${port}"]},
    {urls: ["tcp", "udp"].map((kind) => "turn:evil.test:${port}?transport=" + kind), username: "u", credential: "c"},
  ]});
  peer.createDataChannel("c");
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
</script>`;
}

/** Visits the page in a context and tries all ways out of it. */
async function tryAll({ connection }: RealChromium, context: object): Promise<void> {
  const { browserContextId } = await connection.call("Target.createBrowserContext", context);
  const { targetId } = await connection.call("Target.createTarget", { url: "about:blank", browserContextId });
  const { sessionId } = await connection.call("Target.attachToTarget", { targetId, flatten: true });
  const call = (method: string, params: object = {}) => connection.call(method, params, String(sessionId));
  await call("Page.navigate", { url: `http://localhost:${here}/` });
  const title = async () => {
    const answer = await call("Runtime.evaluate", { expression: "document.title" });
    return (answer["result"] as { value?: unknown }).value;
  };
  for (let i = 0; i < 200 && (await title()) !== "ways"; i++) await sleep(50);
  const popup = `window.open("http://evil.test:${out.port}/popup")`;
  await call("Runtime.evaluate", { expression: popup, userGesture: true });
  // Long enough for what is going to come; a control run shows that it does.
  for (let i = 0; i < 100 && ![...WAYS, ...LATER].every((way) => out.paths.has(`/${way}`)); i++)
    await sleep(30);
  await connection.call("Target.disposeBrowserContext", { browserContextId });
}

test("nothing a page can do leads out of the fence", { skip, timeout: 120_000 }, async () => {
  using folder = temporaryFolder("fence");
  const chromium = await startChromium({
    userData: join(folder.path, "browser"),
    args: [...FENCE_FLAGS],
  });
  const allow = ["localhost", "good.test"];
  try {
    await using fence = await startFence({
      allow,
      resolve: new Map([["good.test", ["127.0.0.1"]]]),
      upstream: undefined,
    });
    await tryAll(chromium, { proxyServer: fence.proxy, proxyBypassList: "<-loopback>" });
    assert.deepEqual([...out.paths], []);
    assert.equal(out.connections(), 0);
    assert.equal(out.datagrams(), 0);
    assert.ok(seen.includes("localhost/") && seen.includes("localhost/shared.js"));
    assert.ok(seen.includes("upgrade localhost/inner"), "a WebSocket within the fence works");

    out.forget();
    await tryAll(chromium, {});
    assert.deepEqual(
      WAYS.filter((way) => !out.paths.has(`/${way}`)),
      [],
      "without a fence each of them gets out",
    );
    assert.ok(out.paths.has("/popup"));
  } finally {
    await chromium.close();
  }
});

test("names match by whole labels", () => {
  const allow = ["good.test", "*.below.test", "10.0.0.1"];
  for (const host of ["good.test", "www.good.test", "good.test.", "a.below.test", "10.0.0.1"])
    assert.ok(isWithin(allow, host), host);
  for (const host of ["evilgood.test", "good.test.evil.test", "below.test", "good", "", "."])
    assert.ok(!isWithin(allow, host), host);
});

/** What a proxy answers to these bytes. */
function say(proxy: string, text: string): Promise<string> {
  const { port } = new URL(proxy);
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
    socket.on("data", (data) => {
      answer += data.toString("latin1");
      if (answer.includes("\r\n\r\n") && !answer.startsWith("HTTP/1.1 200 C"))
        setTimeout(() => socket.end(), 50);
      else if (answer.startsWith("HTTP/1.1 200 C")) socket.end();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", () => resolve(answer));
  });
}

test("the proxy goes where the address says, whatever the headers claim", async () => {
  await using fence = await startFence({
    allow: ["good.test", "named.test"],
    resolve: new Map([["good.test", ["127.0.0.1"]]]),
    upstream: undefined,
  });
  out.forget();
  const { proxy } = fence;
  const good = `http://good.test:${here}`;
  seen.length = 0;
  assert.match(
    await say(proxy, `GET ${good}/a HTTP/1.1\r\nHost: evil.test\r\n\r\n`),
    /^HTTP\/1\.1 200[\s\S]*inside \/a/,
  );
  assert.deepEqual(seen, ["good.test/a"]);
  assert.match(
    await say(proxy, `GET http://evil.test:${out.port}/ HTTP/1.1\r\nHost: good.test\r\n\r\n`),
    /^HTTP\/1\.1 403[\s\S]*Cannot go to evil\.test: this session is limited to good\.test/,
  );
  assert.match(
    await say(proxy, `CONNECT evil.test:${out.port} HTTP/1.1\r\nHost: x\r\n\r\n`),
    /^HTTP\/1\.1 403/,
  );
  assert.match(await say(proxy, `CONNECT good.test:${here} HTTP/1.1\r\nHost: x\r\n\r\n`), /^HTTP\/1\.1 200/);
  assert.match(
    await say(proxy, `CONNECT good.test@evil.test:${out.port} HTTP/1.1\r\nHost: x\r\n\r\n`),
    /^HTTP\/1\.1 403/,
  );
  assert.match(await say(proxy, "GET /a HTTP/1.1\r\nHost: good.test\r\n\r\n"), /^HTTP\/1\.1 400/);
  assert.match(await say(proxy, `GET http://good.test:1/ HTTP/1.1\r\nHost: x\r\n\r\n`), /^HTTP\/1\.1 502/);
  assert.equal(out.connections(), 0);
});

test("a name that leads to this machine is not followed unless the owner named it", async () => {
  await using all = await startFence({ allow: ["*"], resolve: new Map(), upstream: undefined });
  for (const host of ["localhost", "shop.localhost", "127.0.0.1", "[::1]", "0.0.0.0"])
    assert.match(
      await say(all.proxy, `GET http://${host}:${here}/ HTTP/1.1\r\nHost: x\r\n\r\n`),
      /^HTTP\/1\.1 502/,
      host,
    );
  for (const host of ["localhost", "shop.localhost"]) {
    await using named = await startFence({ allow: [host], resolve: new Map(), upstream: undefined });
    assert.match(
      await say(named.proxy, `GET http://${host}:${here}/b HTTP/1.1\r\nHost: x\r\n\r\n`),
      /^HTTP\/1\.1 200/,
      host,
    );
  }
});

test("the owner's own proxy comes after the fence, with its credential", async () => {
  const heard: string[] = [];
  const upstream = createTcpServer((socket) => {
    socket.once("data", (data) => {
      heard.push(data.toString());
      socket.end(
        heard.at(-1)?.startsWith("CONNECT") === true
          ? "HTTP/1.1 200 OK\r\n\r\n"
          : "HTTP/1.1 204 No Content\r\n\r\n",
      );
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  const fence = await startFence({
    allow: ["good.test"],
    resolve: new Map(),
    upstream: `http://me:pw@127.0.0.1:${port}`,
  });
  assert.match(
    await say(fence.proxy, "CONNECT good.test:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
    /^HTTP\/1\.1 200/,
  );
  assert.match(
    await say(fence.proxy, "GET http://good.test/c HTTP/1.1\r\nHost: x\r\n\r\n"),
    /^HTTP\/1\.1 204/,
  );
  assert.match(
    await say(fence.proxy, "CONNECT evil.test:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
    /^HTTP\/1\.1 403/,
  );
  assert.equal(heard.length, 2);
  assert.match(
    heard[0] ?? "",
    /^CONNECT good\.test:443 HTTP\/1\.1\r\n[\s\S]*Proxy-Authorization: Basic bWU6cHc=/,
  );
  assert.match(
    heard[1] ?? "",
    /^GET http:\/\/good\.test\/c HTTP\/1\.1\r\n[\s\S]*Proxy-Authorization: Basic bWU6cHc=/,
  );
  await fence[Symbol.asyncDispose]();
  await new Promise<void>((resolve) => upstream.close(() => resolve()));
  await assert.rejects(
    startFence({ allow: ["good.test"], resolve: new Map(), upstream: "socks5://127.0.0.1:1" }),
    /this kind of proxy/,
  );
});

/** A proxy that answers CONNECT when it is told to, and tells who it still talks to. */
async function reluctantProxy() {
  const asked = Promise.withResolvers<Socket>();
  const ended = Promise.withResolvers<void>();
  const server = createTcpServer((socket) => {
    socket.on("error", () => {}).once("data", () => asked.resolve(socket));
    socket.once("close", () => ended.resolve());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    asked: asked.promise,
    ended: ended.promise,
    fence: () =>
      startFence({ allow: ["good.test"], resolve: new Map(), upstream: `http://127.0.0.1:${port}` }),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

test("a proxy that takes a connection and says nothing is not waited for without end", {
  timeout: 20_000,
}, async (t) => {
  await using upstream = await reluctantProxy();
  await using fence = await upstream.fence();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const said = say(fence.proxy, "CONNECT good.test:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  await upstream.asked;
  t.mock.timers.tick(30_000);
  assert.match(await said, /^HTTP\/1\.1 502/);
  await upstream.ended;
});

test("a tunnel is not kept for a client that left before it was there", { timeout: 20_000 }, async () => {
  await using upstream = await reluctantProxy();
  await using fence = await upstream.fence();
  const client = connect(Number(new URL(fence.proxy).port), "127.0.0.1", () =>
    client.write("CONNECT good.test:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
  );
  const proxy = await upstream.asked;
  client.resetAndDestroy();
  await sleep(100);
  proxy.write("HTTP/1.1 200 OK\r\n\r\n");
  await upstream.ended;
});
