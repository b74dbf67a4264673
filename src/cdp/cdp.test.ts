import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { noChromium, startChromium } from "../../test/support/real-chromium.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { DeputyError } from "../kernel/index.ts";
import { isRunning } from "../platform/index.ts";
import { type CdpEvent, connectCdp, createCdpConnection, createPipeTransport, setCookies } from "./index.ts";

const coded = (code: string) => (error: unknown) => error instanceof DeputyError && error.code === code;

/** A connection whose other end the test plays. */
function pair(options: { timeoutMs?: number } = {}) {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const connection = createCdpConnection(createPipeTransport({ toBrowser, fromBrowser }), options);
  const asked = () =>
    JSON.parse(String(toBrowser.read()).replace(/\0$/, "")) as { id: number; method: string };
  const answer = (message: object) => fromBrowser.write(`${JSON.stringify(message)}\0`);
  return { connection, asked, answer, fromBrowser };
}

test("a call is answered by its id, whatever the order", async () => {
  const { connection, asked, answer } = pair();
  const first = connection.call("A.first");
  const one = asked();
  const second = connection.call("B.second", { x: 1 }, "S");
  assert.deepEqual(asked(), { id: 2, method: "B.second", params: { x: 1 }, sessionId: "S" });
  answer({ id: 2, result: { two: 2 } });
  answer({ id: one.id, result: { one: 1 } });
  answer({ id: 99, result: {} });
  assert.deepEqual(await Promise.all([first, second]), [{ one: 1 }, { two: 2 }]);
  await connection.close();
});

test("messages are found in any pieces, and more than one in a piece", async () => {
  const { connection, fromBrowser } = pair();
  const calls = [connection.call("A.a"), connection.call("A.b"), connection.call("A.c")];
  const bytes = Buffer.from(
    ["\u4e16", "b", "c"].map((x, i) => `${JSON.stringify({ id: i + 1, result: { x } })}\0`).join(""),
  );
  for (const byte of bytes.subarray(0, 40)) fromBrowser.write(Buffer.from([byte]));
  fromBrowser.write(bytes.subarray(40));
  assert.deepEqual(await Promise.all(calls), [{ x: "\u4e16" }, { x: "b" }, { x: "c" }]);
  await connection.close();
});

test("events reach the listeners of their session until those are disposed", async () => {
  const { connection, answer } = pair();
  const [browser, page]: [CdpEvent[], CdpEvent[]] = [[], []];
  using _ = connection.on(null, (event) => browser.push(event));
  const listening = connection.on("S", (event) => page.push(event));
  answer({ method: "Target.targetCreated", params: { x: 1 } });
  answer({ method: "Page.loadEventFired", sessionId: "S" });
  await sleep(10);
  listening[Symbol.dispose]();
  answer({ method: "Page.loadEventFired", sessionId: "S" });
  await sleep(10);
  assert.deepEqual(browser, [{ method: "Target.targetCreated", params: { x: 1 }, session: null }]);
  assert.deepEqual(page, [{ method: "Page.loadEventFired", params: {}, session: "S" }]);
  await connection.close();
});

test("refusals, silence, noise and a closed pipe are errors with codes", async () => {
  const refusing = pair();
  const refused = refusing.connection.call("A.a");
  refusing.answer({ id: 1, error: { code: -32601, message: "no such method" } });
  await assert.rejects(refused, /The browser refused A.a: no such method/);

  const silent = pair({ timeoutMs: 30 });
  await assert.rejects(silent.connection.call("A.a"), coded("TIMEOUT"));

  const noisy = pair();
  const lost = noisy.connection.call("A.a");
  noisy.fromBrowser.write("this is no JSON\0");
  await assert.rejects(lost, coded("PROTOCOL"));

  const closing = pair();
  const pending = closing.connection.call("A.a");
  closing.fromBrowser.destroy();
  await assert.rejects(pending, /A.a was not answered: the browser closed the pipe/);
  assert.equal(await closing.connection.closed, "the browser closed the pipe");
  await assert.rejects(closing.connection.call("A.b"), coded("PROTOCOL"));
});

test("setCookies finds out which of them the browser refuses, and takes a lost connection for no refusal", async () => {
  const { connection, asked, answer, fromBrowser } = pair();
  const orders = ["good", "bad"].map((name) => ({ param: { name } }));
  const refused = setCookies(connection, orders, {});
  for (const isTaken of [false, true, false]) {
    await sleep(5);
    const { id } = asked();
    answer(isTaken ? { id, result: {} } : { id, error: { code: -32602, message: "Invalid cookie fields" } });
  }
  assert.deepEqual([...(await refused)], [orders[1]]);
  const lost = setCookies(connection, orders, {});
  fromBrowser.destroy();
  await assert.rejects(lost, coded("PROTOCOL"));
});

test("connectCdp says what answers, and follows nobody to another host", async () => {
  await assert.rejects(connectCdp("not an address"), coded("BAD_INPUT"));
  await assert.rejects(connectCdp("file:///etc/passwd"), coded("BAD_INPUT"));
  await assert.rejects(connectCdp("ws://127.0.0.1:9/devtools/browser/secret-path"), (error) => {
    assert.ok(error instanceof DeputyError && !error.message.includes("secret-path"));
    return true;
  });
  const server = createServer((request, response) => {
    const evil = { webSocketDebuggerUrl: "ws://evil.example:1/devtools/browser/x" };
    response.end(request.url === "/json/version" ? JSON.stringify(evil) : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await assert.rejects(
    connectCdp(`http://127.0.0.1:${port}`, { timeoutMs: 5000 }),
    new RegExp(`127.0.0.1:${port}`),
  );
  server.close();
});

test("a real Chromium is steered over a pipe and over WebSocket at once, and is gone when closed", {
  skip: noChromium,
  timeout: 120_000,
}, async () => {
  using folder = temporaryFolder("cdp");
  const browser = await startChromium({ userData: folder.path, args: ["--remote-debugging-port=0"] });
  try {
    const { targetId } = await browser.connection.call("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await browser.connection.call("Target.attachToTarget", { targetId, flatten: true });
    const expression = { expression: "6 * 7", returnByValue: true };
    const evaluated = await browser.connection.call("Runtime.evaluate", expression, String(sessionId));
    assert.deepEqual(evaluated["result"], { type: "number", value: 42, description: "42" });
    await assert.rejects(browser.connection.call("No.such"), coded("PROTOCOL"));

    const file = join(folder.path, "DevToolsActivePort");
    for (let i = 0; i < 100 && !existsSync(file); i++) await sleep(50);
    const [port, path] = readFileSync(file, "utf8").split("\n");
    for (const endpoint of [`http://127.0.0.1:${port}`, `ws://127.0.0.1:${port}${path}`]) {
      await using other = await connectCdp(endpoint);
      const { product } = await other.call("Browser.getVersion");
      assert.match(String(product), /Chrom/);
    }
  } finally {
    await browser.close();
  }
  assert.equal(isRunning(browser.pid), false);
});
