/** What all contexts of a browser share, and a client must not reach through its own page: keys and the clipboard. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type EndpointBrowser,
  startEndpointBrowser,
  type TestSession,
} from "../../../test/support/endpoint-browser.ts";
import { did, longForm } from "../../../test/support/fault-form.ts";
import { type RawClient, rawClient } from "../../../test/support/raw-client.ts";
import { noChromium } from "../../../test/support/real-chromium.ts";
import { LoopbackEndpointServer } from "./endpoint-server.ts";

const CANARY = "CLIPBOARD-c4n4ry-0001";
/** Alt is 1, Ctrl 2, Meta 4, Shift 8. */
const HELD = longForm ? Array.from({ length: 16 }, (_, held) => held) : [0, 1, 2, 8, 10];

const skip = noChromium;
let browsers: EndpointBrowser;
let server: LoopbackEndpointServer;
let victim: TestSession;
let client: RawClient;
let page: string;

before(async () => {
  if (skip !== false) return;
  browsers = await startEndpointBrowser();
  server = new LoopbackEndpointServer();
  const own = await browsers.session();
  victim = await browsers.session();
  client = await rawClient((await server.serve(own)).url);
  const attached = await client.ask("Target.attachToTarget", { targetId: own.page, flatten: true });
  page = String(attached?.result?.["sessionId"]);
  // On localhost a page may use the clipboard at all.
  await client.ask("Page.navigate", { url: browsers.origin("localhost") }, page);
  for (let i = 0; i < 200 && (await value("document.title")) !== "shop"; i++) await sleep(25);
});
after(async () => {
  await client?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await browsers?.[Symbol.asyncDispose]();
});

async function value(expression: string): Promise<unknown> {
  const params = { expression, awaitPromise: true, userGesture: true, returnByValue: true };
  const answer = await client.ask("Runtime.evaluate", params, page);
  return (answer?.result?.["result"] as { value?: unknown } | undefined)?.value;
}

async function targets(): Promise<string[]> {
  const { targetInfos } = await browsers.chromium.connection.call("Target.getTargets", { filter: [{}] });
  const infos = targetInfos as { type: string; url: string; browserContextId: string }[];
  return infos.map(({ type, url, browserContextId }) => `${type} ${url} ${browserContextId}`).sort();
}

test("no key makes the browser do something of its own", { skip, timeout: 120_000 }, async (t) => {
  await client.ask("Page.bringToFront", {}, page);
  const before = await targets();
  const counts = { pressed: 0, refused: 0 };
  for (const modifiers of HELD) {
    const answers = await Promise.all(
      Array.from({ length: 256 }, (_, code) => code)
        // Reloading and going back are a page's own business, and would end the test.
        .filter((code) => code !== 116 && !(modifiers % 2 === 1 && code >= 37 && code <= 39))
        .filter((code) => !(modifiers >= 2 && code === 82))
        .map((windowsVirtualKeyCode) =>
          client.ask(
            "Input.dispatchKeyEvent",
            {
              type: "rawKeyDown",
              modifiers,
              windowsVirtualKeyCode,
              nativeVirtualKeyCode: windowsVirtualKeyCode,
            },
            page,
            20_000,
          ),
        ),
    );
    for (const answer of answers) counts[answer?.error === undefined ? "pressed" : "refused"]++;
  }
  await sleep(500);
  assert.deepEqual(await targets(), before);
  assert.equal(await value("location.pathname"), "/");
  did(t, { "keys pressed": counts.pressed, "keys refused": counts.refused }, { "shortcuts reached": 0 });
});

test("the clipboard, which all sessions share, cannot be read", { skip, timeout: 60_000 }, async () => {
  const { connection } = browsers.chromium;
  const attached = await connection.call("Target.attachToTarget", { targetId: victim.page, flatten: true });
  const other = String(attached["sessionId"]);
  await connection.call("Page.navigate", { url: browsers.origin("localhost") }, other);
  await connection.call("Page.bringToFront", {}, other);
  const copy = `(() => {
    const field = document.getElementById("name");
    if (field === null) return false;
    field.value = "${CANARY}"; field.focus(); field.select();
    return document.execCommand("copy");
  })()`;
  for (let i = 0; i < 200; i++) {
    const copied = await connection.call("Runtime.evaluate", { expression: copy, userGesture: true }, other);
    if ((copied["result"] as { value?: unknown }).value === true) break;
    await sleep(25);
  }
  await client.ask("Page.bringToFront", {}, page);
  await value("document.getElementById('name').focus()");
  const press = (params: object) =>
    client.ask("Input.dispatchKeyEvent", { type: "keyDown", windowsVirtualKeyCode: 86, ...params }, page);
  for (const keys of [
    { modifiers: 2, key: "v" },
    { modifiers: 10, key: "V" },
    { modifiers: 8, windowsVirtualKeyCode: 45 },
    { windowsVirtualKeyCode: 88, commands: ["paste"] },
    { windowsVirtualKeyCode: 88, commands: ["PasteAndMatchStyle"] },
    { modifiers: 2, windowsVirtualKeyCode: 0, key: "v", code: "KeyV" },
  ])
    assert.match((await press(keys))?.error?.message ?? "", /Cannot press the key/);
  const grant = await client.ask("Browser.grantPermissions", {
    permissions: ["geolocation", "clipboardReadWrite"],
  });
  const set = await client.ask("Browser.setPermission", {
    permission: { name: "clipboard-read" },
    setting: "granted",
  });
  for (const answer of [grant, set])
    assert.match(answer?.error?.message ?? "", /Cannot grant the permission/);
  assert.match(
    String(await value("navigator.clipboard.readText().catch((error) => 'no: ' + error)")),
    /^no: /,
  );
  await value("document.execCommand('paste')");
  assert.equal(await value("document.getElementById('name').value.includes('c4n4ry')"), false);
  assert.ok(client.heard.every((text) => !text.includes(CANARY)));
});
