/** deputy browse: every choice explained, every hop shown, and not one value in any of it. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parseCookie } from "../../src/cookies/index.ts";
import { writeChromiumProfile } from "../support/chromium-profile.ts";
import { TestHome } from "../support/deputy.ts";
import { writeFirefoxProfile } from "../support/firefox-profile.ts";
import { LoginShop } from "../support/login-shop.ts";
import { findInText } from "../support/leaks.ts";
import { writeSkill } from "../support/skill-folder.ts";

const CANARIES = {
  vault: "canary-vault-1f8e22",
  chromium: "canary-chromium-93bb01",
  firefox: "canary-firefox-5d5e77",
  key: "canary-key-000ad1f",
  hop: "canary-of-the-hop",
};
const SHORT = "k7";
let shop: LoginShop;
let home: TestHome;
const shown: string[] = [];

const cookie = (value: string, at: number, domain = "www.store.test", name = "sid") =>
  parseCookie({
    name,
    value,
    domain,
    hostOnly: true,
    created: at,
    updated: at,
    expires: Date.now() + 3_600_000,
  });

async function browse(...args: string[]) {
  const ran = await home.run(["browse", ...args]);
  shown.push(ran.stdout, ran.stderr);
  const json = await home.run(["browse", ...args, "--json"]);
  shown.push(json.stdout, json.stderr);
  assert.equal(ran.status, json.status);
  return { status: ran.status, text: ran.stdout, json: json.json() };
}

before(async () => {
  shop = await LoginShop.open();
  home = new TestHome();
  mkdirSync(home.home, { recursive: true });
  const names = ["www.store.test", "keys.test", "short.test"];
  writeFileSync(
    join(home.home, "config.yaml"),
    `resolve:\n${names.map((name) => `  ${name}: 127.0.0.1`).join("\n")}\n`,
  );
  const header = { "x-api-key": ".auth.key" };
  const check = { url: "/me", identifier: ".email" };
  const skills = {
    store: { web: { base_url: shop.at("www.store.test"), auth: { type: "cookies", names: ["sid"], check } } },
    keys: {
      api: {
        base_url: shop.at("keys.test"),
        auth: { type: "api_key", header, query: { token: ".auth.key" } },
      },
    },
    short: {
      api: {
        base_url: shop.at("short.test"),
        auth: { type: "api_key", header, query: { token: ".auth.key" } },
      },
    },
    anyone: {
      web: { base_url: shop.at("www.store.test"), optional: true, auth: { type: "api_key", header } },
    },
  };
  for (const [id, connections] of Object.entries(skills))
    writeSkill(join(home.home, "skills", id), {
      "skill.yaml": JSON.stringify({ id, name: id, description: id, connections }),
    });
  shop.sessions.set(CANARIES.chromium, "joe").set(CANARIES.vault, "joe").set(CANARIES.firefox, "eve");
  shop.keys.set(CANARIES.key, "ann").set(SHORT, "ann");
  const now = Date.now();
  const profile = (name: string) => join(home.root, ".config", "chromium", name);
  writeChromiumProfile(profile("Default"), [cookie(CANARIES.chromium, now - 50_000)]);
  writeChromiumProfile(profile("Profile 1"), [cookie("logged-out-long-ago", now - 10_000)]);
  writeChromiumProfile(profile("Profile 2"), [cookie("of-elsewhere", now, "other.test")]);
  writeFileSync(
    join(home.root, ".config", "chromium", "Local State"),
    JSON.stringify({
      profile: {
        info_cache: {
          Default: { name: "Mine" },
          "Profile 1": { name: "Stale" },
          "Profile 2": { name: "Bare" },
        },
      },
    }),
  );
  const firefox = join(home.root, ".mozilla", "firefox");
  writeFirefoxProfile(join(firefox, "abcd.default"), [cookie(CANARIES.firefox, now - 20_000)]);
  writeFileSync(
    join(firefox, "profiles.ini"),
    "[Profile0]\nName=eves\nIsRelative=1\nPath=abcd.default\nDefault=1\n",
  );
  await home.ok(["setup", "--yes"]);
  await home.set("keys.test", "ann", "api_key", { key: CANARIES.key });
  await home.set("short.test", "ann", "api_key", { key: SHORT });
});
after(async () => {
  await home[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

test("browse auth gives every source its verdict, and every verdict its reason, and changes nothing", async () => {
  const { json, text, status } = await browse("auth", "store", "--account", "joe");
  assert.equal(status, 0);
  assert.deepEqual([json.outcome, json.account], ["resolved", "joe"]);
  const verdicts = Object.fromEntries(json.considered.map((one: any) => [one.provider, one.verdict]));
  assert.deepEqual(verdicts, {
    "chromium/Mine": "chosen",
    "chromium/Stale": "failed-check",
    "chromium/Bare": "empty",
    "firefox/eves": "another-account",
  });
  const rows = (await home.ok(["vault", "list", "--json"])).json();
  assert.ok(
    rows.every((row: any) => row.item_type !== "cookies"),
    "it only looked",
  );
  assert.match(text, /chromium\/Mine +joe +1 .* chosen: it would be used/);
  assert.match(text, /chromium\/Stale .* failed-check: the service does not take it/);
  assert.match(text, /firefox\/eves +eve .* another-account: it belongs to another account/);
  assert.ok(json.considered.every((one: any) => one.why.length > 10));
});

test("browse auth lists accounts that none was named of, and exits 3 with the command where there is none", async () => {
  // A request adopts what it uses: then there are two.
  await home.ok(["browse", "request", "store", "/", "--account", "joe", "--json"]);
  const several = await browse("auth", "store");
  assert.equal(several.json.outcome, "ambiguous");
  assert.deepEqual(several.json.accounts, ["eve", "joe"]);
  const none = await browse("auth", "keys", "--account", "bob");
  assert.deepEqual([none.status, none.json.outcome], [3, "needs-login"]);
  assert.equal(none.json.login, "deputy login keys --connection api --account bob");
  assert.match(none.text, /deputy login keys --connection api --account bob/);
  assert.equal(none.json.considered[0].verdict, "another-account");
  const nobody = await browse("auth", "anyone");
  assert.equal(nobody.json.outcome, "anonymous");
});

test("browse cookies lists names with where they come from", async () => {
  const { json } = await browse("cookies", "store");
  const from = new Set<string>(json.map((one: any) => one.from));
  assert.deepEqual([...from].sort(), ["chromium/Mine", "chromium/Stale", "firefox/eves", "vault"]);
  assert.ok(json.every((one: any) => one.name === "sid" && !("value" in one)));
  const one = await browse("cookies", "store", "--provider", "firefox");
  assert.deepEqual(
    one.json.map((row: any) => row.from),
    ["firefox/eves"],
  );
  const mine = await browse("cookies", "store", "--account", "joe");
  assert.deepEqual(
    mine.json.map((row: any) => row.from),
    ["vault"],
  );
  const unknown = await home.run(["browse", "cookies", "store", "--provider", "mosaic", "--json"]);
  assert.equal(unknown.json().error.code, "NOT_FOUND");
});

test("browse request shows every hop of a redirect, both sides, without a value", async () => {
  const { json, text } = await browse("request", "store", "/away", "--account", "joe");
  assert.equal(json.hops.length, 2);
  const [first, second] = json.hops;
  const sent = (hop: any, name: string) =>
    hop.sent.find(([one]: [string]) => one.toLowerCase() === name)?.[1];
  assert.deepEqual([first.status, second.status], [302, 200]);
  // It was asked twice: the first answer's cookie is there already.
  for (const hop of [first, second]) assert.equal(sent(hop, "cookie"), "sid=[redacted]; hop=[redacted]");
  assert.ok(
    first.received.some(
      ([name, value]: [string, string]) => name === "set-cookie" && value === "hop=[redacted]",
    ),
  );
  assert.match(
    text,
    /> GET http:\/\/www\.store\.test:\d+\/away[\s\S]*< 302[\s\S]*> GET .*\/private\?from=away/,
  );
  assert.match(json.preview, /^hello, joe/);
});

test("browse request hides a key in headers, query and echoes, however short it is", async () => {
  for (const skill of ["keys", "short"]) {
    const { json } = await browse("request", skill, "/private");
    const [hop] = json.hops;
    assert.equal(hop.sent.find(([name]: [string]) => name === "x-api-key")[1], "[redacted]");
    assert.match(decodeURIComponent(hop.url), /token=\[redacted\]$/);
  }
});

test("no value appeared in anything that was shown", () => {
  for (const canary of Object.values(CANARIES))
    assert.deepEqual(findInText(shown.join("\n"), canary), [], canary);
});
