/** What we read of a real Firefox profile is what Firefox itself says and sends. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type CookieSite, startCookieSite } from "../../test/support/cookie-site.ts";
import {
  type BidiCookie,
  noFirefox,
  type RealFirefox,
  startFirefox,
} from "../../test/support/real-firefox.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { type Cookie, cookiesFor } from "../cookies/index.ts";
import { readEnvironment } from "../platform/index.ts";
import { createBrowsers } from "./index.ts";

type Comparable = ReturnType<typeof fromRecord>;

/** What BiDi tells of a cookie: no times but the expiry, in seconds; no partition, no source. */
function fromBidi(cookie: BidiCookie): Comparable {
  assert.equal(cookie.value.type, "string");
  return {
    name: cookie.name,
    value: cookie.value.value,
    domain: cookie.domain,
    path: cookie.path,
    expires: cookie.expiry ?? null,
    secure: cookie.secure,
    httpOnly: cookie.httpOnly,
    sameSite: cookie.sameSite === "default" ? ("unset" as const) : cookie.sameSite,
  };
}

function fromRecord(cookie: Cookie) {
  const { name, value, path, secure, httpOnly, sameSite } = cookie;
  const domain = cookie.hostOnly ? cookie.domain : `.${cookie.domain}`;
  const expires = cookie.expires === null ? null : Math.round(cookie.expires / 1000);
  return { name, value, domain, path, expires, secure, httpOnly, sameSite };
}

function sorted(cookies: Comparable[]): Comparable[] {
  const key = (cookie: Comparable) => JSON.stringify(cookie);
  return cookies.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

function assertSame(read: Cookie[], said: BidiCookie[], since: number): void {
  assert.deepEqual(sorted(read.map(fromRecord)), sorted(said.map(fromBidi)));
  for (const { name, created, updated, sourceScheme } of read) {
    assert.ok(created >= since && created <= Date.now(), `${name} created ${created}`);
    assert.ok(updated >= since && updated <= Date.now(), `${name} updated ${updated}`);
    assert.equal(sourceScheme, name === "over-http" ? "nonsecure" : "secure");
  }
}

async function visitEverything(firefox: RealFirefox, site: CookieSite): Promise<void> {
  await firefox.visit(`${site.https("www.site.test")}/set`);
  await firefox.visit(`${site.http("plain.test")}/set-plain`);
  await firefox.visit(`${site.https("other.test")}/set`);
  await firefox.visit(`${site.https("top.test")}/?frame=${site.https("framed.test")}/set-framed`);
}

test("Firefox is read as it says and sends, running and closed, each container apart", {
  timeout: 120_000,
  skip: noFirefox,
}, async () => {
  using folder = temporaryFolder("firefox");
  const root = join(folder.path, ".mozilla", "firefox");
  const path = join(root, "abc.default");
  mkdirSync(root, { recursive: true });
  writeFileSync(
    join(root, "profiles.ini"),
    "[Profile0]\nName=mine\nIsRelative=1\nPath=abc.default\nDefault=1\n",
  );
  await using site = await startCookieSite();
  const browsers = createBrowsers({ env: { ...readEnvironment(), HOME: folder.path } });
  const since = Date.now();
  await using firefox = await startFirefox(path);
  await visitEverything(firefox, site);
  const container = await firefox.createContainer();
  await firefox.visit(`${site.https("contained.test")}/set`, container);
  await firefox.visit(`${site.https("www.site.test")}/echo`);
  const said = await firefox.cookies();
  const saidInContainer = await firefox.cookies(container);
  assert.ok(said.length >= 40, `Firefox took ${said.length} cookies`);

  const profile = browsers.find({ profile: path });
  const reader = browsers.reader(profile);
  // Rows reach the log, and session cookies their file, a moment after they are set.
  let running = await reader.read();
  for (let i = 0; i < 100 && running.cookies.length < said.length; i++) {
    await sleep(100);
    running = await reader.read();
  }
  assert.ok(readdirSync(path).includes("cookies.sqlite-wal"));
  assert.deepEqual(running.warnings, []);
  assertSame(running.cookies, said, since);

  const partitions = running.cookies.filter(({ partitionKey }) => partitionKey !== null);
  assert.deepEqual(
    new Map(partitions.map(({ domain, partitionKey }) => [domain, partitionKey])),
    new Map([
      ["www.site.test", { topLevelSite: "https://site.test", crossSiteAncestor: false }],
      ["other.test", { topLevelSite: "https://other.test", crossSiteAncestor: false }],
      ["framed.test", { topLevelSite: "https://top.test", crossSiteAncestor: true }],
    ]),
  );
  const partitionKey = { topLevelSite: "https://site.test", crossSiteAncestor: false };
  const sendable = cookiesFor(
    running.cookies,
    { url: `${site.https("www.site.test")}/echo` },
    { partitionKey },
  );
  const pairs = sendable.map(({ name, value }) => (value === "" ? name : `${name}=${value}`));
  const sent = (site.sent.get("www.site.test") ?? "").split("; ").map((pair) => pair.replace(/=$/, ""));
  assert.deepEqual(pairs.toSorted(), sent.toSorted());

  await firefox.close();
  const [mine, inContainer, ...more] = await browsers.discover();
  assert.deepEqual([mine?.profile, mine?.cookies, more], ["mine", said.length, []]);
  assert.match(inContainer?.profile ?? "", /^mine\/webdriver-/);
  const contained = browsers.find({ browser: "firefox", profile: inContainer?.profile });
  assertSame((await browsers.read(contained)).cookies, saidInContainer, since);

  const closed = await browsers.read(profile);
  assert.deepEqual(closed.warnings, []);
  assertSame(closed.cookies, said, since);
  const { cookies } = await browsers.read(profile, { host: "www.site.test" });
  assert.deepEqual(new Set(cookies.map(({ domain }) => domain)), new Set(["www.site.test", "site.test"]));
  assert.ok(cookies.some(({ name, expires }) => name === "session" && expires === null));
});
