import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { arbitraryCookie } from "../../test/support/arbitrary-cookie.ts";
import { DeputyError } from "../kernel/index.ts";
import { canonicalHost } from "./host.ts";
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

test("parseCookie judges a record that says everything as it judges one that leaves something out", () => {
  const wrong = fc.constantFrom<unknown>(
    undefined,
    null,
    "",
    "/x",
    "a;b",
    "Ünï.example",
    "none",
    -2,
    0.5,
    65_536,
    9e15,
    NaN,
    Infinity,
    true,
    [],
    {},
  );
  const outcome = (record: object) => {
    try {
      const { kind: _, ...rest } = parseCookie(record, { now: NOW });
      return rest;
    } catch (error) {
      return String(error);
    }
  };
  const field = fc.constantFrom(
    ...Object.keys(parseCookie({ name: "a", value: "1", domain: "x.com" })),
    "extra",
  );
  fc.assert(
    fc.property(arbitraryCookie, fc.option(fc.tuple(field, wrong)), (cookie, change) => {
      const record = { ...cookie, ...(change && { [change[0]]: change[1] }) };
      if (change?.[0] === "kind") return;
      const { kind: _, ...without } = record;
      assert.deepEqual(outcome(record), outcome(without));
    }),
    { numRuns: 2000 },
  );
});

test("a host that needs no parsing is written as a URL would write it", () => {
  const letters = fc.constantFrom(..."ab0189x-_..".split(""), "xn--", "--", "é", "A", "%", ":", "0x7f");
  fc.assert(
    fc.property(fc.string({ unit: letters, minLength: 1, maxLength: 10 }), (text) => {
      const host = canonicalHost(text);
      if (host !== undefined) assert.equal(new URL(`http://${text.replace(/^\./, "")}/`).hostname, host);
    }),
    { numRuns: 5000 },
  );
});
