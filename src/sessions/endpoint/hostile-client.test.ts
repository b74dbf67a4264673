import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type EndpointBrowser,
  startEndpointBrowser,
  type TestSession,
} from "../../../test/support/endpoint-browser.ts";
import { allottedMs, did, longForm, Rounds } from "../../../test/support/fault-form.ts";
import { type ProtocolCall, protocolCalls } from "../../../test/support/protocol-methods.ts";
import { type RawClient, rawClient } from "../../../test/support/raw-client.ts";
import { noChromium } from "../../../test/support/real-chromium.ts";
import { LoopbackEndpointServer } from "./endpoint-server.ts";

const OWN = "HOSTILE-c4n4ry-0001-own-login";
const HTTP_ONLY = "VICTIM-c4n4ry-cookie";
const PLAIN = "VICTIM-c4n4ry-plain";
const STORED = "VICTIM-c4n4ry-stored";
const TITLE = "VICTIM-c4n4ry-title";
const CANARIES = [HTTP_ONLY, PLAIN, STORED, TITLE];
/** Domains on one page. */
const TOGETHER = 4;
/** For an answer: some methods have none, and a page that was stopped gives none. */
const PATIENCE_MS = longForm ? 3000 : 600;

const skip = noChromium;
let browsers: EndpointBrowser;
let server: LoopbackEndpointServer;
let own: TestSession;
let victim: TestSession;
let victimSession: string;
let url: string;

before(async () => {
  if (skip !== false) return;
  browsers = await startEndpointBrowser();
  server = new LoopbackEndpointServer();
  own = await browsers.session({ hidden: [{ name: "sid", value: OWN, domain: "shop.test", path: "/" }] });
  victim = await browsers.session({
    hidden: [{ name: "sid", value: HTTP_ONLY, domain: "shop.test", path: "/" }],
  });
  const { connection } = browsers.chromium;
  const attached = await connection.call("Target.attachToTarget", { targetId: victim.page, flatten: true });
  victimSession = String(attached["sessionId"]);
  await inVictim("Page.navigate", { url: `${browsers.origin("shop.test")}/private` });
  await inVictim("Page.bringToFront");
  const put = `document.cookie = "plain=${PLAIN}"; localStorage.setItem("k", "${STORED}"); document.title = "${TITLE}"`;
  for (let i = 0; i < 50 && (await titleOfVictim()) !== TITLE; i++)
    await inVictim("Runtime.evaluate", { expression: put });
  ({ url } = await server.serve(own));
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await browsers?.[Symbol.asyncDispose]();
});

function inVictim(method: string, params: object = {}) {
  return browsers.chromium.connection.call(method, params, victimSession);
}

async function titleOfVictim(): Promise<unknown> {
  const answer = await inVictim("Runtime.evaluate", { expression: "document.title" });
  return (answer["result"] as { value?: unknown }).value;
}

/** Names of everything the victim has, as an attacker may have learnt them elsewhere. */
async function victimsNames(): Promise<Record<string, unknown>> {
  const { windowId } = await browsers.chromium.connection.call("Browser.getWindowForTarget", {
    targetId: victim.page,
  });
  const { result } = await inVictim("Runtime.evaluate", { expression: "document" });
  const { stream } = await inVictim("Page.printToPDF", { transferMode: "ReturnAsStream" });
  const origin = browsers.origin("shop.test");
  return {
    targetId: victim.page,
    TargetID: victim.page,
    frameId: victim.page,
    FrameId: victim.page,
    rootFrameId: victim.page,
    sessionId: victimSession,
    browserContextId: victim.contextId,
    windowId,
    handle: stream,
    objectId: (result as { objectId: string }).objectId,
    url: `${origin}/private`,
    origin,
    ownerOrigin: origin,
    securityOrigin: origin,
    storageKey: `${origin}/`,
    storageId: { securityOrigin: origin, isLocalStorage: true },
    downloadPath: victim.folder,
    path: victim.folder,
    files: [victim.folder, "/etc/hostname"],
    filter: [{}],
    expression: "1",
    domain: "shop.test",
    storageTypes: "all",
    flatten: true,
    timeout: undefined,
  };
}

async function state(): Promise<unknown> {
  const { connection } = browsers.chromium;
  const { cookies } = await connection.call("Storage.getCookies", { browserContextId: victim.contextId });
  const { targetInfos } = await connection.call("Target.getTargets");
  const { bounds } = await connection.call("Browser.getWindowForTarget", { targetId: victim.page });
  const { browserContextIds } = await connection.call("Target.getBrowserContexts");
  const stored = await inVictim("Runtime.evaluate", {
    expression: "[localStorage.k, location.href, document.title, navigator.userAgent, innerWidth].join()",
  });
  return {
    cookies: (cookies as { name: string; value: string }[])
      .map(({ name, value }) => `${name}=${value}`)
      .sort(),
    pages: (targetInfos as { browserContextId: string; url: string; type: string }[])
      .filter(({ browserContextId }) => browserContextId !== own.contextId)
      .map(({ type, url: at }) => `${type} ${at}`)
      .sort(),
    bounds,
    contexts: (browserContextIds as string[]).length,
    stored: stored["result"],
    files: readdirSync(victim.folder),
  };
}

async function freshPage(client: RawClient): Promise<string> {
  const made = await client.ask("Target.createTarget", { url: browsers.origin("shop.test") });
  const target = { targetId: made?.result?.["targetId"], flatten: true };
  const attached = await client.ask("Target.attachToTarget", target);
  assert.equal(typeof attached?.result?.["sessionId"], "string");
  return String(attached?.result?.["sessionId"]);
}

function domainOf({ method }: ProtocolCall): string {
  return method.slice(0, method.indexOf("."));
}

/** All at once on a page of its own, and then with the victim's session named in the envelope. */
async function replay(calls: readonly ProtocolCall[]) {
  await using client = await rawClient(url);
  const session = await freshPage(client);
  // What ends the client or its page comes last, or all the rest would meet nobody.
  const ending = ["Page.close", "Page.crash", "Browser.close"];
  const answers: unknown[] = [];
  for (const last of [false, true]) {
    const asked = calls
      .filter(({ method }) => ending.includes(method) === last)
      .flatMap(({ method, params }) =>
        [victimSession, session, undefined].map((on) => client.ask(method, params, on, PATIENCE_MS)),
      );
    answers.push(...(await Promise.all(asked)));
  }
  const silent = answers.filter((answer) => answer === undefined).length;
  return { heard: client.heard, sent: answers.length, silent };
}

test("no method of the protocol reaches another session, whatever names it is given", {
  skip,
  timeout: 180_000 + allottedMs,
}, async (t) => {
  const before = await state();
  let [sent, silent, methods] = [0, 0, 0];
  for (const _ of new Rounds({ short: 1, long: 1 })) {
    const calls = protocolCalls(await victimsNames());
    methods = calls.length / 2;
    const heard: string[] = [];
    const domains = [...new Set(calls.map(domainOf))];
    for (let from = 0; from < domains.length; from += TOGETHER) {
      const some = domains.slice(from, from + TOGETHER);
      const said = await replay(calls.filter((call) => some.includes(domainOf(call))));
      heard.push(...said.heard);
      [sent, silent] = [sent + said.sent, silent + said.silent];
    }
    for (const canary of [...CANARIES, OWN, victim.page, victim.contextId])
      assert.deepEqual(
        heard.filter((text) => text.toLowerCase().includes(canary.toLowerCase())),
        [],
      );
    assert.deepEqual(await state(), before);
  }
  t.diagnostic(`${methods} methods`);
  did(t, { "protocol calls": sent, unanswered: silent }, { "of another session": 0 });
});

test("what is another's is refused as if it were nobody's", { skip, timeout: 60_000 }, async () => {
  await using client = await rawClient(url);
  const page = await freshPage(client);
  const names = await victimsNames();
  const { targetId, windowId, handle, browserContextId, frameId } = names;
  for (const [method, params] of [
    ["IO.read", { handle }],
    ["IO.close", { handle }],
    ["Target.attachToTarget", { targetId, flatten: true }],
    ["Target.getTargetInfo", { targetId }],
    ["Target.closeTarget", { targetId }],
    ["Target.activateTarget", { targetId }],
    ["Target.autoAttachRelated", { targetId, waitForDebuggerOnStart: true }],
    ["Target.detachFromTarget", { sessionId: victimSession }],
    ["Target.createTarget", { url: "about:blank", browserContextId }],
    ["Target.disposeBrowserContext", { browserContextId }],
    ["Target.exposeDevToolsProtocol", { targetId }],
    ["Target.sendMessageToTarget", { sessionId: victimSession, message: '{"id":1,"method":"Page.close"}' }],
    ["Storage.getCookies", { browserContextId }],
    ["Storage.clearCookies", { browserContextId }],
    ["Browser.getWindowForTarget", { targetId }],
    ["Browser.setWindowBounds", { windowId, bounds: { width: 100 } }],
    ["Browser.grantPermissions", { permissions: ["geolocation"], browserContextId }],
    ["Browser.setDownloadBehavior", { behavior: "deny", browserContextId }],
    ["Page.navigate", { url: "about:blank", frameId }],
    ["Page.setDocumentContent", { frameId, html: "taken over" }],
    ["Page.createIsolatedWorld", { frameId }],
    ["DOM.getFrameOwner", { frameId }],
    ["Network.loadNetworkResource", { frameId, url: browsers.origin("shop.test"), options: {} }],
    ["Tracing.start", {}],
    ["SystemInfo.getProcessInfo", {}],
    ["Browser.crash", {}],
  ] as const) {
    for (const on of [page, undefined]) {
      const answer = await client.ask(method, params, on);
      assert.notEqual(answer?.error, undefined, `${method} ${on === page ? "on a page" : "on the browser"}`);
    }
  }
  assert.equal(await titleOfVictim(), TITLE);
});

test("a client that watches everything learns nothing of others and does not stop them", {
  skip,
  timeout: 60_000,
}, async () => {
  await using client = await rawClient(url);
  await client.ask("Target.setDiscoverTargets", { discover: true, filter: [{}] });
  await client.ask("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: true,
    filter: [{}],
  });
  const { connection } = browsers.chromium;
  const { targetId } = await connection.call("Target.createTarget", {
    url: `${browsers.origin("shop.test")}/private`,
    browserContextId: victim.contextId,
  });
  const { sessionId } = await connection.call("Target.attachToTarget", { targetId, flatten: true });
  const loaded = async () => {
    const answer = await connection.call(
      "Runtime.evaluate",
      { expression: "document.readyState + document.title" },
      String(sessionId),
    );
    return (answer["result"] as { value?: unknown }).value;
  };
  let found: unknown;
  for (let i = 0; i < 100 && found !== "completeshop"; i++) found = await loaded();
  assert.equal(found, "completeshop");
  await connection.call("Target.closeTarget", { targetId });
  const text = client.heard.join("\n");
  for (const canary of [...CANARIES, String(targetId), victim.page, victim.contextId])
    assert.ok(!text.includes(canary), canary);
});

test("files, the browser's pages and what is behind a redirect stay out of reach", {
  skip,
  timeout: 60_000,
}, async () => {
  await using client = await rawClient(url);
  const page = await freshPage(client);
  for (const address of [
    "file:///etc/hostname",
    "FILE:///etc/hostname",
    " file:///etc/hostname",
    "fi\nle:///etc/hostname",
    "view-source:file:///etc/hostname",
    "chrome://version",
    "about:version",
    "devtools://devtools/bundled/inspector.html",
    "filesystem:http://shop.test/temporary/x",
    "javascript:1",
    "blob:file:///x",
  ]) {
    for (const [method, session] of [
      ["Page.navigate", page],
      ["Target.createTarget", undefined],
    ] as const) {
      const answer = await client.ask(method, { url: address }, session);
      assert.match(answer?.error?.message ?? "", /Cannot navigate/, `${method} ${JSON.stringify(address)}`);
    }
  }
  await client.ask("Runtime.evaluate", { expression: "location.href = 'file:///etc/hostname'" }, page);
  await client.ask("Page.navigate", { url: `${browsers.origin("shop.test")}/away` }, page);
  let entries: { url: string }[] | undefined;
  for (let i = 0; i < 100 && entries === undefined; i++) {
    await sleep(50);
    const history = await client.ask("Page.getNavigationHistory", {}, page);
    entries = history?.result?.["entries"] as { url: string }[] | undefined;
  }
  assert.ok(entries !== undefined);
  assert.ok(
    entries.every((entry) => !/^(file|chrome):/.test(entry.url)),
    JSON.stringify(entries),
  );
});
