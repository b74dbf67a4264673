import assert from "node:assert/strict";
import { test } from "node:test";
import { Jar, parseCookie } from "./index.ts";

const URL = "https://www.example.com/";
const DAY = 86_400_000;

function names(jar: Jar): string[] {
  return jar.all().map(({ name }) => name);
}

test("Jar keeps 180 cookies of one site and cuts back to the 150 used last at the next one", () => {
  const jar = new Jar();
  for (let n = 0; n < 180; n += 1) jar.set(`c${n}=1`, URL);
  assert.equal(names(jar).length, 180);
  jar.set("c180=1; Domain=example.com", "https://other.example.com/");
  assert.equal(names(jar).length, 150);
  assert.ok(!names(jar).includes("c30"));
  assert.ok(names(jar).includes("c31"));
  assert.equal(jar.changes().filter(({ kind }) => kind === "delete").length, 31);
});

test("Jar evicts low priority first, and plain cookies before Secure ones", () => {
  const jar = new Jar();
  for (let n = 0; n < 60; n += 1) jar.set(`high${n}=1; Priority=High`, URL);
  for (let n = 0; n < 60; n += 1) jar.set(`secure${n}=1; Secure`, URL);
  for (let n = 0; n < 61; n += 1) jar.set(`low${n}=1; Priority=Low`, URL);
  assert.equal(names(jar).filter((name) => name.startsWith("high")).length, 60);
  assert.equal(names(jar).filter((name) => name.startsWith("secure")).length, 60);
  assert.equal(names(jar).filter((name) => name.startsWith("low")).length, 30);
});

test("Jar counts every site by itself", () => {
  const jar = new Jar();
  for (let n = 0; n < 180; n += 1) jar.set(`c${n}=1`, URL);
  jar.set("a=1", "https://example.org/");
  assert.equal(names(jar).length, 181);
});

test("Jar gives one site 10,240 bytes of a partition", () => {
  const jar = new Jar();
  for (let n = 0; n < 6; n += 1) jar.set(`c${n}=${"x".repeat(2000)}; Secure; Partitioned`, URL);
  assert.deepEqual(names(jar), ["c1", "c2", "c3", "c4", "c5"]);
});

test("Jar cuts 3,300 cookies back to 3,000, but never one used within 30 days", () => {
  const now = Date.UTC(2026, 10, 1);
  const cookies = (age: number): Jar =>
    new Jar({
      now: () => now,
      cookies: Array.from({ length: 3300 }, (_, n) =>
        parseCookie({ name: "a", value: "1", domain: `s${n}.com` }, { now: now - age }),
      ),
    });
  const stale = cookies(31 * DAY);
  stale.set("a=1", URL);
  assert.equal(stale.all().length, 3000);
  const recent = cookies(29 * DAY);
  recent.set("a=1", URL);
  assert.equal(recent.all().length, 3301);
});
