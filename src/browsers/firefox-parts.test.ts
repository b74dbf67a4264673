import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { cookie, NOW, settle } from "../../test/contracts/cookie-reader.ts";
import { mozLz4, writeFirefoxProfile } from "../../test/support/firefox-profile.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { createBrowsers } from "./index.ts";
import { decompressMozLz4 } from "./moz-lz4.ts";
import { parseOriginAttributes, partitionOf } from "./origin-attributes.ts";

const browsers = createBrowsers({ env: {}, clock: { now: () => NOW }, platform: "linux" });

test("decompressMozLz4 copies matches, overlapping ones too", () => {
  // Literals "abc", then 9 bytes from 3 back: a match that overlaps itself; then the literals "!".
  const block = Buffer.from([0x35, 0x61, 0x62, 0x63, 3, 0, 0x10, 0x21]);
  const file = Buffer.concat([Buffer.from("mozLz40\0"), Buffer.from([13, 0, 0, 0]), block]);
  assert.equal(decompressMozLz4(file)?.toString(), "abcabcabcabc!");
  assert.equal(decompressMozLz4(mozLz4("x".repeat(1000)))?.toString(), "x".repeat(1000));
});

test("decompressMozLz4 gives nothing for what is cut, lies about its size or leads outside", () => {
  const whole = mozLz4("some text that is long enough to be cut in pieces");
  for (let length = 0; length < whole.length; length++)
    assert.equal(decompressMozLz4(whole.subarray(0, length)), undefined);
  const claim = Buffer.from(whole);
  claim.writeUInt32LE(0xffff_ffff, 8);
  assert.equal(decompressMozLz4(claim), undefined);
  const outside = Buffer.concat([Buffer.from("mozLz40\0"), Buffer.from([9, 0, 0, 0, 0x11, 0x61, 9, 0])]);
  assert.equal(decompressMozLz4(outside), undefined);
});

test("origin attributes give container, partition and the frame between", () => {
  const attributes = parseOriginAttributes("^userContextId=3&partitionKey=%28https%2Cexample.com%29");
  assert.deepEqual([attributes.container, attributes.partitionKey], [3, "(https,example.com)"]);
  const partition = (partitionKey: string, domain: string) =>
    partitionOf({ container: 0, isPrivate: false, partitionKey, firstPartyDomain: "" }, domain);
  assert.equal(partition("", "a.test"), null);
  const own = { topLevelSite: "https://example.com", crossSiteAncestor: false };
  assert.deepEqual(partition("(https,example.com)", "www.example.com"), own);
  assert.deepEqual(partition("(https,example.com,f)", "www.example.com"), {
    ...own,
    crossSiteAncestor: true,
  });
  assert.deepEqual(partition("(https,example.com)", "other.test"), { ...own, crossSiteAncestor: true });
  assert.equal(partition("(http,localhost,8080)", "localhost")?.topLevelSite, "http://localhost:8080");
  const isolated = parseOriginAttributes("^firstPartyDomain=example.com");
  assert.equal(partitionOf(isolated, "other.test")?.topLevelSite, "https://example.com");
});

function profileAt(path: string) {
  return { browser: "firefox", family: "firefox", profile: "p", folder: "p", path, isDefault: true } as const;
}

test("expiry is in seconds up to schema 15 and in milliseconds from 16, as the version says", async () => {
  for (const [version, expiry] of [
    [12, 1_900_000_000],
    [15, 1_900_000_000],
    [16, 1_900_000_000_000],
    [17, 1_900_000_000_000],
  ] as const) {
    using folder = temporaryFolder("expiry");
    const path = writeFirefoxProfile(folder.path, [cookie({})]);
    {
      using db = new DatabaseSync(path);
      db.exec(`UPDATE moz_cookies SET expiry = ${expiry}; PRAGMA user_version = ${version}`);
      if (version < 17) db.exec("ALTER TABLE moz_cookies DROP COLUMN updateTime");
      if (version < 15)
        db.exec(
          "ALTER TABLE moz_cookies ADD rawSameSite INTEGER; UPDATE moz_cookies SET sameSite = 1, rawSameSite = 0",
        );
    }
    settle(path);
    const { cookies } = await browsers.read(profileAt(folder.path));
    assert.deepEqual(
      cookies.map(({ expires, sameSite, updated }) => [expires, sameSite, updated]),
      [[1_900_000_000_000, "unset", NOW - 1000]],
    );
  }
});

test("session cookies come from the newest session file that can be read; a damaged one is a warning", async () => {
  using folder = temporaryFolder("session");
  settle(writeFirefoxProfile(folder.path, [cookie({ name: "kept" })]));
  const session = (name: string) =>
    mozLz4(
      JSON.stringify({
        cookies: [{ host: "www.example.com", name, value: "v", path: "/" }, 7, null, { host: 1 }],
      }),
    );
  const read = async () => {
    const { cookies, warnings } = await browsers.read(profileAt(folder.path));
    return [cookies.map(({ name }) => name), warnings.map(({ code }) => code)];
  };
  mkdirSync(join(folder.path, "sessionstore-backups"));
  const [recovery, backup] = ["recovery.jsonlz4", "recovery.baklz4"].map((name) =>
    join(folder.path, "sessionstore-backups", name),
  ) as [string, string];
  writeFileSync(backup, session("backup"));
  settle(backup);
  writeFileSync(recovery, session("recovered"));
  assert.deepEqual(await read(), [["kept", "recovered"], []]);
  writeFileSync(recovery, "damaged");
  assert.deepEqual(await read(), [["kept", "backup"], []]);
  writeFileSync(backup, mozLz4("[]"));
  assert.deepEqual(await read(), [["kept"], ["SESSION_STORE_UNREADABLE"]]);
});

test("private cookies and those of other containers are not among a profile's", async () => {
  using folder = temporaryFolder("containers");
  const path = writeFirefoxProfile(
    folder.path,
    ["default", "work", "private"].map((name) => cookie({ name })),
  );
  {
    using db = new DatabaseSync(path);
    db.exec("UPDATE moz_cookies SET originAttributes = '^userContextId=2' WHERE name = 'work'");
    db.exec("UPDATE moz_cookies SET originAttributes = '^privateBrowsingId=1' WHERE name = 'private'");
  }
  settle(path);
  const names = async (container?: number) => {
    const profile = profileAt(folder.path);
    const { cookies } = await browsers.read(container === undefined ? profile : { ...profile, container });
    return cookies.map(({ name }) => name);
  };
  assert.deepEqual([await names(), await names(2), await names(3)], [["default"], ["work"], []]);
});
