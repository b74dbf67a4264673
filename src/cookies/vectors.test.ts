import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { Jar, parseCookieDate, registrableDomain } from "./index.ts";

interface Visit {
  url: string;
  httpApi: boolean;
}
interface StateCase {
  id: string;
  steps: (Visit & { set: string })[];
  get: Visit;
  expect: string;
  tags: string[];
  chromium156: "same" | { sends: string } | { error: string };
}

const VECTORS = resolve(import.meta.dirname, "../../test/vectors/cookies");

function vectors<T>(file: string): T[] {
  return (JSON.parse(readFileSync(resolve(VECTORS, file), "utf8")) as { cases: T[] }).cases;
}

test("Jar sends what Chromium 156 sent in every http-state case", () => {
  const cases = vectors<StateCase>("http-state-parser.json").filter(
    ({ tags }) => !tags.includes("http-layer"),
  );
  assert.equal(cases.length, 220);
  for (const { id, steps, get, expect, chromium156 } of cases) {
    const jar = new Jar();
    for (const { set, url, httpApi } of steps) jar.set(set, url, { http: httpApi });
    const wanted = chromium156 === "same" ? expect : "sends" in chromium156 ? chromium156.sends : "";
    assert.equal(jar.header(get.url, { http: get.httpApi }), wanted, id);
  }
});

test("Jar sends what Chromium 156 sent in every case it was asked", () => {
  const file = resolve(VECTORS, "chromium156-probes.json");
  const { recordedAt } = JSON.parse(readFileSync(file, "utf8")) as { recordedAt: string };
  const cases = vectors<StateCase>("chromium156-probes.json");
  assert.equal(cases.length, 505);
  for (const { id, steps, get, expect } of cases) {
    const jar = new Jar({ now: () => Date.parse(recordedAt) });
    for (const { set, url, httpApi } of steps) jar.set(set, url, { http: httpApi });
    assert.equal(jar.header(get.url, { http: get.httpApi }), expect, id);
  }
});

test("parseCookieDate reads every date of the http-state suite", () => {
  const cases = vectors<{ test: string; expected: string | null }>("http-state-dates.json");
  assert.equal(cases.length, 70);
  for (const { test: text, expected } of cases) {
    const time = parseCookieDate(text);
    assert.equal(time === undefined ? null : new Date(time).toUTCString(), expected, text);
  }
});

test("registrableDomain agrees with every case of the public suffix list's own tests", () => {
  const cases = vectors<{ input: string | null; registrable: string | null }>("psl-registrable.json");
  assert.equal(cases.length, 78);
  for (const { input, registrable } of cases)
    assert.equal(input === null ? null : registrableDomain(input), registrable, String(input));
});
