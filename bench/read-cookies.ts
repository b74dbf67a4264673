/**
 * Reading a Chromium profile of 3,000 cookies, one domain and all of them, beside the floor (a bare copy, query and
 * decryption with nothing checked) and beside @steipete/sweet-cookie. All in one run, in turns. Targets: one domain
 * at most 1.5 times the floor and at least twice as fast as the peer; all at least twice as fast as the peer.
 */
import assert from "node:assert/strict";
import { createDecipheriv, pbkdf2Sync } from "node:crypto";
import { copyFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getCookies } from "@steipete/sweet-cookie";
import { createBrowsers } from "../src/browsers/index.ts";
import { writeChromiumProfile } from "../test/support/chromium-profile.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { inTurns, type Turns } from "./support/in-turns.ts";
import { profileCookies } from "./support/profile-cookies.ts";
import { report } from "./support/report.ts";

const COOKIES = 3000;
const DOMAINS = 300;

using folder = temporaryFolder("bench");
const profile = join(folder.path, "Default");
const store = writeChromiumProfile(profile, profileCookies(COOKIES, DOMAINS));
// A profile nobody has just written to, as it usually is.
utimesSync(store, Date.now() / 1000 - 60, Date.now() / 1000 - 60);

type Read = { cookies: object[] };
type Ways = Record<"floor" | "deputy" | "sweet", () => Read | Promise<Read>>;

/** What no reader can do without: copy the file, ask it, decrypt, make records. Trusts everything. */
function bareRead(host?: string): Read {
  const copy = join(folder.path, "copy.db");
  copyFileSync(store, copy);
  using db = new DatabaseSync(copy, { readOnly: true });
  const columns = `host_key, name, encrypted_value, path, is_secure, is_httponly, samesite, priority, source_scheme,
    source_port, top_frame_site_key, has_cross_site_ancestor, expires_utc, creation_utc, last_update_utc`;
  const where = host === undefined ? "" : "WHERE host_key IN (?, ?, ?, ?)";
  const select = db.prepare(`SELECT ${columns} FROM cookies ${where}`);
  select.setReadBigInts(true);
  const labels = host?.split(".") ?? [];
  const keys =
    host === undefined ? [] : [host, `.${host}`, `.${labels.slice(1).join(".")}`, `.${labels.at(-1)}`];
  const key = pbkdf2Sync("peanuts", "saltysalt", 1, 16, "sha1");
  const iv = Buffer.alloc(16, " ");
  const read = select.all(...keys).map((row) => {
    const decipher = createDecipheriv("aes-128-cbc", key, iv);
    const sealed = (row["encrypted_value"] as Uint8Array).subarray(3);
    const plain = Buffer.concat([decipher.update(sealed), decipher.final()]);
    return { ...row, value: plain.toString("utf8", 32) };
  });
  return { cookies: read };
}

using browsers = createBrowsers({ env: process.env, platform: "linux" });
const found = browsers.find({ browser: "chrome", profile });
// The peer gets the password told, so that it need not start a program to ask the keyring.
process.env["SWEET_COOKIE_CHROME_SAFE_STORAGE_PASSWORD"] = "not needed for v10";
const peer = (origins: string[]) =>
  getCookies({
    url: origins[0] ?? "",
    origins,
    browsers: ["chrome"],
    chromeProfile: store,
    includeExpired: true,
  });
const everyOrigin = Array.from({ length: DOMAINS }, (_, i) => `https://site${i}.com/`);

async function measure(what: string, count: number, ways: Ways, turns: Turns) {
  const checked = (read: Ways["floor"]) => async () => {
    assert.equal((await read()).cookies.length, count);
  };
  const { floor, deputy, sweet } = ways;
  const times = await inTurns(
    { floor: checked(floor), deputy: checked(deputy), sweet: checked(sweet) },
    { warmUp: 3, ...turns },
  );
  const floorOf = { what: "bare copy, query, decrypt", samples: times.floor };
  const peerOf = { what: "sweet-cookie", samples: times.sweet };
  const atMost = (value: number) => ({ target: { kind: "ratio at most", value } }) as const;
  const ours = { what, unit: "ms", ours: times.deputy };
  report({ ...ours, beside: floorOf, ...(count < COOKIES && atMost(1.5)) });
  report({ ...ours, beside: peerOf, ...atMost(0.5) });
}

await measure(
  "read one domain of 300",
  COOKIES / DOMAINS,
  {
    floor: () => bareRead("www.site7.com"),
    deputy: () => browsers.read(found, { host: "www.site7.com" }),
    sweet: () => peer(["https://www.site7.com/"]),
  },
  { rounds: 101 },
);
await measure(
  "read all 3,000 cookies",
  COOKIES,
  { floor: () => bareRead(), deputy: () => browsers.read(found), sweet: () => peer(everyOrigin) },
  { rounds: 41, seconds: 12 },
);
