/**
 * Replays generated Set-Cookie sequences into a real Chromium and into the Jar, and compares what each stores and
 * sends. The long form also asks Chromium once more what test/vectors/cookies/chromium156-probes.json says it answered.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { type Cookie, cookieKey, cookiesFromCdp, Jar } from "../src/cookies/index.ts";
import { CookieBrowser, noChromium } from "./support/cookie-browser.ts";
import { type CookieSequence, cookieSequence } from "./support/cookie-sequences.ts";
import { did, longForm, Rounds, seed } from "./support/fault-form.ts";

const TABS = 3;

/** The short form ends here on a machine that is busy with other things; what it got to is printed. */
const deadline = longForm ? Number.POSITIVE_INFINITY : Date.now() + 35_000;

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

test("Jar stores and sends what Chromium does", {
  skip: noChromium,
}, async (context) => {
  context.diagnostic(`seed ${seed}`);
  await using browser = await CookieBrowser.launch(TABS);
  const differences: object[] = [];
  const sequences = new Rounds({ short: 100, long: 5000, share: 0.5 });
  let [compared, sending] = [0, 0];
  const work = async (): Promise<void> => {
    for (const round of sequences) {
      if (Date.now() >= deadline) return;
      const sequence = cookieSequence(seed + round);
      const chromium = await browser.replay(sequence);
      const now = Date.now();
      const jar = replayInJar(sequence);
      const theirs = [chromium.sent, ...comparable(cookiesFromCdp(chromium.stored), now)];
      const ours = [jar.sent, ...comparable(jar.stored, now)];
      compared += 1;
      if (chromium.sent !== "") sending += 1;
      if (!isDeepStrictEqual(ours, theirs)) differences.push({ ...sequence, chromium: theirs, jar: ours });
    }
  };
  await Promise.all(Array.from({ length: TABS }, work));
  assert.equal(differences.length, 0, JSON.stringify(differences, null, 1));
  did(context, { sequences: compared, "that send something": sending }, { "other than Chromium": 0 });
});

test("Chromium still sends what the probes say it sent", {
  skip: noChromium || (!longForm && "only in the long form, npm run test:faults"),
}, async (context) => {
  interface Probe {
    id: string;
    steps: { set: string; url: string; httpApi: boolean }[];
    get: { url: string; httpApi: boolean };
    expect: string;
  }
  const file = join(import.meta.dirname, "vectors/cookies/chromium156-probes.json");
  const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: Probe[] };
  await using browser = await CookieBrowser.launch();
  const probes = new Rounds({ short: 0, long: cases.length, most: cases.length, share: 0.5 });
  for (const round of probes) {
    const { id, steps, get, expect } = cases[(seed + round) % cases.length]!;
    const { sent } = await browser.replay({
      seed: 0,
      steps: steps.map(({ set, url, httpApi }) => ({ set, url, http: httpApi })),
      get: { url: get.url, http: get.httpApi },
    });
    assert.equal(sent, expect, id);
  }
  did(context, { probes: probes.count }, { "other than before": 0 });
});
