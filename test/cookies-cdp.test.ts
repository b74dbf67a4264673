/** Hands generated cookies to a real Chromium and compares what it holds with what we said it would hold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { type Cookie, cookieKey, cookiesFromCdp, cookiesToCdp } from "../src/cookies/index.ts";
import { arbitraryCookie } from "./support/arbitrary-cookie.ts";
import { CookieBrowser, noChromium } from "./support/cookie-browser.ts";

const DAY = 86_400_000;

/** Chromium keeps no creation time it is not told, and answers in an order of its own. */
function comparable(cookies: readonly Cookie[]): object[] {
  return cookies
    .toSorted((a, b) => (cookieKey(a) < cookieKey(b) ? -1 : 1))
    .map(({ created: _created, updated: _updated, ...rest }) => rest);
}

test("CDP params arrive in Chromium field by field, and none makes it refuse the others", {
  skip: noChromium,
}, async () => {
  await using browser = await CookieBrowser.launch();
  const now = Date.now();
  const batch = fc.uniqueArray(arbitraryCookie, {
    minLength: 40,
    maxLength: 80,
    // One site may not reach its limit, and one cookie may not replace another.
    selector: ({ name, domain, path }) => `${name} ${domain} ${path}`,
  });
  const cookies = fc.sample(batch, 8).map((one) =>
    // Far enough from now that the time the test takes decides nothing, near enough that nothing is capped.
    one.map((cookie) => ({
      ...cookie,
      expires: cookie.expires && now + DAY + (cookie.expires % (300 * DAY)),
    })),
  );
  for (const one of cookies) {
    const { cookies: params } = cookiesToCdp(one, { now });
    const held = cookiesFromCdp(await browser.deliver(params), { now });
    assert.deepEqual(comparable(held), comparable(cookiesFromCdp(params, { now })));
  }
});
