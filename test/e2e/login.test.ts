/** deputy login as a person meets it: keys, cookies of real browsers, a terminal, and everything that goes wrong. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parseCookie } from "../../src/cookies/index.ts";
import { writeChromiumProfile } from "../support/chromium-profile.ts";
import { TestHome } from "../support/deputy.ts";
import { http1Server } from "../support/http-servers.ts";
import { LoginShop } from "../support/login-shop.ts";
import { findInFiles, findInText } from "../support/leaks.ts";
import { noChromium, startChromium } from "../support/real-chromium.ts";
import { noFirefox, startFirefox } from "../support/real-firefox.ts";
import { writeSkill } from "../support/skill-folder.ts";
import { noTerminal, Terminal } from "../support/terminal.ts";

const KEY = "canary-key-4e0c9a71d2";
let shop: LoginShop;
let home: TestHome;

const skill = (id: string, connections: object) =>
  writeSkill(join(home.home, "skills", id), {
    "skill.yaml": JSON.stringify({ id, name: id, description: `The ${id} service`, connections }),
  });

const check = { url: "/me", identifier: ".email", display: ".name" };

before(async () => {
  shop = await LoginShop.open();
  shop.keys.set(KEY, "ann@keys.test");
  home = new TestHome();
  mkdirSync(home.home, { recursive: true });
  const names = [
    "api.keys.test",
    "bare.test",
    "www.store.test",
    "named.test",
    "plain.test",
    "two.test",
    "pair.test",
    "api.twin.test",
    "files.twin.test",
  ];
  writeFileSync(
    join(home.home, "config.yaml"),
    `resolve:\n${names.map((name) => `  ${name}: 127.0.0.1`).join("\n")}\n`,
  );
  const header = { "x-api-key": ".auth.key" };
  skill("keys", {
    api: {
      base_url: shop.at("api.keys.test"),
      label: "Secret key",
      help_url: "https://keys.test/settings",
      auth: { type: "api_key", header, check },
    },
  });
  skill("bare", { api: { base_url: shop.at("bare.test"), auth: { type: "api_key", header } } });
  skill("pair", {
    api: {
      base_url: shop.at("pair.test"),
      auth: { type: "api_key", header: { ...header, "x-org": '"org-" + .auth.org_id' } },
    },
  });
  skill("store", {
    web: { base_url: shop.at("www.store.test"), auth: { type: "cookies", names: ["sid"], check } },
  });
  skill("named", { web: { base_url: shop.at("named.test"), auth: { type: "cookies", names: ["sid"] } } });
  skill("two", {
    api: { base_url: shop.at("two.test"), auth: { type: "api_key", header, check } },
    web: { base_url: shop.at("two.test"), auth: { type: "cookies", names: ["sid"], check } },
  });
  skill("twin", {
    api: { base_url: shop.at("api.twin.test"), auth: { type: "api_key", header } },
    files: { base_url: shop.at("files.twin.test"), auth: { type: "api_key", header, check } },
  });
  skill("open", { web: { base_url: shop.at("two.test") } });
  await home.ok(["setup", "--yes"]);
});
after(async () => {
  await home[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

const error = async (args: readonly string[], input?: string) => {
  const ran = await home.run([...args, "--json"], input === undefined ? {} : { input });
  return { status: ran.status, ...ran.json().error };
};

test("a key on standard input is checked, named after its account and stored", async () => {
  const done = (await home.ok(["login", "keys", "--json"], { input: `${KEY}\n` })).json();
  assert.deepEqual(done, {
    domain: "keys.test",
    account: "ann@keys.test",
    item_type: "api_key",
    display: "ann",
    checked: true,
    source: "login",
  });
  const unasked = await home.ok(["login", "keys.test"], { input: JSON.stringify({ key: KEY }) });
  assert.match(unasked.stdout, /as ann@keys\.test\. Nobody could be asked/, "no skill was named or allowed");
  await home.ok(["grants", "add", "--skill", "keys", "--identity", "keys.test"]);
  const words = await home.ok(["login", "keys.test"], { input: JSON.stringify({ key: KEY }) });
  assert.equal(words.stdout, "Logged in at keys.test as ann (ann@keys.test).\n");
  assert.deepEqual(findInFiles(home.home, KEY), []);
});

test("a key nobody can be asked about is stored under the name given, or default", async () => {
  const words = await home.ok(["login", "bare"], { input: "canary-first" });
  assert.equal(words.stdout, "Logged in at bare.test as default. Nobody could be asked whether it works.\n");
  const named = await home.ok(["login", "bare", "--account", "joe", "--json"], { input: "canary-second" });
  assert.deepEqual([named.json().account, named.json().checked], ["joe", false]);
});

test("a key the service does not take is not stored, and neither is one it cannot judge now", async () => {
  const wrong = await error(["login", "keys", "--account", "eve"], "canary-wrong-key");
  assert.deepEqual([wrong.status, wrong.code], [3, "LOGIN_NEEDED"]);
  assert.match(wrong.hint, /Nothing was stored\. .*https:\/\/keys\.test\/settings/);
  shop.trouble = 503;
  const down = await error(["login", "keys", "--account", "eve"], KEY);
  shop.trouble = undefined;
  assert.deepEqual([down.status, down.code], [1, "NETWORK_FAILED"]);
  const broken = await error(["login", "keys", "--account", "eve"], "canary\nX-Evil: 1");
  assert.equal(broken.code, "BAD_INPUT");
  const none = await error(["login", "keys"], "");
  assert.deepEqual([none.code, none.status], ["BAD_USAGE", 2]);
  assert.match(none.message, /Secret key/);
  const rows = (await home.ok(["vault", "list", "--json"])).json();
  assert.ok(rows.every((row: any) => row.identifier !== "eve"));
});

test("at a terminal the key is asked for by its label, with where to get it, and not shown", {
  skip: noTerminal,
}, async () => {
  await using terminal = new Terminal(home, ["login", "keys", "--account", "terminal"]);
  await terminal.see(/Secret key for keys\.test/);
  assert.match(terminal.shown, /You get one at https:\/\/keys\.test\/settings/);
  terminal.type(`${KEY}\r`);
  assert.equal(await terminal.ended, 0, terminal.shown);
  assert.match(terminal.shown, /Logged in at keys\.test as ann \(terminal\)\./);
  assert.deepEqual(findInText(terminal.shown, KEY), []);
  await home.ok(["vault", "remove", "keys.test", "terminal"]);
});

test("at a terminal everything the templates use is asked for", { skip: noTerminal }, async () => {
  await using terminal = new Terminal(home, ["login", "pair"]);
  await terminal.see(/API key for pair\.test/);
  terminal.type("canary-of-a-pair\r");
  await terminal.see(/org id, if there is one/);
  terminal.type("canary-org\r");
  assert.equal(await terminal.ended, 0, terminal.shown);
  const sent = (await home.ok(["browse", "request", "pair", "/", "--json"])).json().hops[0].sent;
  assert.deepEqual(
    sent.find(([name]: [string]) => name === "x-org"),
    ["x-org", "[redacted]"],
  );
});

test("Ctrl-C and an empty key at the terminal store nothing", { skip: noTerminal }, async () => {
  for (const typed of ["\x03", "\r"]) {
    await using terminal = new Terminal(home, ["login", "keys", "--account", "nobody"]);
    await terminal.see(/Secret key for/);
    terminal.type(typed);
    assert.equal(await terminal.ended, 1, terminal.shown);
    assert.match(terminal.shown, /Nothing was (stored|changed)/);
  }
  const rows = (await home.ok(["vault", "list", "--json"])).json();
  assert.ok(rows.every((row: any) => row.identifier !== "nobody"));
});

test("a target that is no login is said to be, with what to type instead", async () => {
  const unknown = await error(["login", "stoer"]);
  assert.deepEqual([unknown.code, unknown.hint], ["NOT_FOUND", "Did you mean store?"]);
  const two = await error(["login", "two"]);
  assert.deepEqual([two.code, two.status], ["BAD_USAGE", 2]);
  assert.match(`${two.message} ${two.hint}`, /api \(api_key\), web \(cookies\).*--connection \w+/);
  const byDomain = await error(["login", "two.test"]);
  assert.match(
    byDomain.hint,
    /deputy login two --connection api \(api_key\), or deputy login two --connection web/,
  );
  const twin = (await home.ok(["login", "twin", "--json"], { input: KEY })).json();
  assert.deepEqual(
    [twin.account, twin.checked],
    ["ann@keys.test", true],
    "one login, and the one that can say whose",
  );
  const open = await error(["login", "open"]);
  assert.match(open.message, /open needs no login/);
  const wrong = await error(["login", "two", "--connection", "ftp"]);
  assert.match(wrong.message, /has no connection ftp/);
  const nonsense = await error(["login", "not a domain"]);
  assert.equal(nonsense.code, "BAD_INPUT");
});

test("the command a missing login names is one that works", async () => {
  shop.keys.set("canary-key-of-two", "ann@two.test");
  const missing = await error(["browse", "request", "two", "/me", "--connection", "api"]);
  assert.deepEqual([missing.status, missing.code], [3, "LOGIN_NEEDED"]);
  const command = /Log in: deputy (login two --connection api)/.exec(missing.hint)?.[1];
  assert.ok(command, missing.hint);
  await home.ok(command.split(" "), { input: "canary-key-of-two" });
  await home.ok(["browse", "request", "two", "/me", "--connection", "api"]);
});

test("without a browser, a login by cookies says where to go and exits 3", async () => {
  const nowhere = await error(["login", "store"]);
  assert.deepEqual([nowhere.status, nowhere.code], [3, "LOGIN_NEEDED"]);
  assert.match(
    nowhere.hint,
    /no browser to look in\. Log in at http:\/\/www\.store\.test:\d+\/, then: deputy login store --connection web/,
  );
});

test("a login in Chromium is found, checked and named by the service", { skip: noChromium }, async () => {
  const userData = join(home.root, ".config", "chromium");
  mkdirSync(userData, { recursive: true });
  try {
    {
      await using browser = await startChromium({ userData });
      for (const host of ["www.store.test", "named.test", "plain.test"])
        await browser.visit(shop.at(host, "/visit"));
    }
    const visited = await error(["login", "store"]);
    assert.equal(visited.status, 3);
    assert.match(visited.hint, /chromium\/[^,(]+ \(not logged in there\)/);
    assert.equal((await error(["login", "named"])).status, 3, "a visit is no login where cookies are named");
    {
      await using browser = await startChromium({ userData });
      for (const host of ["www.store.test", "named.test"])
        await browser.visit(shop.at(host, "/enter?user=joe@store.test"));
    }
    const checked = (await home.ok(["login", "store", "--json"])).json();
    assert.deepEqual([checked.account, checked.checked], ["joe@store.test", true]);
    assert.match(checked.source, /^chromium\//);
    const named = (await home.ok(["login", "named", "--json"])).json();
    assert.match(named.account, /^@chromium\//);
    assert.equal(named.checked, false);
    const byPerson = (await home.ok(["login", "named", "--account", "joe", "--json"])).json();
    assert.equal(byPerson.account, "joe", "where nobody can be asked, the person says whose it is");
    const rows = (await home.ok(["vault", "list", "--json"])).json();
    assert.deepEqual(
      rows.filter((row: any) => row.domain === "named.test").map((row: any) => row.identifier),
      ["joe"],
      "one login, not two",
    );
    const plain = (await home.ok(["login", "plain.test", "--json"])).json();
    assert.match(plain.account, /^@chromium\//, "with neither a check nor names, what is there is taken");
    const other = await error(["login", "store", "--account", "eve"]);
    assert.deepEqual([other.status, other.code], [3, "LOGIN_NEEDED"]);
    assert.match(other.hint, /another account/);
    shop.sessions.clear();
    {
      await using browser = await startChromium({ userData });
      await browser.visit(shop.at("www.store.test", "/visit"));
    }
    await home.stopEngine();
    const out = await error(["login", "store"]);
    assert.deepEqual([out.status, out.code], [3, "LOGIN_NEEDED"]);
    assert.match(out.hint, /logged out there/);
  } finally {
    rmSync(userData, { recursive: true, force: true });
    for (const [domain, account] of [
      ["store.test", "joe@store.test"],
      ["named.test", "joe"],
    ] as const)
      await home.run(["vault", "remove", domain, account]);
  }
});

test("a login in Firefox is found, checked and named by the service", { skip: noFirefox }, async () => {
  const folder = join(home.root, ".mozilla", "firefox");
  const profile = join(folder, "abcd.default");
  mkdirSync(profile, { recursive: true });
  writeFileSync(
    join(folder, "profiles.ini"),
    "[Profile0]\nName=default\nIsRelative=1\nPath=abcd.default\nDefault=1\n",
  );
  try {
    await using browser = await startFirefox(profile);
    await browser.visit(shop.at("www.store.test", "/enter?user=fay@store.test"));
    await browser.close();
    const done = (await home.ok(["login", "store", "--json"])).json();
    assert.deepEqual([done.account, done.checked], ["fay@store.test", true]);
    assert.match(done.source, /^firefox\//);
    assert.equal(
      (await home.ok(["curl", shop.at("www.store.test", "/private")])).stdout.split(";")[0],
      "hello, fay@store.test",
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("waiting for a login ends when there is one, when the time is over, and with Ctrl-C", {
  skip: noTerminal || noChromium,
}, async () => {
  await using terminal = new Terminal(home, ["login", "store", "--account", "late@store.test"]);
  await terminal.see(/Log in at http:\/\/www\.store\.test/);
  terminal.type("\x03");
  assert.equal(await terminal.ended, 1, terminal.shown);
  assert.match(terminal.shown, /given up/);

  const over = await error(["login", "store", "--account", "late@store.test", "--wait", "1"]);
  assert.equal(over.status, 3);
  assert.equal((await error(["login", "store", "--wait", "soon"])).status, 2);

  const userData = join(home.root, ".config", "chromium");
  const waiting = home.run(["login", "store", "--account", "late@store.test", "--wait", "60", "--json"]);
  mkdirSync(userData, { recursive: true });
  {
    await using browser = await startChromium({ userData });
    await browser.visit(shop.at("www.store.test", "/enter?user=late@store.test"));
  }
  const done = await waiting;
  assert.equal(done.status, 0, done.stdout);
  assert.equal(done.json().account, "late@store.test");
  rmSync(userData, { recursive: true, force: true });
});

test("where a login cannot be told from a visit, the person says when they are done", {
  skip: noTerminal,
}, async () => {
  const userData = join(home.root, ".config", "chromium");
  const at = Date.now();
  const expires = at + 3_600_000;
  writeChromiumProfile(join(userData, "Default"), [
    parseCookie({
      name: "any",
      value: "canary-any",
      domain: "untold.test",
      created: at,
      updated: at,
      expires,
    }),
  ]);
  await using terminal = new Terminal(home, ["login", "untold.test"]);
  await terminal.see(/Log in at https:\/\/untold\.test\/\. Deputy looks in chromium\/Default/);
  await terminal.see(/Press Enter when you are logged in/);
  terminal.type("\r");
  assert.equal(await terminal.ended, 0, terminal.shown);
  assert.match(terminal.shown, /Logged in at untold\.test as @chromium\/Default\. Nobody could be asked/);
  rmSync(userData, { recursive: true, force: true });
});

test("a session the vault has renewed is not put back to the browser's older one, unless the person removes it", async () => {
  let turn = 0;
  await using site = await http1Server((request, response) => {
    const isIn = request.headers.cookie === `sid=canary-turn-${turn}`;
    if (isIn) response.setHeader("set-cookie", `sid=canary-turn-${++turn}; Path=/; Max-Age=3600`);
    response.end(isIn ? "hello" : "Sign in");
  });
  const userData = join(home.root, ".config", "chromium");
  const inBrowser = (at: number) => {
    const session = { name: "sid", value: `canary-turn-${turn}`, domain: "localhost", hostOnly: true };
    const cookie = parseCookie({ ...session, created: at, updated: at, expires: at + 3_600_000 });
    writeChromiumProfile(join(userData, "Default"), [cookie]);
  };
  const curl = async () => (await home.ok(["curl", `http://localhost:${site.port}/`])).stdout;
  try {
    inBrowser(Date.now() - 60_000);
    const first = (await home.ok(["login", "localhost", "--json"])).json();
    assert.deepEqual([first.account, first.kept], ["@chromium/Default", undefined]);
    assert.equal(await curl(), "hello");
    for (const args of [[], ["--provider", "chromium"]]) {
      const words = (await home.ok(["login", "localhost", ...args])).stdout;
      assert.match(
        words,
        /^The vault's login at localhost is newer than chromium\/Default's and was kept\. /,
      );
      assert.match(words, /deputy vault remove localhost @chromium\/Default --type cookies\n$/);
      assert.equal(await curl(), "hello");
    }
    const named = (await home.ok(["login", "localhost", "--account", "joe", "--json"])).json();
    assert.deepEqual([named.account, named.kept], ["joe", true], "the person may still say whose it is");
    assert.equal(await curl(), "hello");
    rmSync(userData, { recursive: true });
    turn = 100;
    inBrowser(Date.now());
    const anew = (await home.ok(["login", "localhost", "--account", "joe", "--json"])).json();
    assert.deepEqual([anew.account, anew.kept], ["joe", undefined]);
    assert.equal(await curl(), "hello", "who logged in anew in the browser gets that login");
    turn = 100;
    assert.equal((await home.ok(["login", "localhost", "--account", "joe", "--json"])).json().kept, true);
    await home.ok(["vault", "remove", "localhost", "joe", "--type", "cookies"]);
    await home.ok(["login", "localhost"]);
    assert.equal(await curl(), "hello");
  } finally {
    rmSync(userData, { recursive: true, force: true });
  }
});

test("without a vault nobody is asked for anything", { skip: noTerminal }, async () => {
  await using other = new TestHome();
  writeSkill(join(other.home, "skills", "bare"), {
    "skill.yaml": JSON.stringify({
      id: "bare",
      name: "bare",
      description: "bare",
      connections: { api: { base_url: shop.at("bare.test"), auth: { type: "api_key", header: {} } } },
    }),
  });
  for (const target of ["bare", "somewhere.test"]) {
    await using terminal = new Terminal(other, ["login", target]);
    assert.equal(await terminal.ended, 1, terminal.shown);
    assert.match(terminal.shown, /There is no vault yet\s+Make one: deputy setup/);
  }
});

test("no key and no session is in any file, log or answer", async () => {
  for (const canary of [KEY, "canary-first", "canary-session-of-"]) {
    assert.deepEqual(findInFiles(home.home, canary), [], canary);
  }
});
