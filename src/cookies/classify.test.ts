import assert from "node:assert/strict";
import { test } from "node:test";
import { classify, parseCookie } from "./index.ts";

function cookie(record: object): ReturnType<typeof parseCookie> {
  return parseCookie({ name: "a", value: "1", domain: "example.com", expires: 4e12, ...record });
}

test("classify says how far a cookie can travel", () => {
  assert.deepEqual(classify(cookie({})), { kind: "portable" });
  assert.deepEqual(classify(cookie({ expires: null })), { kind: "session" });
  const partitionKey = { topLevelSite: "https://news.com", crossSiteAncestor: true };
  assert.deepEqual(classify(cookie({ expires: null, partitionKey })), { kind: "partitioned" });
});

test("classify suspects cookies that services are known to bind to a device, and says why", () => {
  const bound = [
    cookie({ name: "__Secure-1PSIDTS", domain: "google.com" }),
    cookie({ name: "__Secure-3PSIDTS", domain: "google.co.uk" }),
    cookie({ name: "__Secure-3PSIDRTS", domain: "youtube.com" }),
    cookie({ name: "x-ms-RefreshTokenCredential", domain: "login.microsoftonline.com" }),
  ];
  for (const one of bound) {
    const { kind, reason } = classify(one);
    assert.equal(kind, "device-bound-suspect", one.name);
    assert.match(reason ?? "", /device/);
  }
  assert.equal(classify(cookie({ name: "__Secure-1PSIDTS", domain: "notgoogle.com" })).kind, "portable");
});

test("classify believes the browser's own store of bound sessions before it guesses", () => {
  const label = classify(cookie({}), {
    deviceBound: ({ name }) => (name === "a" ? "bound in session 1" : undefined),
  });
  assert.deepEqual(label, { kind: "device-bound-suspect", reason: "bound in session 1" });
});
