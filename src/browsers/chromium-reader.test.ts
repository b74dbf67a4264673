/** What stands between a reader and a cookie of Chromium's: the Keychain, app-bound seals, the device. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { cookie, NOW, settle } from "../../test/contracts/cookie-reader.ts";
import { writeChromiumProfile } from "../../test/support/chromium-profile.ts";
import { writeSafariCookies } from "../../test/support/safari-cookies.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { deriveSealingKey } from "../chromium/index.ts";
import { Secret } from "../kernel/index.ts";
import { createBrowsers } from "./index.ts";

test("macOS: cookies are opened with the Keychain's password, which a list does not ask for", async () => {
  using folder = temporaryFolder("mac");
  const support = join(folder.path, "Library/Application Support");
  const keys = { v10: deriveSealingKey("from the Keychain", 1003) };
  settle(
    writeChromiumProfile(join(support, "Google/Chrome/Default"), [cookie({ value: "opened" })], { keys }),
  );
  settle(writeSafariCookies(join(folder.path, "Library/Cookies"), [cookie({ name: "safari" })]));
  let asked = 0;
  const browsers = createBrowsers({
    env: { HOME: folder.path },
    platform: "darwin",
    clock: { now: () => NOW },
    lookupKeychain: async () => {
      asked++;
      return { kind: "found", secret: Secret.fromText("from the Keychain") };
    },
  });
  const rows = await browsers.discover();
  assert.deepEqual(
    rows.map(({ browser, cookies, readable }) => [browser, cookies, readable]),
    [
      ["chrome", 1, true],
      ["safari", 1, true],
    ],
  );
  assert.equal(asked, 0);
  const chrome = await browsers.read(browsers.find({ browser: "chrome" }), { host: "www.example.com" });
  assert.deepEqual(
    chrome.cookies.map(({ value }) => value),
    ["opened"],
  );
  assert.equal(asked, 1);
});

test("cookies of a device bound session are marked, with the reason", async () => {
  using folder = temporaryFolder("bound");
  const bound = cookie({ name: "auth", domain: "example.com", hostOnly: false });
  settle(writeChromiumProfile(folder.path, [bound, cookie({ name: "free" })]));
  {
    using db = new DatabaseSync(join(folder.path, "Device Bound Sessions"));
    db.exec("CREATE TABLE dbsc_session_tbl ( key TEXT, proto BLOB, PRIMARY KEY(key))");
    // SiteSessions { sessions { value { cookie_cravings { name: "auth" domain: ".example.com" path: "/" } } } }
    const proto = "0a1b12193a170a0461757468120c2e6578616d706c652e636f6d1a012f";
    db.exec(`INSERT INTO dbsc_session_tbl VALUES ('https://example.com', x'${proto}')`);
  }
  const browsers = createBrowsers({ env: {}, platform: "linux", clock: { now: () => NOW } });
  const { cookies, warnings } = await browsers.read(browsers.find({ profile: folder.path }));
  assert.deepEqual(
    new Map(cookies.map(({ name, kind }) => [name, kind])),
    new Map([
      ["auth", "device-bound-suspect"],
      ["free", "portable"],
    ]),
  );
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ["DEVICE_BOUND"],
  );
  assert.match(warnings[0]?.message ?? "", /https:\/\/example\.com renews it with a key held by the device/);
});

test("Windows: app-bound cookies are named and left alone", async () => {
  using folder = temporaryFolder("windows");
  const profile = join(folder.path, "AppData/Local/Google/Chrome/User Data/Default");
  const path = writeChromiumProfile(profile, [cookie({}), cookie({ name: "b" })]);
  {
    using db = new DatabaseSync(path);
    db.exec(`UPDATE cookies SET encrypted_value = x'763230${"00".repeat(60)}' WHERE name = 'b'`);
  }
  settle(path);
  const browsers = createBrowsers({
    env: { USERPROFILE: folder.path },
    platform: "win32",
    clock: { now: () => NOW },
  });
  const { cookies, warnings } = await browsers.read(browsers.find({ browser: "chrome" }));
  assert.deepEqual(cookies, []);
  assert.deepEqual(warnings.map(({ code, count }) => `${code} ${count}`).toSorted(), [
    "APP_BOUND 1",
    "DPAPI_UNSUPPORTED 1",
  ]);
});
