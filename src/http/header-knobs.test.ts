import assert from "node:assert/strict";
import { test } from "node:test";
import { headers } from "./index.ts";
import { profileOf } from "./profile.ts";

const named = (knobs: Parameters<typeof headers>[0]) =>
  Object.fromEntries(headers(knobs).headers.map(([name, value]) => [name.toLowerCase(), value]));

test("without a gate to pass, only what every browser sends", () => {
  const { headers: pairs, ...rest } = headers({ accept: "json" });
  assert.deepEqual(
    pairs.map(([name]) => name),
    ["User-Agent", "Accept", "Accept-Encoding", "Accept-Language"],
  );
  assert.equal(named({ accept: "json" })["accept"], "application/json");
  assert.equal(named({})["accept"], "*/*");
  assert.match(named({ accept: "html" })["accept"] ?? "", /^text\/html,/);
  assert.deepEqual(rest, { ua: "chrome-desktop" });
});

test("waf adds client hints, Sec-Fetch-* and the HTTP version that passes", () => {
  const cf = named({ waf: "cf" });
  assert.deepEqual(
    [cf["sec-fetch-dest"], cf["sec-fetch-mode"], cf["sec-fetch-site"]],
    ["empty", "cors", "same-origin"],
  );
  assert.ok(cf["sec-ch-ua"]?.includes("Google Chrome"));
  assert.equal(headers({ waf: "cf" }).http2, true);
  assert.equal(headers({ waf: "vercel" }).http2, false);
});

test("navigate adds a page's headers and the device's hints", () => {
  const page = named({ waf: "cf", mode: "navigate", accept: "html" });
  assert.deepEqual(
    [page["sec-fetch-dest"], page["sec-fetch-mode"], page["sec-fetch-site"], page["sec-fetch-user"]],
    ["document", "navigate", "none", "?1"],
  );
  const hints = ["device-memory", "downlink", "dpr", "ect", "rtt", "viewport-width"];
  for (const hint of [...hints, "upgrade-insecure-requests", "cache-control"]) assert.ok(hint in page, hint);
  assert.equal(named({ mode: "navigate" })["sec-fetch-mode"], undefined, "only behind a gate");
});

test("ua is a browser in headers and TLS alike, or a text sent as it is", () => {
  for (const ua of ["chrome-desktop", "chrome-mobile", "safari-desktop"] as const) {
    assert.equal(headers({ ua }).ua, ua);
    assert.equal(named({ ua })["user-agent"], profileOf(ua).find("user-agent"));
  }
  assert.equal(named({ waf: "cf", ua: "safari-desktop" })["sec-ch-ua"], undefined);
  assert.equal(named({ ua: "mine/1" })["user-agent"], "mine/1");
  assert.equal(headers({ ua: "mine/1" }).ua, undefined);
});

test("extra wins over everything, whatever its case", () => {
  const mine = named({
    waf: "cf",
    ua: "mine/1",
    accept: "json",
    extra: { "SEC-FETCH-SITE": "cross-site", accept: "text/csv", "user-agent": "other/2", "X-Csrf": "1" },
  });
  assert.deepEqual(
    [mine["sec-fetch-site"], mine["accept"], mine["user-agent"], mine["x-csrf"]],
    ["cross-site", "text/csv", "other/2", "1"],
  );
});
