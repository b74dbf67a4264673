import assert from "node:assert/strict";
import { test } from "node:test";
import { DeputyError } from "../kernel/index.ts";
import { type Cookie, cookiesFor, parseCookie } from "./index.ts";

const NOW = Date.UTC(2026, 10, 1);
const partitionKey = { topLevelSite: "https://news.com", crossSiteAncestor: true };

const cookies = [
  { name: "parent", domain: "x.com" },
  { name: "host", domain: "www.x.com", hostOnly: true },
  { name: "sibling", domain: "api.x.com", hostOnly: true },
  { name: "apex", domain: "x.com", hostOnly: true },
  { name: "stranger", domain: "notx.com" },
  { name: "expired", domain: "x.com", expires: NOW - 1 },
  { name: "secure", domain: "x.com", secure: true },
  { name: "deep", domain: "x.com", path: "/deep" },
  { name: "hidden", domain: "x.com", httpOnly: true },
  { name: "partitioned", domain: "x.com", secure: true, partitionKey },
].map((record) => parseCookie({ value: "1", ...record }, { now: NOW }));

function names(found: Cookie[]): string {
  return found.map(({ name }) => name).join(" ");
}

test("cookiesFor a URL includes the parent domain and excludes siblings, expired and partitioned cookies", () => {
  const find = (url: string, options = {}): string =>
    names(cookiesFor(cookies, { url }, { now: NOW, ...options }));
  assert.equal(find("https://www.x.com/"), "parent host secure hidden");
  assert.equal(find("http://www.x.com/"), "parent host hidden");
  assert.equal(find("https://www.x.com/deep/er"), "deep parent host secure hidden");
  assert.equal(find("https://x.com/"), "parent apex secure hidden");
  assert.equal(find("https://www.x.com/", { http: false }), "parent host secure");
  assert.equal(find("https://www.x.com/", { partitionKey }), "parent host secure hidden partitioned");
  assert.equal(find("data:text/plain,"), "");
});

test("cookiesFor a host asks for neither path nor connection", () => {
  const find = (host: string): string => names(cookiesFor(cookies, { host }, { now: NOW }));
  assert.equal(find("www.x.com"), "deep parent host secure hidden");
  assert.equal(find(".WWW.X.com"), "deep parent host secure hidden");
  assert.equal(find("com"), "");
});

test("cookiesFor refuses what is not a host or an absolute URL", () => {
  for (const target of [{ host: "a b" }, { url: "www.x.com" }])
    assert.throws(() => cookiesFor(cookies, target), DeputyError);
});
