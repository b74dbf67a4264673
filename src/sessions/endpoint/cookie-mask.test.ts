import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { CookieMask } from "./cookie-mask.ts";

const VALUE = 'MASK-c4n4ry/"0001"+x y%41';
const hidden = [
  { name: "sid", value: VALUE, domain: "shop.test", path: "/" },
  { name: "pin", value: "4711", domain: "shop.test", path: "/" },
];

function told(message: object, method = "Runtime.evaluate"): unknown {
  return JSON.parse(new CookieMask(hidden).serialise(message, method));
}

test("a value is masked in every form it may stand in", () => {
  const component = encodeURIComponent(VALUE);
  for (const form of [
    VALUE,
    component,
    component.replace(/%../g, (escape) => escape.toLowerCase()),
    new URLSearchParams([["v", VALUE]]).toString(),
    JSON.stringify({ v: VALUE }),
    JSON.stringify({ v: JSON.stringify({ v: VALUE }) }),
    'MASK-c4n4ry/"0001"+x yA',
  ])
    assert.doesNotMatch(JSON.stringify(told({ result: { value: `before ${form} after` } })), /c4n4ry/, form);
  assert.deepEqual(told({ [VALUE]: [`a${VALUE}b${VALUE}`] }), { "[redacted]": ["a[redacted]b[redacted]"] });
});

test("a body in base64 stays base64 of its length, with the value gone", () => {
  for (const before of ["", "x", "xy", "<html>"]) {
    const body = Buffer.from(`${before}${VALUE} and the rest`).toString("base64");
    const { result } = told({ result: { body, base64Encoded: true } }) as { result: { body: string } };
    assert.equal(result.body.length, body.length);
    const decoded = Buffer.from(result.body, "base64").toString("latin1");
    assert.ok(decoded.startsWith(before) && decoded.endsWith(" and the rest"));
    assert.doesNotMatch(decoded, /c4n4ry/);
  }
});

test("where cookies stand, short values and values that replaced others are masked too", () => {
  const cookie = { name: "pin", value: "4711", domain: ".shop.test", httpOnly: true };
  assert.deepEqual(told({ result: { cookies: [cookie] } }, "Network.getCookies"), {
    result: { cookies: [{ ...cookie, value: "[redacted]" }] },
  });
  const open = { ...cookie, httpOnly: false };
  const elsewhere = { ...cookie, domain: "other.test" };
  for (const one of [open, elsewhere]) assert.deepEqual(told([one], "Storage.getCookies"), [one]);

  const mask = new CookieMask(hidden);
  const event = {
    params: {
      headers: {
        Cookie: "a=1; pin=4711; sid=NEW-c4n4ry-00000002",
        "set-cookie": "x=1\nsid=N3W; HttpOnly\nsid=y",
      },
      headersText: "HTTP/1.1 200 OK\r\nSet-Cookie: pin=0815; HttpOnly\r\nX: 4711\r\n",
      responseHeaders: [{ name: "Set-Cookie", value: "pin=0815; Secure; httponly" }],
    },
  };
  assert.deepEqual(JSON.parse(mask.serialise(event, "Network.responseReceivedExtraInfo")), {
    params: {
      headers: {
        Cookie: "a=1; pin=[redacted]; sid=[redacted]",
        "set-cookie": "x=1\nsid=[redacted]; HttpOnly\nsid=y",
      },
      headersText: "HTTP/1.1 200 OK\r\nSet-Cookie: pin=[redacted]; HttpOnly\r\nX: 4711\r\n",
      responseHeaders: [{ name: "Set-Cookie", value: "pin=[redacted]; Secure; httponly" }],
    },
  });
  assert.equal(
    mask.serialise({ body: "it is NEW-c4n4ry-00000002" }, "Network.getResponseBody"),
    '{"body":"it is [redacted]"}',
  );
});

test("a site cannot have words masked by setting them as a cookie", () => {
  const mask = new CookieMask(hidden);
  mask.serialise({ headers: { "set-cookie": "sid=Runtime.executionContextCreated; HttpOnly" } }, "Network.x");
  const text = '{"method":"Runtime.executionContextCreated"}';
  assert.equal(mask.serialise(JSON.parse(text) as object, "Runtime.executionContextCreated"), text);
});

test("messages without a secret are told as they are, large ones too", (t) => {
  const many = Array.from({ length: 200 }, (_, i) => ({
    name: `c${i}`,
    value: randomBytes(24).toString("base64url"),
    domain: "shop.test",
    path: "/",
  }));
  const mask = new CookieMask(many);
  const screenshot = {
    id: 1,
    result: { data: randomBytes(3_000_000).toString("base64") },
  };
  const began = performance.now();
  const text = mask.serialise(screenshot, "Page.captureScreenshot");
  t.diagnostic(`4 MB against 200 cookies: ${(performance.now() - began).toFixed(1)} ms`);
  assert.equal(text, JSON.stringify(screenshot));
});
