/**
 * Replays generated Set-Cookie sequences into a real Chromium and into the Jar, and compares what each stores and
 * sends. COOKIE_SEED=n makes a difference happen again; COOKIE_SEQUENCES=5000 is the long form, which also asks
 * Chromium once more what test/vectors/cookies/chromium156-probes.json says it answered.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { type Cookie, cookieKey, cookiesFromCdp, Jar } from "../src/cookies/index.ts";
import { CookieBrowser, noChromium } from "./support/cookie-browser.ts";
import { type CookieSequence, cookieSequence } from "./support/cookie-sequences.ts";

const TABS = 3;
const single = process.env.COOKIE_SEED;
const long = process.env.COOKIE_SEQUENCES;
const count = single === undefined ? Number(long ?? 100) : 1;
const first = Number(single ?? Date.now() % 1_000_000_000);

/** The short form ends here on a machine that is busy with other things; what it got to is printed. */
const deadline = long === undefined ? Date.now() + 35_000 : Number.POSITIVE_INFINITY;

/** Clocks differ by the time a header takes to arrive; nothing else may. */
const TOLERANCE = 30_000;

function replayInJar({ steps, get }: CookieSequence): { sent: string; stored: Cookie[] } {
  const jar = new Jar();
  for (const { set, url, http } of steps) jar.set(set, url, { http });
  return { sent: jar.header(get.url, { http: get.http }), stored: jar.all() };
}

/** Everything both know of each cookie. Chromium does not tell when it was created. */
function comparable(cookies: readonly Cookie[], now: number): object[] {
  return cookies
    .toSorted((a, b) => (cookieKey(a) < cookieKey(b) ? -1 : 1))
    .map(({ created: _created, updated: _updated, kind: _kind, expires, ...rest }) => {
      const ends = expires === null ? null : Math.round((expires - now) / TOLERANCE);
      return { ...rest, ends };
    });
}

test(`Jar stores and sends what Chromium does, in ${count} sequences from seed ${first}`, {
  skip: noChromium,
}, async (context) => {
  await using browser = await CookieBrowser.launch(TABS);
  const differences: object[] = [];
  let sending = 0;
  let next = first;
  const work = async (): Promise<void> => {
    while (next < first + count && Date.now() < deadline) {
      const sequence = cookieSequence(next++);
      const chromium = await browser.replay(sequence);
      const now = Date.now();
      const jar = replayInJar(sequence);
      const theirs = [chromium.sent, ...comparable(cookiesFromCdp(chromium.stored), now)];
      const ours = [jar.sent, ...comparable(jar.stored, now)];
      if (chromium.sent !== "") sending += 1;
      if (!isDeepStrictEqual(ours, theirs)) differences.push({ ...sequence, chromium: theirs, jar: ours });
    }
  };
  await Promise.all(Array.from({ length: TABS }, work));
  context.diagnostic(`${sending} of ${next - first} sequences send something`);
  assert.equal(differences.length, 0, JSON.stringify(differences, null, 1));
});

test("Chromium still sends what the probes say it sent", {
  skip: noChromium || (long === undefined && "only in the long form (COOKIE_SEQUENCES)"),
}, async () => {
  interface Probe {
    id: string;
    steps: { set: string; url: string; httpApi: boolean }[];
    get: { url: string; httpApi: boolean };
    expect: string;
  }
  const file = join(import.meta.dirname, "vectors/cookies/chromium156-probes.json");
  const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: Probe[] };
  await using browser = await CookieBrowser.launch();
  for (const { id, steps, get, expect } of cases) {
    const { sent } = await browser.replay({
      seed: 0,
      steps: steps.map(({ set, url, httpApi }) => ({ set, url, http: httpApi })),
      get: { url: get.url, http: get.httpApi },
    });
    assert.equal(sent, expect, id);
  }
});
