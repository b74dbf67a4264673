/** deputy curl and deputy cookies where skills describe the site: the account's real name, keys, a running browser. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TestHome } from "../support/deputy.ts";
import { LoginShop } from "../support/login-shop.ts";
import { findInText } from "../support/leaks.ts";
import { noChromium, startChromium } from "../support/real-chromium.ts";
import { writeSkill } from "../support/skill-folder.ts";

const KEY = "canary-key-77aa01bc42";
let shop: LoginShop;
let home: TestHome;
const check = { url: "/me", identifier: ".email" };

before(async () => {
  shop = await LoginShop.open();
  shop.keys.set(KEY, "ann");
  home = new TestHome();
  mkdirSync(home.home, { recursive: true });
  const names = ["www.store.test", "api.keys.test", "docs.keys.test", "both.test", "live.test"];
  writeFileSync(
    join(home.home, "config.yaml"),
    `resolve:\n${names.map((name) => `  ${name}: 127.0.0.1`).join("\n")}\n`,
  );
  const header = { "x-api-key": ".auth.key" };
  const skills = {
    keys: { api: { base_url: shop.at("api.keys.test"), auth: { type: "api_key", header } } },
    store: { web: { base_url: shop.at("www.store.test"), auth: { type: "cookies", names: ["sid"], check } } },
    both: {
      api: { base_url: shop.at("both.test"), auth: { type: "api_key", header } },
      web: { base_url: shop.at("both.test"), auth: { type: "cookies", names: ["sid"], check } },
    },
  };
  for (const [id, connections] of Object.entries(skills))
    writeSkill(join(home.home, "skills", id), {
      "skill.yaml": JSON.stringify({ id, name: id, description: id, connections }),
    });
  await home.ok(["setup", "--yes"]);
});
after(async () => {
  await home[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

const curl = async (url: string, ...args: string[]) =>
  (await home.run(["curl", url, ...args, "--json"])).json();
const cookies = async (host: string, ...args: string[]) =>
  home.run(["cookies", "--url", shop.at(host, "/"), ...args]);

test("without a login, deputy curl and a key's connection name the command for the key", async () => {
  const ran = await home.run(["curl", shop.at("api.keys.test", "/private"), "--json"]);
  assert.deepEqual([ran.status, ran.json().error.code], [3, "LOGIN_NEEDED"]);
  assert.match(ran.json().error.hint, /deputy login keys --connection api/);
  await home.ok(["login", "keys", "--connection", "api", "--account", "ann"], { input: KEY });
});

test("a skill nobody has allowed places no key and names no account", async () => {
  const denied = await home.run(["curl", shop.at("api.keys.test", "/private"), "--json"]);
  assert.deepEqual([denied.status, denied.json().error.code], [4, "DENIED"]);
  assert.match(denied.json().error.hint, /deputy grants add --skill keys --identity keys\.test$/);
  assert.ok(shop.seen.every(({ key }) => key === ""));
  for (const id of ["keys", "store", "both"])
    await home.ok(["grants", "add", "--skill", id, "--identity", `${id}.test`]);
});

test("a key goes to its connection's origin, placed as the connection says, and to no other host", async () => {
  const answer = await curl(shop.at("api.keys.test", "/private"));
  assert.deepEqual([answer.status, answer.account, answer.provider], [200, "ann", "vault"]);
  assert.deepEqual(findInText(JSON.stringify(answer), KEY), [], "echoed back, it is masked");
  const sibling = await curl(shop.at("docs.keys.test", "/private"));
  assert.equal(sibling.error.code, "LOGIN_NEEDED");
  assert.ok(shop.seen.every(({ host, key }) => key === "" || host.startsWith("api.keys.test")));
  assert.equal(
    (await curl(shop.at("api.keys.test", "/private"), "--account", "bob")).error.code,
    "LOGIN_NEEDED",
  );
});

test("of a key and a cookie login at one origin the cookies are taken, and named accounts decide", async () => {
  shop.keys.set("canary-key-of-both", "kay");
  await home.set("both.test", "kay", "api_key", { key: "canary-key-of-both" });
  assert.equal((await curl(shop.at("both.test", "/private"))).account, "kay");
  await home.set("both.test", "kim", "api_key", { key: "canary-key-of-kim" });
  assert.match((await curl(shop.at("both.test", "/private"))).error.message, /kay, kim/);
  await home.ok(["vault", "remove", "both.test", "kim"]);
  shop.sessions.set("canary-cookie-of-both", "cora");
  await home.set("both.test", "cora", "cookies", { cookies: "sid=canary-cookie-of-both" });
  assert.equal((await curl(shop.at("both.test", "/private"))).account, "cora");
  for (const account of ["kay", "cora"]) {
    const answer = await curl(shop.at("both.test", "/private"), "--account", account);
    assert.match(answer.body, new RegExp(`^hello, ${account};`));
  }
});

test("a browser's login gets the name the skill's check tells, and deputy cookies shows that very one", {
  skip: noChromium,
}, async () => {
  const nothing = await cookies("www.store.test");
  assert.deepEqual([nothing.status, nothing.stdout], [0, ""]);
  const userData = join(home.root, ".config", "chromium");
  mkdirSync(userData, { recursive: true });
  {
    await using browser = await startChromium({ userData });
    await browser.visit(shop.at("www.store.test", "/enter?user=joe@store.test"));
  }
  const shown = await cookies("www.store.test");
  assert.match(shown.stdout, /^sid=canary-session-of-joe@store\.test-\d+\n$/);
  const answer = await curl(shop.at("www.store.test", "/private"));
  assert.deepEqual([answer.status, answer.account], [200, "joe@store.test"]);

  // Another account in the vault: neither command guesses, and each shows one account's alone.
  shop.sessions.set("canary-of-jane", "jane");
  await home.set("store.test", "jane", "cookies", { cookies: "sid=canary-of-jane; extra=jane" });
  const both = await home.run(["cookies", "--url", shop.at("www.store.test", "/"), "--json"]);
  assert.deepEqual([both.status, both.json().error.code], [2, "BAD_USAGE"]);
  assert.match(both.json().error.message, /jane, joe@store\.test/);
  assert.equal((await curl(shop.at("www.store.test", "/private"))).error.message, both.json().error.message);
  assert.equal(
    (await cookies("www.store.test", "--account", "jane")).stdout,
    "sid=canary-of-jane; extra=jane\n",
  );
  assert.equal((await cookies("www.store.test", "--account", "joe@store.test")).stdout, shown.stdout);
  assert.equal((await cookies("www.store.test", "--browser", "chromium")).stdout, shown.stdout);
  rmSync(userData, { recursive: true, force: true });
});

test("--provider asks a running browser, and only then", { skip: noChromium }, async () => {
  const userData = join(home.root, "running");
  mkdirSync(userData);
  await using browser = await startChromium({ userData, args: ["--remote-debugging-port=0"] });
  await browser.visit(shop.at("live.test", "/enter?user=liv"));
  const [port] = readFileSync(join(userData, "DevToolsActivePort"), "utf8").split("\n");
  assert.equal((await curl(shop.at("live.test", "/private"))).error.code, "LOGIN_NEEDED");
  const answer = await curl(shop.at("live.test", "/private"), "--provider", `http://127.0.0.1:${port}`);
  assert.deepEqual([answer.status, answer.body?.split(";")[0]], [200, "hello, liv"]);
  const gone = await curl(shop.at("www.store.test", "/"), "--provider", "http://127.0.0.1:1");
  assert.equal(gone.error.code, "LOGIN_NEEDED");
  assert.match(gone.error.hint, /no browser answers there/);
  const unknown = await curl(shop.at("www.store.test", "/"), "--provider", "mosaic");
  assert.equal(unknown.error.code, "NOT_FOUND");
});
