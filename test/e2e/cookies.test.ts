/** deputy browsers and deputy cookies on a real Chromium profile and on one beside it. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startCookieSite, type CookieSite } from "../support/cookie-site.ts";
import { TestHome } from "../support/deputy.ts";
import { noChromium, startChromium } from "../support/real-chromium.ts";

const home = new TestHome();
const userData = join(home.root, ".config", "chromium");
let site: CookieSite;
/** What the browser itself sent when it asked for /echo. */
let sentByBrowser: string;

before(async () => {
  if (noChromium) return;
  site = await startCookieSite();
  mkdirSync(userData, { recursive: true });
  await using browser = await startChromium({ userData });
  for (const host of ["www.site.test", "sibling.site.test"]) await browser.visit(`${site.https(host)}/set`);
  await browser.visit(`${site.https("www.site.test")}/echo`);
  sentByBrowser = site.sent.get("www.site.test")!;
});
after(async () => {
  await home[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

const url = () => `${site.https("www.site.test")}/echo`;
const names = (cookies: { name: string }[]) => cookies.map((cookie) => cookie.name);

test("deputy browsers finds the profile and counts its cookies", { skip: noChromium }, async () => {
  const rows = (await home.ok(["browsers", "--json"])).json();
  assert.equal(rows.length, 1);
  assert.deepEqual(
    [rows[0].browser, rows[0].path, rows[0].readable],
    ["chromium", join(userData, "Default"), true],
  );
  assert.ok(rows[0].cookies > 20);
  assert.deepEqual(Object.keys(rows[0]).sort(), [
    "browser",
    "cookies",
    "path",
    "profile",
    "readable",
    "warnings",
  ]);
});

test("deputy cookies gives the header the browser sent, but for cookies that ended with it", {
  skip: noChromium,
}, async () => {
  const header = (await home.ok(["cookies", "--url", url()])).stdout.trimEnd();
  const lasting = (text: string) =>
    text.split("; ").filter((pair) => !pair.startsWith("session") && !pair.startsWith("__Host-part"));
  assert.deepEqual(lasting(header), lasting(sentByBrowser));
});

test("deputy cookies includes the parent domain's, excludes a sibling's and partitioned ones", {
  skip: noChromium,
}, async () => {
  const cookies = (await home.ok(["cookies", "--url", url(), "--format", "json"])).json();
  assert.ok(cookies.some((cookie: any) => cookie.domain === "site.test" && !cookie.hostOnly));
  assert.ok(
    cookies.every((cookie: any) => cookie.domain !== "sibling.site.test" && cookie.partitionKey === null),
  );
  assert.ok(!names(cookies).includes("deep"), "the path decides too");
  const byHost = (await home.ok(["cookies", "--domain", "www.site.test", "--json"])).json();
  assert.ok(names(byHost).includes("deep"), "a host has all paths");
  const overHttp = (await home.ok(["cookies", "--url", `${site.http("www.site.test")}/`, "--json"])).json();
  assert.ok(overHttp.every((cookie: any) => !cookie.secure));
});

test("deputy cookies writes Netscape and Playwright formats, and says what they cannot carry", {
  skip: noChromium,
}, async () => {
  const netscape = await home.ok(["cookies", "--url", url(), "--format", "netscape"]);
  assert.match(netscape.stdout, /^# Netscape HTTP Cookie File\n/);
  assert.match(netscape.stdout, /^#HttpOnly_www\.site\.test\tFALSE\t\/\tTRUE\t\d+\tguarded\t2$/m);
  assert.match(netscape.stderr, /netscape does not carry .*sameSite/);
  const state = (await home.ok(["cookies", "--url", url(), "--format", "storage-state"])).json();
  assert.ok(state.cookies.some((cookie: any) => cookie.name === "guarded" && cookie.sameSite === "Lax"));
});

test("deputy cookies takes a profile by its folder, its user data folder or its name", {
  skip: noChromium,
}, async () => {
  const expected = (await home.ok(["cookies", "--url", url()])).stdout;
  for (const profile of [userData, join(userData, "Default"), "Default"]) {
    assert.equal(
      (await home.ok(["cookies", "--url", url(), "--profile", profile])).stdout,
      expected,
      profile,
    );
  }
});

test("deputy cookies takes the fresher of two profiles and never merges them", {
  skip: noChromium,
}, async () => {
  const other = join(home.root, ".config", "google-chrome");
  mkdirSync(other, { recursive: true });
  {
    await using browser = await startChromium({ userData: other });
    await browser.visit(`${site.http("www.site.test")}/set-plain`);
  }
  const fresh = (await home.ok(["cookies", "--domain", "www.site.test", "--json"])).json();
  assert.deepEqual(names(fresh), ["over-http"]);
  const named = (
    await home.ok(["cookies", "--domain", "www.site.test", "--browser", "chromium", "--json"])
  ).json();
  assert.ok(named.length > 5 && !names(named).includes("over-http"));
});

test("deputy cookies reads a running browser by its address", { skip: noChromium }, async () => {
  const live = join(home.root, "live");
  mkdirSync(live);
  await using browser = await startChromium({ userData: live, args: ["--remote-debugging-port=0"] });
  await browser.visit(`${site.https("www.site.test")}/set`);
  const [port] = readFileSync(join(live, "DevToolsActivePort"), "utf8").split("\n");
  const args = ["cookies", "--url", url(), "--browser", `http://127.0.0.1:${port}`];
  const cookies = (await home.ok([...args, "--json"])).json();
  assert.ok(names(cookies).includes("session"), "a running browser has its session cookies");
  const gone = await home.ok(["cookies", "--url", url(), "--browser", "http://127.0.0.1:1"]);
  assert.equal(gone.stdout, "");
  assert.match(gone.stderr, /no browser answers there/);
});

test("deputy cookies reads an account of the vault", { skip: noChromium }, async () => {
  await home.ok(["setup", "--yes"]);
  await home.set("site.test", "joe", "cookies", { cookies: "login=canary-of-joe" });
  const header = await home.ok(["cookies", "--url", "https://www.site.test/", "--account", "joe"]);
  assert.equal(header.stdout, "login=canary-of-joe\n");
  const nobody = await home.run([
    "cookies",
    "--url",
    "https://www.site.test/",
    "--account",
    "jane",
    "--json",
  ]);
  assert.equal(nobody.json().error.code, "NOT_FOUND");
});

test("deputy cookies with nothing to show prints nothing and exits 0", async () => {
  const nothing = await home.ok(["cookies", "--url", "https://nowhere.test/"]);
  assert.equal(nothing.stdout, "");
  assert.deepEqual((await home.ok(["cookies", "--url", "https://nowhere.test/", "--json"])).json(), []);
});

test("deputy cookies refuses what it cannot understand", async (t) => {
  const cases: [string, string[], string, number][] = [
    ["no target", [], "BAD_USAGE", 2],
    ["two targets", ["--url", "https://a.test/", "--domain", "a.test"], "BAD_USAGE", 2],
    ["a URL that is none", ["--url", "a.test"], "BAD_INPUT", 2],
    ["a URL of another kind", ["--url", "file:///etc/passwd"], "BAD_INPUT", 2],
    ["an unknown format", ["--url", "https://a.test/", "--format", "xml"], "BAD_USAGE", 2],
    ["an unknown browser", ["--url", "https://a.test/", "--browser", "mosaic"], "BROWSER_NOT_FOUND", 1],
    [
      "an unknown profile",
      ["--url", "https://a.test/", "--profile", "/no/such/folder"],
      "BROWSER_NOT_FOUND",
      1,
    ],
  ];
  for (const [name, args, code, status] of cases) {
    await t.test(name, async () => {
      const ran = await home.run(["cookies", ...args, "--json"]);
      assert.deepEqual([ran.json().error.code, ran.status], [code, status]);
      assert.ok(ran.json().error.hint);
    });
  }
});
