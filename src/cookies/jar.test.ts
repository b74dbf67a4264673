import assert from "node:assert/strict";
import { test } from "node:test";
import { DeputyError } from "../kernel/index.ts";
import { Jar, type JarAccess, parseCookie, type RefusalReason } from "./index.ts";

const HTTPS = "https://www.example.com/a/b";
const HTTP = "http://www.example.com/a/b";
const DAY = 86_400_000;

function jarWith(...headers: string[]): Jar {
  const jar = new Jar();
  for (const header of headers) jar.set(header, HTTPS);
  return jar;
}

const REFUSALS: [header: string, url: string, reason: RefusalReason, access?: JarAccess][] = [
  ["", HTTPS, "no-content"],
  ["=; Path=/", HTTPS, "no-content"],
  ["; a=1", HTTPS, "no-content"],
  ["a=\u0001", HTTPS, "control-character"],
  ["a=b\tc", HTTPS, "control-character"],
  ["a=1; x=\u007f", HTTPS, "control-character"],
  ["a=1\nb=2", HTTPS, "control-character", { http: false }],
  [`a=${"x".repeat(4096)}`, HTTPS, "too-large"],
  [`a=${"é".repeat(2048)}`, HTTPS, "too-large"],
  ["=a=b", HTTPS, "name-ambiguous"],
  ["a=1", "ftp://www.example.com/", "scheme-without-cookies"],
  ["a=1; Domain=%65xample.com", HTTPS, "domain-invalid"],
  ["a=1; Domain=example.com:443", HTTPS, "domain-invalid"],
  ["a=1; Domain=evil.com", HTTPS, "domain-mismatch"],
  ["a=1; Domain=bank.com", "https://evil.com/", "domain-mismatch"],
  ["a=1; Domain=api.www.example.com", HTTPS, "domain-mismatch"],
  ["a=1; Domain=example.com.", HTTPS, "domain-mismatch"],
  ["a=1; Domain=com", HTTPS, "domain-public-suffix"],
  ["a=1; Domain=github.io", "https://me.github.io/", "domain-public-suffix"],
  ["a=1; Domain=co.uk", "https://co.uk.co.uk/", "domain-public-suffix"],
  ["a=1; Domain=0.0.1", "http://127.0.0.1/", "domain-of-address"],
  ["__Secure-a=1", HTTPS, "prefix-broken"],
  ["__secure-a=1; Secure", HTTP, "prefix-broken"],
  ["__Host-a=1; Secure", HTTPS, "prefix-broken"],
  ["__HOST-a=1; Secure; Path=/; Domain=www.example.com", HTTPS, "prefix-broken"],
  ["__Http-a=1; Secure", HTTPS, "prefix-broken"],
  ["__Host-Http-a=1; Secure; HttpOnly", HTTPS, "prefix-broken"],
  ["__Host-Http-a=1; Secure; Path=/", HTTPS, "prefix-broken"],
  ["__Host-a", HTTPS, "prefix-hidden"],
  ["= __sEcUrE-a", HTTPS, "prefix-hidden"],
  ["a=1; Partitioned", HTTPS, "partitioned-not-secure"],
  ["a=1; Partitioned; Secure", HTTPS, "partitioned-nowhere", { partitionKey: null }],
  ["a=1; Secure", HTTP, "secure-from-insecure"],
  ["a=1; HttpOnly", HTTPS, "httponly-from-script", { http: false }],
  ["a=1; SameSite=None", HTTPS, "samesite-none-not-secure"],
];

test("Jar refuses what Chromium refuses, says why and stores nothing", () => {
  for (const [header, url, reason, access] of REFUSALS) {
    const jar = new Jar();
    assert.deepEqual(jar.set(header, url, access), { kind: "refused", reason }, header);
    assert.deepEqual(jar.all(), [], header);
    assert.deepEqual(jar.changes(), [], header);
  }
});

const ACCEPTED: [header: string, url: string, sends: string][] = [
  ["a=1; Domain=www.example.com", HTTPS, "a=1"],
  ["a=1; Domain=.EXAMPLE.com", HTTPS, "a=1"],
  ["a=1; Domain=evil.com; Domain=", HTTPS, "a=1"],
  ["a=1; Domain=github.io", "https://github.io/", "a=1"],
  ["a=1; Domain=127.0.0.1", "http://127.0.0.1/", "a=1"],
  ["a=1; Secure", "http://localhost/", "a=1"],
  ["a=1; Secure", "http://app.localhost:8080/", "a=1"],
  ["__Host-a=1; Secure; Path=/", HTTPS, "__Host-a=1"],
  ["__Host-Http-a=1; Secure; Path=/; HttpOnly", HTTPS, "__Host-Http-a=1"],
  ["a=1; SameSite=None; Secure", HTTPS, "a=1"],
  ["a=1; SameSite=nonsense", HTTPS, "a=1"],
  ["a=1; Max-Age=0x10", HTTPS, "a=1"],
  ["a=1; Max-Age=-1", HTTPS, ""],
  ["a=1; Max-Age=1000; Expires=Thu, 01 Jan 1970 00:00:00 GMT", HTTPS, "a=1"],
  ["a=1; Max-Age=soon; Expires=Thu, 01 Jan 1970 00:00:00 GMT", HTTPS, ""],
  [`a=1; Path=/${"x".repeat(1024)}`, HTTPS, "a=1"],
  [`a=${"x".repeat(4095)}`, HTTPS, `a=${"x".repeat(4095)}`],
  ["a=1, b=2", HTTPS, "a=1, b=2"],
  ['a="1; 2"', HTTPS, 'a="1'],
  ["a = 1 ", HTTPS, "a=1"],
  ["a=春节", HTTPS, "a=春节"],
  ["=1", HTTPS, "1"],
  ["1", HTTPS, "1"],
  ["a=", HTTPS, "a="],
];

test("Jar takes what Chromium takes and sends it as Chromium sends it", () => {
  for (const [header, url, sends] of ACCEPTED) {
    const jar = new Jar();
    assert.notEqual(jar.set(header, url).kind, "refused", header);
    assert.equal(jar.header(url), sends, header);
  }
});

test("Jar sends a domain cookie to subdomains and a host-only cookie to its host alone", () => {
  const jar = jarWith("site=1; Domain=example.com; Path=/", "host=1; Path=/");
  assert.equal(jar.header("https://www.example.com/"), "site=1; host=1");
  assert.equal(jar.header("https://api.example.com/"), "site=1");
  assert.equal(jar.header("https://example.com/"), "site=1");
  assert.equal(jar.header("https://notexample.com/"), "");
});

test("Jar keeps a host-only and a domain cookie of one name apart, and deletes only the one that is named", () => {
  const jar = jarWith("a=host; Path=/", "a=domain; Domain=www.example.com; Path=/");
  assert.equal(jar.header(HTTPS), "a=host; a=domain");
  jar.set("a=; Max-Age=0; Path=/", HTTPS);
  assert.equal(jar.header(HTTPS), "a=domain");
});

test("Jar sends no Secure cookie over http, except to this machine", () => {
  const jar = jarWith("a=1; Secure; Path=/");
  assert.equal(jar.header(HTTP), "");
  jar.set("b=1; Secure", "https://localhost/");
  assert.equal(jar.header("http://localhost/"), "b=1");
});

test("Jar lets no plain connection shadow a Secure cookie, on this host, a parent or below its path", () => {
  const jar = jarWith("a=secret; Secure; Path=/a; Domain=example.com");
  const refused = { kind: "refused", reason: "overwrites-secure" } as const;
  assert.deepEqual(jar.set("a=forged; Path=/a", HTTP), refused);
  assert.deepEqual(jar.set("a=forged; Path=/a/deeper", "http://example.com/"), refused);
  assert.deepEqual(jar.set("a=; Max-Age=0; Path=/a; Domain=example.com", HTTP), refused);
  assert.deepEqual(jar.set("a=plain; Path=/", HTTP), { kind: "stored" });
  assert.equal(jar.header(HTTPS), "a=secret; a=plain");
});

test("Jar shows scripts no HttpOnly cookie and lets them replace or delete none", () => {
  const jar = jarWith("a=1; HttpOnly; Path=/", "b=2; Path=/");
  const refused = { kind: "refused", reason: "overwrites-httponly" } as const;
  assert.equal(jar.header(HTTPS, { http: false }), "b=2");
  assert.deepEqual(jar.set("a=3; Path=/", HTTPS, { http: false }), refused);
  assert.deepEqual(jar.set("a=; Path=/; Max-Age=0", HTTPS, { http: false }), refused);
  assert.equal(jar.header(HTTPS), "a=1; b=2");
});

test("Jar takes comma-joined cookies for one value, so headers must come one by one", () => {
  const jar = jarWith("a=1; Path=/", "b=2; Path=/");
  assert.equal(jar.header(HTTPS), "a=1; b=2");
});

test("Jar sends longer paths first, then the older cookie", () => {
  const jar = jarWith("root=1; Path=/", "deep=1; Path=/a/b", "mid=1; Path=/a", "late=1; Path=/a/b");
  assert.equal(jar.header(HTTPS), "deep=1; late=1; mid=1; root=1");
});

test("Jar keeps a cookie's place when the same value is set again, and moves it back when the value changes", () => {
  const jar = jarWith("a=1", "b=1");
  assert.deepEqual(jar.set("a=1", HTTPS), { kind: "replaced" });
  assert.equal(jar.header(HTTPS), "a=1; b=1");
  jar.set("a=2", HTTPS);
  assert.equal(jar.header(HTTPS), "b=1; a=2");
});

test("Jar matches paths by whole segments and defaults to the folder of the URL", () => {
  const jar = jarWith("a=1");
  assert.equal(jar.header("https://www.example.com/a/"), "a=1");
  assert.equal(jar.header("https://www.example.com/a"), "a=1");
  assert.equal(jar.header("https://www.example.com/ab"), "");
  assert.equal(jar.header("https://www.example.com/"), "");
});

test("Jar forgets a cookie when its time has come, and lets none live longer than 400 days", () => {
  let now = Date.UTC(2026, 10, 1);
  const jar = new Jar({ now: () => now });
  jar.set("short=1; Max-Age=10", HTTPS);
  jar.set("long=1; Expires=Fri, 01 Jan 9999 00:00:00 GMT", HTTPS);
  jar.set("session=1", HTTPS);
  now += 10_000;
  assert.equal(jar.header(HTTPS), "long=1; session=1");
  now += 400 * DAY;
  assert.equal(jar.header(HTTPS), "session=1");
  assert.deepEqual(
    jar.all().map(({ name }) => name),
    ["session"],
  );
});

test("Jar keeps partitions apart: a page's own is sent at top level, another site's never", () => {
  const inFrame = { topLevelSite: "https://news.com", crossSiteAncestor: true };
  const jar = jarWith("own=1; Secure; Partitioned", "plain=1");
  jar.set("framed=1; Secure; Partitioned", HTTPS, { partitionKey: inFrame });
  assert.equal(jar.header(HTTPS), "own=1; plain=1");
  assert.equal(jar.header(HTTPS, { partitionKey: inFrame }), "plain=1; framed=1");
  assert.equal(jar.header(HTTPS, { partitionKey: null }), "plain=1");
});

test("Jar throws at a relative URL instead of quietly sending no cookie", () => {
  const jar = jarWith("a=1");
  for (const call of [() => jar.header("/a/b"), () => jar.set("a=1", "/a/b")]) {
    assert.throws(call, (error) => error instanceof DeputyError && error.code === "BAD_INPUT");
  }
});

test("Jar reads back in the same call what was just set", () => {
  const jar = new Jar({ cookies: [parseCookie({ name: "a", value: "old", domain: "example.com" })] });
  jar.set("a=new; Domain=example.com; Path=/", HTTPS);
  assert.equal(jar.header(HTTPS), "a=new");
});

test("Jar tells what changed since it was seeded, deletions with their time, and nothing of what did not", () => {
  const now = Date.UTC(2026, 10, 1);
  const seed = ["stays", "goes", "turns"].map((name) =>
    parseCookie({ name, value: "1", domain: "example.com" }, { now: now - DAY }),
  );
  const jar = new Jar({ now: () => now, cookies: seed });
  assert.deepEqual(jar.changes(), []);
  jar.set("turns=2; Domain=example.com; Path=/", HTTPS);
  jar.set("goes=; Domain=example.com; Path=/; Max-Age=0", HTTPS);
  jar.set("fresh=1", HTTPS);
  jar.set("fresh=; Max-Age=0", HTTPS);
  const where = { domain: "example.com", hostOnly: false, path: "/", partitionKey: null };
  const [turned, ...rest] = jar.changes();
  assert.ok(turned?.kind === "set" && turned.cookie.value === "2" && turned.cookie.updated === now);
  assert.deepEqual(rest, [
    { kind: "delete", name: "goes", ...where, at: now },
    {
      kind: "delete",
      name: "fresh",
      ...where,
      domain: "www.example.com",
      hostOnly: true,
      path: "/a",
      at: now,
    },
  ]);
  assert.deepEqual(
    jar
      .all()
      .map(({ name }) => name)
      .sort(),
    ["stays", "turns"],
  );
});

test("Jar keeps a seeded cookie's creation time while its value stays, as Chromium does", () => {
  const created = Date.UTC(2025, 0, 1);
  const seed = parseCookie({ name: "a", value: "1", domain: "www.example.com", hostOnly: true, created });
  const jar = new Jar({ cookies: [seed] });
  jar.set("a=1; Path=/", HTTPS);
  assert.equal(jar.all()[0]?.created, created);
  jar.set("a=2; Path=/", HTTPS);
  assert.notEqual(jar.all()[0]?.created, created);
});

test("Jar sends no cookie that would break out of the header, whatever it was seeded with", () => {
  const cookie = parseCookie({ name: "a", value: "1", domain: "example.com" });
  const jar = new Jar({
    cookies: [
      { ...cookie, value: "1\r\nX-Evil: 1" },
      { ...cookie, name: "b", value: "1; c=2" },
    ],
  });
  assert.equal(jar.header("https://example.com/"), "");
});
