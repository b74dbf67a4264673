/**
 * Replays generated Set-Cookie sequences into a real Chromium and into the Jar, and compares what each sends. A
 * seed makes a difference happen again: COOKIE_SEED=n. The long form is COOKIE_SEQUENCES=5000.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cookie, cookiesFromCdp, Jar } from "../src/cookies/index.ts";
import { CookieBrowser, noChromium } from "./support/cookie-browser.ts";
import { type CookieSequence, cookieSequence } from "./support/cookie-sequences.ts";

const TABS = 3;
const single = process.env.COOKIE_SEED;
const count = single === undefined ? Number(process.env.COOKIE_SEQUENCES ?? 300) : 1;
const first = Number(single ?? Date.now() % 1_000_000_000);

/** Clocks differ by the time a header takes to arrive; nothing else may. */
const TOLERANCE = 30_000;

function replayInJar({ steps, get }: CookieSequence): { sent: string; stored: Cookie[] } {
  const jar = new Jar();
  for (const { set, url, http } of steps) jar.set(set, url, { http });
  return { sent: jar.header(get.url, { http: get.http }), stored: jar.all() };
}

/** Everything both know of a cookie, one line each. Chromium does not tell when it was created. */
function describe(cookies: readonly Cookie[], now: number): string[] {
  return cookies
    .map(({ created: _created, updated: _updated, kind: _kind, expires, ...rest }) => {
      const ends = expires === null ? null : Math.round((expires - now) / TOLERANCE);
      return JSON.stringify({ ...rest, ends }, Object.keys({ ...rest, ends }).sort());
    })
    .sort();
}

test(`Jar stores and sends what Chromium does, in ${count} sequences from seed ${first}`, {
  skip: noChromium,
}, async (context) => {
  await using browser = await CookieBrowser.launch(TABS);
  const differences: object[] = [];
  let sending = 0;
  let next = first;
  const work = async (): Promise<void> => {
    while (next < first + count) {
      const sequence = cookieSequence(next++);
      const chromium = await browser.replay(sequence);
      const now = Date.now();
      const jar = replayInJar(sequence);
      const theirs = describe(cookiesFromCdp(chromium.stored), now);
      const ours = describe(jar.stored, now);
      if (chromium.sent !== "") sending += 1;
      if (jar.sent !== chromium.sent || ours.join() !== theirs.join())
        differences.push({ ...sequence, chromium: [chromium.sent, ...theirs], jar: [jar.sent, ...ours] });
    }
  };
  await Promise.all(Array.from({ length: TABS }, work));
  context.diagnostic(`${sending} of ${count} sequences send something`);
  assert.deepEqual(differences, [], `again with COOKIE_SEED=<seed>`);
});
