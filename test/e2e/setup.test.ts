/** The first meeting, as a person has it: by flags, by questions on a terminal, twice, and broken off. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deriveSealingKey } from "../../src/chromium/index.ts";
import { parseCookie, type Unlabelled } from "../../src/cookies/index.ts";
import { writeChromiumProfile } from "../support/chromium-profile.ts";
import { TestHome } from "../support/deputy.ts";
import { writeFirefoxProfile } from "../support/firefox-profile.ts";
import { findInText } from "../support/leaks.ts";
import { noTerminal, Terminal } from "../support/terminal.ts";

const CANARY = "canary-cookie-value-of-setup";
const AGENT = { env: { CLAUDECODE: "1" } };
const [ENTER, SPACE, DOWN, CTRL_C] = ["\r", " ", "\x1b[B", "\x03"];

let home: TestHome;
let empty: TestHome;

before(() => {
  home = new TestHome();
  furnish(home.root);
  empty = new TestHome();
});
after(async () => {
  await home[Symbol.asyncDispose]();
  await empty[Symbol.asyncDispose]();
});

function cookie(domain: string, name: string, more: object = {}): Unlabelled {
  const expires = Date.now() + 1e9;
  return parseCookie({ name, value: CANARY, domain, httpOnly: true, secure: true, expires, ...more });
}

/** Browsers with logins, a profile that nobody can open, and two clients. */
function furnish(root: string): void {
  const chromium = join(root, ".config", "chromium");
  writeChromiumProfile(join(chromium, "Default"), [
    cookie("www.goodreads.com", "_session_id2"),
    cookie("goodreads.com", "at-main"),
    cookie("shop.test", "user_session"),
    cookie("gone.test", "user_session", { expires: Date.now() - 1000 }),
    cookie("ads.test", "_ga_of_ads", { httpOnly: false }),
    { ...cookie("evil.test", "sid"), domain: "evil\x1b]0;owned\x07.test" },
    ...Array.from({ length: 30 }, (_, i) => cookie(`site${i}.test`, "theme", { httpOnly: false })),
  ]);
  writeChromiumProfile(join(chromium, "Profile 1"), [cookie("shop.test", "user_session")], {
    keys: { v11: deriveSealingKey("a keyring of another machine", 1) },
  });
  const firefox = join(root, ".mozilla", "firefox");
  writeFirefoxProfile(join(firefox, "x.default"), [
    cookie("shop.test", "user_session"),
    cookie("desk.test", "sid"),
  ]);
  writeFileSync(
    join(firefox, "profiles.ini"),
    "[Profile0]\nName=mine\nIsRelative=1\nPath=x.default\nDefault=1\n",
  );
  mkdirSync(join(root, ".cursor"));
  mkdirSync(join(root, ".codex"));
  writeFileSync(join(root, ".codex", "config.toml"), 'model = "x"\n');
}

function settings(of: TestHome): string[] {
  return [".cursor/mcp.json", ".codex/config.toml", ".claude.json"].map((name) => {
    const file = join(of.root, name);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  });
}

async function grantsOf(of: TestHome) {
  return (await of.ok(["grants", "list", "--json"])).json();
}

function assertSaysNoCookie(text: string): void {
  assert.deepEqual(findInText(text, CANARY), []);
  for (const name of ["_session_id2", "at-main", "user_session", "_ga_of_ads"])
    assert.ok(!text.includes(name), `names ${name}`);
  assert.ok(!text.includes("\x1b]0;"), "an escape sequence of a store reached the terminal");
}

test("what cannot be done is refused before anything is changed, and an agent is refused it all", async () => {
  const before = settings(home);
  const refused: [args: string[], status: number, code: string, hint: RegExp, as?: typeof AGENT][] = [
    [
      ["--share", "shop.test", "--share", "nowhere.test"],
      1,
      "NOT_FOUND",
      /Nothing was changed.*goodreads\.com/,
    ],
    [["--share", "gone.test"], 1, "NOT_FOUND", /deputy login/],
    [["--client", "emacs"], 2, "BAD_USAGE", /claude-code, cursor, codex/],
    [["--client", "cursor", "--client", "zed"], 2, "BAD_USAGE", /install zed --print/],
    [["--share", "shop.test", "--read-only", "--everything"], 2, "BAD_USAGE", /read-only/],
    [["--share", "shop.test", "--client", "cursor"], 4, "DENIED", /terminal of your own/, AGENT],
    [["--yes"], 4, "DENIED", /terminal of your own/, AGENT],
  ];
  await Promise.all(
    refused.map(async ([args, status, code, hint, as = {}]) => {
      const ran = await home.run(["setup", "--json", ...args], as);
      const { error } = ran.json();
      assert.deepEqual([ran.status, error.code], [status, code], args.join(" "));
      assert.match(error.hint, hint);
    }),
  );
  assert.equal(existsSync(join(home.home, "vault.db")), false);
  assert.deepEqual(settings(home), before);
});

test("without a terminal it shows the logins, makes the vault, shares nothing and touches no client", async () => {
  const before = settings(home);
  const { stdout, stderr } = await home.ok(["setup"]);
  assertSaysNoCookie(stdout + stderr);
  assert.match(stdout, /^chromium\/Profile 1 cannot be read: /m);
  assert.match(
    stdout,
    /^DOMAIN +COOKIES +LOGGED IN +SKILL +WHERE\ngoodreads\.com +2 +likely +goodreads +chromium\/Default\n/m,
  );
  assert.match(stdout, /^shop\.test +2 +likely +chromium\/Default and 1 more$/m);
  assert.match(stdout, /^and 20 more$/m);
  assert.doesNotMatch(stdout, /gone\.test|evil/);
  assert.ok(stdout.indexOf("desk.test") < stdout.indexOf("site0.test"), "logins come first");
  assert.match(stdout, /^The vault is ready; its key is a file\.$/m);
  assert.match(stdout, /^To use it from Cursor: deputy mcp install cursor$/m);
  assert.match(stdout, /Three things to try:(\n {2}deputy [^\n]+\n {6}[^\n]+){3}\n$/);
  assert.deepEqual(await grantsOf(home), []);
  assert.deepEqual(settings(home), before);
});

test("by flags it shares and adds clients, says exactly what it grants, and again changes nothing", async () => {
  const args = [
    "setup",
    "--share",
    "https://www.goodreads.com/",
    "--share",
    "shop.test",
    "--client",
    "codex",
  ];
  const first = await home.ok(args);
  assertSaysNoCookie(first.stdout + first.stderr);
  assert.match(first.stdout, /^The vault is there already/m);
  assert.match(
    first.stdout,
    /^goodreads\.com +goodreads +whoever asks +read +www\.goodreads\.com, \*\.goodreads\.com/m,
  );
  assert.match(first.stdout, /^shop\.test +@curl +whoever asks +GET and HEAD requests +\*\.shop\.test$/m);
  assert.match(first.stdout, /^To take one back: deputy grants remove ID$/m);
  assert.match(first.stdout, /^Added Deputy to Codex: .*config\.toml\. What it was is in /m);
  const [grants, files] = [await grantsOf(home), settings(home)];
  const told = grants.map((row: any) => [row.agent, row.skill, row.identity.domain, row.read_only]);
  assert.deepEqual(told, [
    ["*", "goodreads", "goodreads.com", true],
    ["*", "@curl", "shop.test", true],
  ]);

  const again = await home.ok(args);
  assert.match(again.stdout, /^2 grants are there already: deputy grants list$/m);
  assert.match(again.stdout, /^goodreads\.com is shared for goodreads already \(grant_/m);
  assert.match(again.stdout, /^Deputy is in the settings of Codex already/m);
  assert.deepEqual(await grantsOf(home), grants);
  assert.deepEqual(settings(home), files);

  const wider = (await home.ok(["setup", "--share", "shop.test", "--everything", "--json"])).json();
  assert.deepEqual(
    wider.shared.map((row: any) => [row.skill, row.read_only, row.made, row.replaced.length]),
    [
      ["@curl", false, true, 1],
      ["@session", false, true, 0],
    ],
  );
  const narrower = (await home.ok(["setup", "--share", "shop.test", "--json"])).json();
  assert.deepEqual(
    narrower.shared.map((row: any) => [row.skill, row.made]),
    [["@curl", false]],
  );
});

test("as JSON it is one document, and each command it names is one that runs", async () => {
  const { stdout } = await home.ok(["setup", "--yes", "--json"]);
  assertSaysNoCookie(stdout);
  const { created, key, warnings, browsers, shared, clients, next } = JSON.parse(stdout);
  assert.deepEqual([created, key, warnings.length, shared], [false, "file", 1, []]);
  assert.deepEqual(browsers.domains[0], {
    domain: "goodreads.com",
    cookies: 2,
    login: true,
    profiles: ["chromium/Default"],
    skills: ["goodreads"],
  });
  assert.equal(browsers.domains.length, 34);
  assert.deepEqual(
    browsers.profiles.map((row: any) => [row.browser, row.profile, row.readable]),
    [
      ["chromium", "Default", true],
      ["chromium", "Profile 1", false],
      ["firefox", "mine", true],
    ],
  );
  assert.deepEqual(
    clients.map((row: any) => [row.client, row.present, row.changed]),
    [
      ["cursor", false, false],
      ["codex", true, false],
    ],
  );
  const commands: (string | undefined)[] = next.map((step: any) => step.command);
  assert.deepEqual(commands, [
    "deputy run hackernews list_stories -p limit=5",
    "deputy run goodreads check_session",
    undefined,
  ]);
  assert.match(next[2].why, /said to Codex/);
  for (const command of commands.slice(0, 2)) {
    const [, , skill = "", operation] = command?.split(" ") ?? [];
    const { tools } = (await home.ok(["skills", "show", skill, "--json"])).json();
    const tool = tools.find(({ name }: any) => name === operation);
    assert.ok(tool.params.every(({ required }: any) => !required));
  }
});

test("settings that cannot be changed are told, left as they are, and keep nothing else from being done", async () => {
  const file = join(home.root, ".cursor", "mcp.json");
  writeFileSync(file, "{");
  const ran = await home.run(["setup", "--client", "cursor", "--share", "desk.test", "--json"]);
  const { clients, shared } = ran.json();
  assert.deepEqual([ran.status, clients[0].error.code, clients[0].changed], [1, "BAD_CONFIG", false]);
  assert.equal(shared[0].made, true);
  assert.equal(readFileSync(file, "utf8"), "{");
});

test("where there is no browser it says so in one line and goes on", async () => {
  const made = await empty.ok(["setup", "--yes"]);
  assert.match(made.stdout, /^No browser was found for this user\. [^\n]+\n\nThe vault is ready/);
  assert.match(made.stdout, /deputy demo\n[^\n]+\n {2}deputy mcp call readme\n[^\n]+\n$/);
});

test("at a terminal each step asks, none presses, and one may stop at any and go on later", {
  skip: noTerminal,
}, async () => {
  await using person = new TestHome();
  furnish(person.root);

  await using early = new Terminal(person, ["setup"]);
  await early.see(/Where should the vault's key be kept\?/);
  early.type(CTRL_C);
  assert.equal(await early.ended, 1);
  assert.match(early.shown, /Nothing was changed/);
  assert.doesNotMatch(early.shown, /The system's keyring/, "what does not work here is not offered");
  assert.equal(existsSync(join(person.home, "vault.db")), false);

  await using halfway = new Terminal(person, ["setup", "--key", "file"]);
  await halfway.see(/Which of these may agents use\?/);
  halfway.type(CTRL_C);
  assert.equal(await halfway.ended, 1);
  assert.match(
    halfway.shown,
    /Nothing more was changed\s+Done so far: the vault is made\. Go on where you stopped/,
  );
  assert.deepEqual(await grantsOf(person), []);

  await using whole = new Terminal(person, ["setup"]);
  await whole.see(/The vault is there already/);
  await whole.see(/Which of these may agents use\?/);
  await whole.see(/goodreads\.com \(logged in, goodreads\)/);
  whole.type(DOWN);
  whole.type("\t");
  await whole.see(/◼\S* \S*shop\.test/);
  whole.type(ENTER);
  await whole.see(/What may they do there\?/);
  whole.type(ENTER);
  await whole.see(/Make these grants\?/);
  whole.type(DOWN);
  whole.type(ENTER);
  await whole.see(/Add Deputy to which of these\?/);
  await whole.see(/Cursor\S* \S*\(changes .*mcp\.json\)/);
  whole.type(SPACE);
  whole.type(ENTER);
  await whole.see(/Three things to try:/);
  assert.equal(await whole.ended, 0);
  const grants = await grantsOf(person);
  assert.deepEqual(
    grants.map((row: any) => [row.skill, row.identity.domain, row.read_only]),
    [["@curl", "shop.test", true]],
  );
  assert.match(settings(person)[0] ?? "", /deputy/);
  assertSaysNoCookie(early.shown + halfway.shown + whole.shown);

  await using last = new Terminal(person, ["setup"]);
  await last.see(/Which of these may agents use\?/);
  last.type(ENTER);
  await last.see(/Add Deputy to which of these\?/);
  last.type(ENTER);
  assert.equal(await last.ended, 0);
  assert.deepEqual(await grantsOf(person), grants);
});
