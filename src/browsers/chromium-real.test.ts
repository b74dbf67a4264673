/** What we read of a real Chromium profile is what Chromium itself says, attribute by attribute. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startCookieSite } from "../../test/support/cookie-site.ts";
import { noKeyring, startPrivateKeyring } from "../../test/support/private-keyring.ts";
import {
  type CdpCookie,
  noChromium,
  type RealChromium,
  startChromium,
} from "../../test/support/real-chromium.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Cookie } from "../cookies/index.ts";
import { askDatabase, type Environment, readEnvironment } from "../platform/index.ts";
import { createBrowsers } from "./index.ts";

const patience = { timeout: 120_000 };

/** Written out here, apart from the code that reads CDP, so that one mistake is not made twice. */
function asRecord(cookie: CdpCookie): Omit<Cookie, "created" | "updated"> {
  const { name, value, path, httpOnly, secure, sourcePort, partitionKey } = cookie;
  const expires = cookie.session ? null : Math.round(cookie.expires * 1000);
  return {
    name,
    value,
    domain: cookie.domain.replace(/^\./, ""),
    hostOnly: !cookie.domain.startsWith("."),
    path,
    expires,
    secure,
    httpOnly,
    sameSite: (cookie.sameSite?.toLowerCase() ?? "unset") as Cookie["sameSite"],
    partitionKey:
      partitionKey === undefined
        ? null
        : { topLevelSite: partitionKey.topLevelSite, crossSiteAncestor: partitionKey.hasCrossSiteAncestor },
    sourceScheme: cookie.sourceScheme.toLowerCase() as Cookie["sourceScheme"],
    sourcePort,
    priority: cookie.priority.toLowerCase() as Cookie["priority"],
    kind: partitionKey !== undefined ? "partitioned" : cookie.session ? "session" : "portable",
  };
}

function sorted<T extends { name: string; value: string; domain: string; path: string }>(cookies: T[]): T[] {
  const key = ({ domain, path, name, value }: T) => JSON.stringify([domain, path, name, value]);
  return cookies.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

function assertSame(read: Cookie[], said: CdpCookie[], since: number): void {
  for (const { created, updated } of read) {
    assert.ok(created >= since - 1 && created <= Date.now() + 1, `created ${created}`);
    assert.ok(updated >= since - 1 && updated <= Date.now() + 1, `updated ${updated}`);
  }
  const timeless = read.map(({ created: _created, updated: _updated, ...rest }) => rest);
  assert.deepEqual(sorted(timeless), sorted(said.map(asRecord)));
}

async function visitEverything(browser: RealChromium): Promise<void> {
  await using site = await startCookieSite();
  await browser.visit(`${site.https("www.site.test")}/set`);
  await browser.visit(`${site.http("plain.test")}/set-plain`);
  await browser.visit(`${site.https("other.test")}/set`);
  // One site in another's frame: partitioned by the site at the top.
  await browser.visit(`${site.https("top.test")}/?frame=${site.https("framed.test")}/set-framed`);
}

/** Chromium keeps changes in memory for 30 seconds, or until there are 512 (sqlite_persistent_cookie_store.cc). */
async function makeItWrite(browser: RealChromium): Promise<void> {
  const cookies = Array.from({ length: 600 }, (_, i) => ({
    name: `filler${i}`,
    value: "x",
    domain: `filler${i}.test`,
    path: "/",
    expires: Date.now() / 1000 + 3600,
  }));
  await browser.connection.call("Storage.setCookies", { cookies });
}

async function sealsIn(store: string): Promise<Set<string>> {
  const sql = "SELECT CAST(substr(encrypted_value, 1, 3) AS TEXT) FROM cookies";
  const asked = await askDatabase(store, (db) => db.all(sql).map(([prefix]) => String(prefix)));
  return new Set(asked.kind === "answer" ? asked.value : [asked.kind]);
}

/** The store and what lies beside it; the browser itself is busy with the rest of the folder. */
function filesOf(profile: string): [name: string, content: string][] {
  const names = readdirSync(profile).filter((name) => name.startsWith("Cookies"));
  return names.map((name) => [name, readFileSync(join(profile, name), "base64")]);
}

async function compare(t: TestContext, keyring: Environment | undefined): Promise<string> {
  const folder = temporaryFolder("chromium");
  t.after(() => folder[Symbol.dispose]());
  const userData = folder.path;
  const browsers = createBrowsers({ env: keyring ?? readEnvironment(), platform: "linux" });
  const since = Date.now();
  const start = () =>
    keyring === undefined
      ? startChromium({ userData })
      : startChromium({ userData, passwordStore: "gnome-libsecret", env: keyring });

  let said: CdpCookie[];
  {
    await using browser = await start();
    await visitEverything(browser);
    said = await browser.cookies();
    assert.ok(said.length >= 40, `Chromium took ${said.length} cookies`);
    await makeItWrite(browser);
    const profile = browsers.find({ profile: userData });
    const reader = browsers.reader(profile);
    // The 512th change starts a write, which takes a moment.
    for (let i = 0; i < 50 && (await reader.read({ under: "framed.test" })).cookies.length < 2; i++)
      await sleep(100);
    const before = filesOf(profile.path);
    const running = await reader.read();
    const ours = running.cookies.filter(({ domain }) => !domain.startsWith("filler"));
    assert.deepEqual(running.warnings, []);
    assertSame(ours, said, since);
    assert.deepEqual(filesOf(profile.path), before, "left alone");
    said = await browser.cookies();
  }

  const profile = browsers.find({ profile: userData });
  const closed = await browsers.read(profile);
  assert.deepEqual(closed.warnings, []);
  assertSame(closed.cookies, said, since);
  const { hosts, ...summary } = await browsers.reader(profile).summary();
  assert.equal(
    hosts.reduce((sum, { cookies }) => sum + cookies, 0),
    said.length,
  );
  assert.deepEqual(summary, { cookies: said.length, readable: true, warnings: [] });

  for (const [host, names] of [
    ["www.site.test", /^(__Secure-own|domain|both|plain|guarded|deep)$/],
    ["site.test", /^(__Secure-own|domain|both)$/],
    ["sibling.site.test", /^(__Secure-own|domain|both)$/],
  ] as const) {
    const { cookies } = await browsers.read(profile, { host });
    assert.ok(cookies.length > 0);
    for (const { domain, hostOnly } of cookies)
      assert.ok(
        hostOnly ? domain === host : host === domain || host.endsWith(`.${domain}`),
        `${host} ${domain}`,
      );
    assert.ok(cookies.some(({ name }) => names.test(name)));
  }
  const under = await browsers.read(profile, { under: "site.test" });
  assert.equal(under.cookies.length, said.filter(({ domain }) => /(^|\.)site\.test$/.test(domain)).length);
  return join(profile.path, "Cookies");
}

test("Chromium sealed with the public key (v10) is read as it says, running and closed", {
  ...patience,
  skip: noChromium,
}, async (t) => {
  const store = await compare(t, undefined);
  assert.deepEqual(await sealsIn(store), new Set(["v10"]));
});

test("a cookie Chromium bound to the device is marked so, with the reason", {
  ...patience,
  skip: noChromium,
}, async (t) => {
  using folder = temporaryFolder("bound");
  await using site = await startCookieSite();
  // Keys in software, because there is no key store here; the session and its file are the real thing.
  const features = [
    "DeviceBoundSessions:ForceEnableForTesting/true",
    "PersistDeviceBoundSessions",
    "EnableBoundSessionCredentialsSoftwareKeysForManualTesting",
  ];
  const browser = await startChromium({
    userData: folder.path,
    args: [
      `--enable-features=${features.join(",")}`,
      `--ignore-certificate-errors-spki-list=${site.certificateHash}`,
    ],
  });
  try {
    await browser.visit(`${site.https("www.site.test")}/bind`);
    for (let i = 0; i < 100 && !site.paths.includes("/register"); i++) await sleep(50);
    if (!site.paths.includes("/register")) return t.skip("this Chromium makes no device bound sessions");
    // The answer has to arrive, and Chromium waits two seconds before it writes.
    await sleep(500);
  } finally {
    await browser.close();
  }
  const browsers = createBrowsers({ env: readEnvironment(), platform: "linux" });
  const { cookies, warnings } = await browsers.read(browsers.find({ profile: folder.path }));
  assert.deepEqual(
    cookies.map(({ name, kind }) => [name, kind]),
    [["bound", "device-bound-suspect"]],
  );
  assert.match(warnings[0]?.message ?? "", /https:\/\/site\.test renews it with a key held by the device/);
});

test("Chromium sealed with the keyring's key (v11) is read as it says, running and closed", {
  ...patience,
  skip: noChromium || noKeyring,
}, async (t) => {
  await using keyring = await startPrivateKeyring();
  const store = await compare(t, keyring.env);
  assert.deepEqual(await sealsIn(store), new Set(["v11"]));

  const deaf = createBrowsers({ env: { ...keyring.env, DBUS_SESSION_BUS_ADDRESS: "unix:path=/nobody" } });
  const { cookies, warnings } = await deaf.read(deaf.find({ profile: join(store, "..") }), {
    host: "www.site.test",
  });
  assert.deepEqual(cookies, []);
  assert.deepEqual(
    warnings.map(({ code, count }) => [code, (count ?? 0) > 10]),
    [["KEYRING_UNAVAILABLE", true]],
  );
});
