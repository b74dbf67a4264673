/** The endpoint on sessions as they are opened: cloned, prepared and fenced by the rest of this folder. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { chromium as playwright } from "playwright-core";
import { noChromium } from "../../../test/support/real-chromium.ts";
import { startSessionSite } from "../../../test/support/session-site.ts";
import { owner, request, seed, sessionsWith } from "../../../test/support/test-sessions.ts";
import { LoopbackEndpointServer } from "./endpoint-server.ts";

const CANARY = "canary-of-a-cloned-login";

const skip = noChromium;
const { signal } = new AbortController();
const all = sessionsWith(startSessionSite);
const server = new LoopbackEndpointServer();
after(() => server[Symbol.asyncDispose]());

test("two agents drive clones of one login side by side, each by Playwright", {
  skip,
  timeout: 60_000,
}, async () => {
  const { sessions } = all.held;
  const drive = async (name: string) => {
    const agent = owner(name);
    const origin = all.site.url("shop.test").replace(/\/$/, "");
    const stored = { origin, local: [["token", `kept by ${name}`]] as const, databases: [], lost: [] };
    const source = async () => seed({ origins: [origin], storageOf: async () => stored });
    const { id } = await sessions.open(request(agent, { seed: source }), signal);
    const endpoint = await server.serve(await sessions.live(agent, id, signal));
    const browser = await playwright.connectOverCDP(endpoint.url, { timeout: 20_000 });
    const [context] = browser.contexts();
    assert.ok(context !== undefined);
    const page = await context.newPage();
    await page.goto(all.site.url("shop.test"));
    await page.evaluate(`document.cookie = "agent=${name}"`);
    await page.goto(all.site.url("shop.test"));
    assert.equal(await page.locator("p").innerText(), `sid=[redacted]; agent=${name}`);
    assert.equal(await page.evaluate("navigator.webdriver"), false);
    assert.equal(await page.evaluate("localStorage.token"), `kept by ${name}`);

    const [opened] = await Promise.all([
      context.waitForEvent("page"),
      sessions.tab(agent, id, all.site.url("shop.test", "/tab"), signal),
    ]);
    await opened.waitForURL(/\/tab$/);
    const gone = new Promise<void>((resolve) => browser.once("disconnected", () => resolve()));
    return { agent, id, gone, pages: () => context.pages().length, page };
  };
  const [a, b] = await Promise.all([drive("a"), drive("b")]);
  const sent = all.site.requests.filter(({ path, host }) => path === "/" && host === "shop.test");
  assert.ok(sent.every(({ headers }) => headers.cookie?.includes(CANARY)));
  assert.equal(a.pages(), b.pages());
  await sessions.dispose(a.agent, a.id);
  await a.gone;
  assert.equal(await b.page.title(), "/");
  await sessions.dispose(b.agent, b.id);
  await b.gone;
});
