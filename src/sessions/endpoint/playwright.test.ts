import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Browser, chromium as playwright, type Page } from "playwright-core";
import {
  type EndpointBrowser,
  startEndpointBrowser,
  type TestSession,
} from "../../../test/support/endpoint-browser.ts";
import { noChromium } from "../../../test/support/real-chromium.ts";
import type { ServedEndpoint } from "../index.ts";
import { LoopbackEndpointServer } from "./endpoint-server.ts";

const SECRET = "PLAYWRIGHT-c4n4ry-0001-secret";
const OTHER = "OTHER-c4n4ry-0003-secret";

const skip = noChromium;
let browsers: EndpointBrowser;
let server: LoopbackEndpointServer;
let session: TestSession;
let other: TestSession;
let endpoint: ServedEndpoint;

before(async () => {
  if (skip !== false) return;
  browsers = await startEndpointBrowser();
  server = new LoopbackEndpointServer();
  const hidden = (value: string) => [{ name: "sid", value, domain: "shop.test", path: "/" }];
  session = await browsers.session({ hidden: hidden(SECRET) });
  other = await browsers.session({ hidden: hidden(OTHER) });
  endpoint = await server.serve(session);
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await browsers?.[Symbol.asyncDispose]();
});

async function withPage(use: (page: Page, browser: Browser) => Promise<void>, options = {}): Promise<void> {
  const browser = await playwright.connectOverCDP(endpoint.url, { timeout: 20_000, ...options });
  try {
    const [context] = browser.contexts();
    assert.ok(context !== undefined && browser.contexts().length === 1);
    const page = context.pages()[0] ?? (await context.newPage());
    await use(page, browser);
  } finally {
    await browser.close();
  }
}

test("Playwright drives the session's page as it is, by ws and by http", {
  skip,
  timeout: 60_000,
}, async () => {
  await withPage(async (page, browser) => {
    assert.equal(browser.contexts()[0]?.pages().length, 1);
    await page.goto(browsers.origin("shop.test"));
    await page.fill("#name", "agent");
    await page.click("#go");
    assert.equal(await page.title(), "hello agent");
    assert.equal(await page.evaluate(() => 6 * 7), 42);
    assert.ok((await page.screenshot()).length > 1000);
    assert.match(await page.content(), /document.cookie/);
    assert.equal(browsers.cookiesSent.get("shop.test/"), `sid=${SECRET}`);
  });
  const browser = await playwright.connectOverCDP(endpoint.url.replace("ws:", "http:"), { timeout: 20_000 });
  assert.equal(await browser.contexts()[0]?.pages()[0]?.title(), "hello agent");
  await browser.close();
});

test("Playwright opens pages, follows popups, routes requests and waits for what they say", {
  skip,
  timeout: 60_000,
}, async () => {
  await withPage(async (_, browser) => {
    const [context] = browser.contexts();
    assert.ok(context !== undefined);
    const page = await context.newPage();
    await page.goto(browsers.origin("shop.test"));
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("#open")]);
    await popup.waitForLoadState();
    assert.match(popup.url(), /\/other$/);
    await popup.close();

    await page.route("**/made-up", (route) => route.fulfill({ body: "made up" }));
    const made = await page.evaluate(async () => (await fetch("/made-up")).text());
    assert.equal(made, "made up");
    await page.close();
    await assert.rejects(browser.newContext(), /one session, which is one context/);
  });
});

test("Playwright sees cookies but not the values of those that were cloned, and its own whole", {
  skip,
  timeout: 60_000,
}, async () => {
  await withPage(async (page, browser) => {
    const [context] = browser.contexts();
    assert.ok(context !== undefined);
    await context.addCookies([
      { name: "mine", value: "my-own-value", domain: "shop.test", path: "/", httpOnly: true },
    ]);
    const byName = new Map((await context.cookies()).map(({ name, value }) => [name, value]));
    assert.equal(byName.get("sid"), "[redacted]");
    assert.equal(byName.get("mine"), "my-own-value");

    // A handler that gives back the headers it was shown does not log the session out.
    await page.route("**/echo", async (route) => {
      await route.continue({ headers: { ...(await route.request().allHeaders()), "x-more": "1" } });
    });
    const response = await page.goto(`${browsers.origin("shop.test")}/echo`);
    assert.match(browsers.cookiesSent.get("shop.test/echo") ?? "", new RegExp(`sid=${SECRET}`));
    assert.match(await response!.text(), /you sent (mine=my-own-value; )?sid=\[redacted\]/);
    assert.doesNotMatch(JSON.stringify(await response!.request().allHeaders()), new RegExp(SECRET));
    await assert.rejects(context.addCookies(await context.cookies()), /value is masked/);
    await context.clearCookies({ name: "mine" });
  });
});

test("Playwright's downloads and uploads stay in the session's folder, wherever it wanted them", {
  skip,
  timeout: 60_000,
}, async () => {
  const download = async (page: Page) => {
    await page.goto(browsers.origin("shop.test"));
    const [begun] = await Promise.all([page.waitForEvent("download"), page.click("#get")]);
    assert.equal(begun.suggestedFilename(), "report.txt");
    assert.equal(await begun.failure(), null);
    return begun;
  };
  await withPage(async (page) => {
    await download(page);
    const [file = ""] = readdirSync(session.folder);
    assert.equal(readFileSync(join(session.folder, file), "utf8"), "a report");
    writeFileSync(join(session.folder, "upload.txt"), "to be sent");
    await page.setInputFiles("#file", join(session.folder, "upload.txt"));
    const name = "document.getElementById('file').files[0].name";
    assert.equal(await page.evaluate(name), "upload.txt");
  });
  const local = { artifactsDir: session.folder, isLocal: true };
  await withPage(async (page) => {
    const path = await (await download(page)).path();
    assert.equal(readFileSync(path, "utf8"), "a report");
    // Playwright tries until its patience ends.
    await assert.rejects(page.setInputFiles("#file", "/etc/hostname", { timeout: 1000 }));
  }, local);
});

test("Playwright reaches frames of other sites and workers", { skip, timeout: 60_000 }, async () => {
  await withPage(async (page) => {
    await page.goto(browsers.origin("shop.test"));
    const [worker] = await Promise.all([
      page.waitForEvent("worker"),
      page.evaluate("new Worker(URL.createObjectURL(new Blob(['self.answer = 42'])))"),
    ]);
    assert.equal(await worker.evaluate("self.answer"), 42);
    const address = `${browsers.origin("frame.other.test")}/framed`;
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement("iframe"), {src: "${address}"}))`,
    );
    const frame = page.frameLocator("iframe");
    await frame.locator("#name").fill("framed");
    await frame.locator("#go").click();
    assert.equal(await page.frames()[1]?.title(), "hello framed");
  });
});

test("closing the browser only ends the client", { skip, timeout: 60_000 }, async () => {
  await withPage(async () => {});
  const { targetInfos } = await browsers.chromium.connection.call("Target.getTargets");
  const ids = (targetInfos as { targetId: string }[]).map(({ targetId }) => targetId);
  assert.ok(ids.includes(session.page) && ids.includes(other.page));
  assert.ok(existsSync(session.folder));
});
