import assert from "node:assert/strict";
import { test } from "node:test";
import { targetUrl } from "./target-url.ts";

const base = new URL("https://api.bank.test/v1");

/** What is asked for, and where it goes; undefined where it is refused. */
const CASES: readonly (readonly [string, string | undefined])[] = [
  ["/tasks", "https://api.bank.test/v1/tasks"],
  ["tasks", "https://api.bank.test/v1/tasks"],
  ["tasks?q=a/b#c", "https://api.bank.test/v1/tasks?q=a/b"],
  ["?q=1", "https://api.bank.test/v1?q=1"],
  ["", "https://api.bank.test/v1"],
  ["/a/../b", "https://api.bank.test/v1/b"],
  ["https://other.test/x", "https://other.test/x"],
  ["HTTPS://Other.TEST:443/x", "https://other.test/x"],
  ["//other.test/x", "https://other.test/x"],
  ["https://bücher.test/", "https://xn--bcher-kva.test/"],
  ["https://BÜCHER.test/", "https://xn--bcher-kva.test/"],
  ["http://0x7f000001/", "http://127.0.0.1/"],
  ["http://2130706433/", "http://127.0.0.1/"],
  ["http://127.1/", "http://127.0.0.1/"],
  ["http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"],
  ["https://other.test:8443/", "https://other.test:8443/"],
  ["https://user@other.test/", undefined],
  ["https://user:pass@other.test/", undefined],
  ["https://:pass@other.test/", undefined],
  ["https://other.test./", undefined],
  ["https://other..test/", undefined],
  ["https://other.test:0/", undefined],
  ["https://other.test:99999/", undefined],
  ["https://other test/", undefined],
  ["https://other.test/a b", undefined],
  ["https://other.test/\r\nHost: x", undefined],
  ["https://other.test\\@evil.test/", undefined],
  ["\\\\other.test/", undefined],
  ["\thttps://other.test/", undefined],
  ["https://", undefined],
  ["https://[::1", undefined],
  ["https://a%00b.test/", undefined],
  ["ftp://other.test/", undefined],
  ["file:///etc/passwd", undefined],
  ["javascript:alert(1)", undefined],
  ["data:,x", undefined],
  ["ws://other.test/", undefined],
  ["blob:https://other.test/1", undefined],
];

test("a URL is one absolute, canonical place before anyone looks at it, or refused", () => {
  for (const [text, expected] of CASES) {
    if (expected === undefined)
      assert.throws(() => targetUrl(text, base), { name: "DeputyError", code: "BAD_INPUT" }, text);
    else assert.equal(targetUrl(text, base).href, expected, text);
  }
});

test("no path climbs out of base_url's origin", () => {
  for (const text of ["/../../x", "..", "../x", "/%2e%2e/x", "./../../../x"])
    assert.equal(targetUrl(text, base).origin, base.origin, text);
});
