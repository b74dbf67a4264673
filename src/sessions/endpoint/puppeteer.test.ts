import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import puppeteer, { type Browser } from "puppeteer-core";
import {
  type EndpointBrowser,
  startEndpointBrowser,
  type TestSession,
} from "../../../test/support/endpoint-browser.ts";
import { noChromium } from "../../../test/support/real-chromium.ts";
import type { ServedEndpoint } from "../index.ts";
import { LoopbackEndpointServer } from "./endpoint-server.ts";

const SECRET = "PUPPETEER-c4n4ry-0001-secret";

const skip = noChromium;
let browsers: EndpointBrowser;
let server: LoopbackEndpointServer;
let session: TestSession;
let endpoint: ServedEndpoint;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  browsers = await startEndpointBrowser();
  server = new LoopbackEndpointServer();
  session = await browsers.session({
    hidden: [{ name: "sid", value: SECRET, domain: "shop.test", path: "/" }],
  });
  await browsers.session();
  endpoint = await server.serve(session);
  browser = await puppeteer.connect({ browserWSEndpoint: endpoint.url, defaultViewport: null });
});
after(async () => {
  await browser?.disconnect();
  await server?.[Symbol.asyncDispose]();
  await browsers?.[Symbol.asyncDispose]();
});

test("Puppeteer sees the session's page and no other, and drives it", { skip, timeout: 60_000 }, async () => {
  assert.equal(browser.browserContexts().length, 1);
  assert.deepEqual(
    browser.targets().map((target) => target.type()),
    ["page"],
  );
  const [page] = await browser.pages();
  assert.ok(page !== undefined);
  await page.goto(browsers.origin("shop.test"));
  await page.type("#name", "agent");
  await page.click("#go");
  assert.equal(await page.title(), "hello agent");
  assert.equal(await page.evaluate(() => 6 * 7), 42);
  assert.ok((await page.screenshot()).length > 1000);
  assert.ok((await page.pdf()).length > 1000);
  assert.equal(browsers.cookiesSent.get("shop.test/"), `sid=${SECRET}`);
});

test("Puppeteer opens and closes pages, follows popups and intercepts requests", {
  skip,
  timeout: 60_000,
}, async () => {
  const page = await browser.newPage();
  await page.goto(browsers.origin("shop.test"));
  const popup = new Promise<string>((resolve) => {
    page.once("popup", (opened) => resolve(opened?.url() ?? ""));
  });
  await page.click("#open");
  assert.ok((await popup).length > 0);

  await page.setRequestInterception(true);
  page.on("request", (request) => {
    if (request.url().endsWith("/made-up")) void request.respond({ body: "made up" });
    else void request.continue({ headers: { ...request.headers(), "x-more": "1" } });
  });
  assert.equal(await page.evaluate(async () => (await fetch("/made-up")).text()), "made up");
  const echoed = await page.goto(`${browsers.origin("shop.test")}/echo`);
  assert.equal(browsers.cookiesSent.get("shop.test/echo"), `sid=${SECRET}`);
  assert.equal(await echoed?.text(), "you sent sid=[redacted]");
  await page.close();
  await assert.rejects(browser.createBrowserContext(), /one session, which is one context/);
});

test("Puppeteer sees cookies but not the values of those that were cloned", {
  skip,
  timeout: 60_000,
}, async () => {
  await browser.setCookie({ name: "mine", value: "my-own-value", domain: "shop.test", path: "/" });
  const byName = new Map((await browser.cookies()).map(({ name, value }) => [name, value]));
  assert.deepEqual(Object.fromEntries(byName), { sid: "[redacted]", mine: "my-own-value" });
});

test("Puppeteer's uploads come from the session's folder only", { skip, timeout: 60_000 }, async () => {
  const page = await browser.newPage();
  await page.goto(browsers.origin("shop.test"));
  const input = await page.$("input[type=file]");
  assert.ok(input !== null);
  await assert.rejects(input.uploadFile("/etc/hostname"), /only files in/);
  writeFileSync(join(session.folder, "upload.txt"), "to be sent");
  await input.uploadFile(join(session.folder, "upload.txt"));
  await assert.rejects(page.goto("file:///etc/hostname"), /only http, https/);
  await assert.rejects(page.goto("chrome://version"), /only http, https/);
  await assert.rejects(page.goto(`${browsers.origin("shop.test")}/away`));
  await page.close();
});

test("A page of Deputy's own does not show", { skip, timeout: 60_000 }, async () => {
  const { connection } = browsers.chromium;
  const hidden = { url: "about:blank", browserContextId: session.contextId, hidden: true };
  const { targetId } = await connection.call("Target.createTarget", hidden);
  const page = await browser.newPage();
  assert.deepEqual([...new Set(browser.targets().map((target) => target.type()))], ["page"]);
  assert.equal((await browser.pages()).length, browser.targets().length);
  await page.close();
  await connection.call("Target.closeTarget", { targetId });
});

test("Closing the browser only ends the client", { skip, timeout: 60_000 }, async () => {
  const second = await puppeteer.connect({ browserWSEndpoint: endpoint.url, defaultViewport: null });
  const gone = new Promise<void>((resolve) => second.once("disconnected", () => resolve()));
  await second.close();
  await gone;
  assert.equal(await browser.version(), await browser.version());
});
