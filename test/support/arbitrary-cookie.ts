import * as fc from "fast-check";
import { type Cookie, parseCookie } from "../../src/cookies/index.ts";

const NOW = Date.UTC(2026, 10, 1);

const LETTERS = "a|b|1|-|_|=|,|\"|'|\\|/|%|é|値|😀".split("|");

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...LETTERS, " "), maxLength: 12 }),
  fc.constantFrom("", "a=b", " a", "a ", "__Host-a", "__secure-b", "__Http-c", "__Host-Http-d"),
);
const domain = fc.constantFrom(
  "example.com",
  "www.example.com",
  "localhost",
  "127.0.0.1",
  "github.io",
  "co.uk",
);
const path = fc.constantFrom("/", "/a", "/a/b/", "/a b", "/é", "/a?b#c", "/a/../b", "//a");
const time = fc.integer({ min: NOW - 1e9, max: NOW + 1e9 });
const partition = fc.record({
  topLevelSite: fc.constantFrom("https://news.com", "http://news.com"),
  crossSiteAncestor: fc.boolean(),
});

/** Any cookie a reader may come up with, usable or not. */
export const arbitraryCookie: fc.Arbitrary<Cookie> = fc
  .record({
    name: text,
    value: text,
    domain,
    hostOnly: fc.boolean(),
    path,
    expires: fc.option(time),
    secure: fc.boolean(),
    httpOnly: fc.boolean(),
    sameSite: fc.constantFrom("unset", "none", "lax", "strict"),
    partitionKey: fc.option(partition),
    sourceScheme: fc.constantFrom("unset", "nonsecure", "secure"),
    sourcePort: fc.constantFrom(-1, 80, 443, 8443),
    priority: fc.constantFrom("low", "medium", "high"),
    created: time,
    updated: time,
  })
  .filter(({ name, value }) => name !== "" || value !== "")
  .map((record) => parseCookie(record));
