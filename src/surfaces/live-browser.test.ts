import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testSurface, wanted } from "../../test/contracts/surface.ts";
import { noChromium, startChromium } from "../../test/support/real-chromium.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { type Cookie, cookiesFromCdp, cookiesToCdp } from "../cookies/index.ts";
import { createLiveSurface } from "./index.ts";

const clock = { now: () => Date.now() };
const folder = temporaryFolder("live");
const browser = noChromium === false ? await startChromium({ userData: folder.path }) : undefined;
test.after(async () => {
  await browser?.close();
  folder[Symbol.dispose]();
});

testSurface({
  name: "running Chromium",
  skip: noChromium,
  rounds: 40,
  // What Chromium makes of a record is said in one place: cookiesToCdp.
  kept: (cookie) => shown(cookiesFromCdp(cookiesToCdp([cookie], { now: NOW }).cookies)[0] ?? cookie),
  async make() {
    assert.ok(browser);
    const { browserContextId: context } = await browser.connection.call("Target.createBrowserContext");
    assert.ok(typeof context === "string");
    return {
      surface: createLiveSurface({ endpoint: browser.connection, context, clock }),
      async read() {
        const { cookies } = await browser.connection.call("Storage.getCookies", {
          browserContextId: context,
        });
        return cookiesFromCdp(cookies).map(shown);
      },
      [Symbol.asyncDispose]: async () =>
        void (await browser.connection.call("Target.disposeBrowserContext", { browserContextId: context })),
    };
  },
});

function shown({ created: _c, updated: _u, kind: _k, expires, ...cookie }: Cookie): Partial<Cookie> {
  return { ...cookie, expires: expires === null ? null : Math.round(expires / 10_000) };
}

test("contexts are kept apart, and more than a site may have are refused by name", {
  skip: noChromium,
}, async () => {
  assert.ok(browser);
  const { browserContextId } = await browser.connection.call("Target.createBrowserContext");
  const context = String(browserContextId);
  const want = Array.from({ length: 200 }, (_, i) =>
    wanted({ name: `n${i}`, expires: Date.now() + 86_400_000 }),
  );
  const surface = createLiveSurface({ endpoint: browser.connection, context, clock });
  const done = await surface.deliver(want, []);
  assert.equal(done.delivered + done.refused.length, 200);
  assert.ok(done.refused.length > 0, "Chromium keeps 180 of a site");
  assert.match(done.refused[0]?.reason ?? "", /did not keep it/);
  assert.deepEqual(await browser.cookies(), []);
  await browser.connection.call("Target.disposeBrowserContext", { browserContextId });
});
