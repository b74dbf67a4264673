import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { NOW, testCookieReader } from "../../test/contracts/cookie-reader.ts";
import { noChromium, type RealChromium, startChromium } from "../../test/support/real-chromium.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { cookiesToCdp } from "../cookies/index.ts";
import { createBrowsers } from "./index.ts";

/** The contract's clock, made the browser's: a real one would not take cookies that have ended. */
const shift = Date.now() - NOW;
const folder = temporaryFolder("live");
let chromium: RealChromium | undefined;
let endpoint = "";

before(
  async () => {
    if (noChromium !== false) return;
    chromium = await startChromium({ userData: folder.path, args: ["--remote-debugging-port=0"] });
    const file = join(folder.path, "DevToolsActivePort");
    for (let i = 0; i < 200 && !existsSync(file); i++) await sleep(50);
    endpoint = `http://127.0.0.1:${readFileSync(file, "utf8").split("\n")[0]}`;
  },
  { timeout: 60_000 },
);
after(async () => {
  await chromium?.close();
  folder[Symbol.dispose]();
});

testCookieReader({
  name: "The live reader",
  skip: noChromium,
  most: 1000,
  hasFile: false,
  async make(cookies) {
    await chromium?.connection.call("Storage.clearCookies");
    const shifted = cookies
      .filter(({ expires }) => expires === null || expires > NOW)
      .map((one) => ({
        ...one,
        kind: "portable" as const,
        expires: one.expires === null ? null : one.expires + shift,
      }));
    const params = cookiesToCdp(shifted).cookies;
    await chromium?.connection.call("Storage.setCookies", { cookies: params });
    const reader = createBrowsers({ env: {} }).live(endpoint);
    return { reader, async [Symbol.asyncDispose]() {} };
  },
  kept: ({ created: _created, updated: _updated, expires, ...rest }) => ({
    ...rest,
    expires: expires === null ? null : expires + shift,
  }),
});

test("The live reader says that nobody answers", async () => {
  const reader = createBrowsers({ env: {} }).live("http://127.0.0.1:9");
  const { cookies, warnings } = await reader.read();
  assert.deepEqual([cookies, warnings.map(({ code }) => code)], [[], ["BROWSER_UNREACHABLE"]]);
  assert.equal((await reader.summary()).readable, false);
});

test("The live reader has a new stamp each time: only asking tells", async () => {
  const reader = createBrowsers({ env: {} }).live("http://127.0.0.1:9");
  assert.notEqual(await reader.stamp(), await reader.stamp());
});
