/**
 * Reading a Chromium profile of 3,000 cookies, one domain and all of them, beside the floor (a bare copy, query and
 * decryption with nothing checked) and beside @steipete/sweet-cookie. All in one run, in turns. Targets: one domain
 * at most 1.5 times the floor and at least twice as fast as the peer; all at least twice as fast as the peer.
 */
import assert from "node:assert/strict";
import { createDecipheriv, pbkdf2Sync } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getCookies } from "@steipete/sweet-cookie";
import { createBrowsers } from "../src/browsers/index.ts";
import type { Unlabelled } from "../src/cookies/index.ts";
import { writeChromiumProfile } from "../test/support/chromium-profile.ts";

const COOKIES = 3000;
const DOMAINS = 300;
const ROUNDS = 101;
const now = Date.now();

const folder = mkdtempSync(join(tmpdir(), "deputy-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const cookies = Array.from({ length: COOKIES }, (_, i): Unlabelled => {
  const created = now - i * 1000;
  return {
    name: `name-${Math.floor(i / DOMAINS)}`,
    value: "v".repeat(20 + ((i * 37) % 200)),
    domain: `site${i % DOMAINS}.com`,
    hostOnly: false,
    path: "/",
    expires: now + 30 * 86_400_000,
    secure: i % 2 === 0,
    httpOnly: i % 3 === 0,
    sameSite: "lax",
    partitionKey: null,
    sourceScheme: "secure",
    sourcePort: 443,
    priority: "medium",
    created,
    updated: created,
  };
});
const profile = join(folder, "Default");
const store = writeChromiumProfile(profile, cookies);
// A profile nobody has just written to, as it usually is.
utimesSync(store, (now - 60_000) / 1000, (now - 60_000) / 1000);

/** What no reader can do without: copy the file, ask it, decrypt, make records. Trusts everything. */
function bareRead(host?: string): { cookies: object[] } {
  const copy = join(folder, "copy.db");
  copyFileSync(store, copy);
  const db = new DatabaseSync(copy, { readOnly: true });
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
  db.close();
  return { cookies: read };
}

const browsers = createBrowsers({ env: process.env, platform: "linux" });
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

type Read = () => Promise<{ cookies: object[] }> | { cookies: object[] };
const questions: Record<string, { count: number; ways: Record<string, Read> }> = {
  "one domain": {
    count: COOKIES / DOMAINS,
    ways: {
      floor: () => bareRead("www.site7.com"),
      deputy: () => browsers.read(found, { host: "www.site7.com" }),
      "sweet-cookie": () => peer(["https://www.site7.com/"]),
    },
  },
  all: {
    count: COOKIES,
    ways: {
      floor: () => bareRead(),
      deputy: () => browsers.read(found),
      "sweet-cookie": () => peer(everyOrigin),
    },
  },
};

const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
let missed = false;
console.log(`${COOKIES} cookies, ${ROUNDS} rounds in turns, milliseconds\n`);
for (const [question, { count, ways }] of Object.entries(questions)) {
  const times: Record<string, number[]> = {};
  for (let round = -10; round < ROUNDS; round++)
    for (const [name, read] of Object.entries(ways)) {
      const start = performance.now();
      const result = await read();
      const took = performance.now() - start;
      assert.equal(result.cookies.length, count, name);
      if (round >= 0) (times[name] ??= []).push(took);
    }
  const of = (name: string) => median(times[name] ?? []);
  for (const [name, list] of Object.entries(times))
    console.log(
      `${question.padEnd(12)}${name.padEnd(14)}median ${of(name).toFixed(2).padStart(7)}   least ${Math.min(
        ...list,
      )
        .toFixed(2)
        .padStart(7)}`,
    );
  const [overFloor, overPeer] = [of("deputy") / of("floor"), of("sweet-cookie") / of("deputy")];
  const met = overPeer >= 2 && (question !== "one domain" || overFloor <= 1.5);
  missed ||= !met;
  const limit = question === "one domain" ? " (at most 1.5)" : "";
  console.log(
    `${" ".repeat(12)}${overFloor.toFixed(2)} times the floor${limit}, ${overPeer.toFixed(1)} times as fast as the peer (at least 2): ${met ? "met" : "MISSED"}\n`,
  );
}
process.exitCode = missed ? 1 : 0;
