import assert from "node:assert/strict";
import { test } from "node:test";
import { DeputyError } from "../kernel/index.ts";
import { parseCookie } from "./index.ts";

const NOW = Date.UTC(2026, 10, 1);

test("parseCookie needs only name, value and domain", () => {
  assert.deepEqual(parseCookie({ name: "a", value: "1", domain: ".Example.COM" }, { now: NOW }), {
    name: "a",
    value: "1",
    domain: "example.com",
    hostOnly: false,
    path: "/",
    expires: null,
    secure: false,
    httpOnly: false,
    sameSite: "unset",
    partitionKey: null,
    sourceScheme: "unset",
    sourcePort: -1,
    priority: "medium",
    created: NOW,
    updated: NOW,
    kind: "session",
  });
});

test("parseCookie writes a domain in lower-case punycode", () => {
  assert.equal(parseCookie({ name: "a", value: "1", domain: "MÜNCHEN.de" }).domain, "xn--mnchen-3ya.de");
});

const WRONG: [what: string, record: unknown, says: RegExp][] = [
  ["no domain", { name: "a", value: "canary" }, /domain/],
  ["an unknown field", { name: "a", value: "canary", domain: "x.com", extra: "canary" }, /extra/],
  ["a number as value", { name: "a", value: 12_345, domain: "x.com" }, /value/],
  ["a date as expiry", { name: "a", value: "canary", domain: "x.com", expires: "tomorrow" }, /expires/],
  ["a wrong SameSite", { name: "a", value: "canary", domain: "x.com", sameSite: "canary" }, /sameSite/],
  ["a relative path", { name: "a", value: "canary", domain: "x.com", path: "a" }, /path/],
  ["half a partition", { name: "a", value: "canary", domain: "x.com", partitionKey: {} }, /topLevelSite/],
  ["a line end", { name: "a", value: "canary\r\nX: 1", domain: "x.com" }, /control character/],
  ["a semicolon", { name: "a", value: "canary; b=1", domain: "x.com" }, /semicolon/],
  ["nothing in it", { name: "", value: "", domain: "x.com" }, /empty/],
  ["no host", { name: "a", value: "canary", domain: "a b" }, /host name/],
  ["a URL for a domain", { name: "a", value: "canary", domain: "x.com/path" }, /host name/],
  ["no object", "canary", /object/],
];

test("parseCookie names the field that is wrong and repeats no value", () => {
  for (const [what, record, says] of WRONG) {
    assert.throws(
      () => parseCookie(record),
      (error) => {
        assert.ok(error instanceof DeputyError, what);
        assert.equal(error.code, "BAD_INPUT", what);
        assert.match(error.message, says, what);
        assert.doesNotMatch(JSON.stringify(error), /canary|12345/, what);
        return error.hint !== undefined;
      },
      what,
    );
  }
});
