/** deputy login in a window of its own: real Chromium on a display nobody looks at, with a page that logs itself in. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TestHome } from "../support/deputy.ts";
import { LoginShop } from "../support/login-shop.ts";
import { findInFiles, findInText } from "../support/leaks.ts";
import { noChromium } from "../support/real-chromium.ts";
import { writeSkill } from "../support/skill-folder.ts";
import { noTerminal, Terminal } from "../support/terminal.ts";
import { noDisplay, startDisplay, type VirtualDisplay } from "../support/virtual-display.ts";

const skip = noChromium || noTerminal || noDisplay;
let shop: LoginShop;
let display: VirtualDisplay;
let home: TestHome;

const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("deputy-login-"));
const check = { url: "/me", identifier: ".email", display: ".name" };

/** The page opens where base_url says: on this machine, since nobody tells this browser other names. */
function skill(id: string, page: string, auth: object): void {
  const connections = { web: { base_url: shop.at("127.0.0.1"), help_url: shop.at("127.0.0.1", page), auth } };
  writeSkill(join(home.home, "skills", id), {
    "skill.yaml": JSON.stringify({ id, name: id, description: "A shop", connections }),
  });
}

before(async () => {
  if (skip) return;
  shop = await LoginShop.open();
  display = await startDisplay();
  home = new TestHome({ env: { DISPLAY: display.name } });
  mkdirSync(home.home, { recursive: true });
  skill("checked", "/form?user=win@shop.test", { type: "cookies", names: ["sid"], check });
  skill("named", "/form?user=any@shop.test", { type: "cookies", names: ["sid"] });
  skill("visited", "/visit", { type: "cookies", check });
  await home.ok(["setup", "--yes"]);
});
after(async () => {
  if (skip) return;
  await home[Symbol.asyncDispose]();
  await display[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

test("a window opens, the login in it is checked and stored, and nothing of it is left", {
  skip,
}, async () => {
  const before = folders();
  await using terminal = new Terminal(home, ["login", "checked"]);
  await terminal.see(/A window has opened: log in there\./);
  assert.equal(await terminal.ended, 0, terminal.shown);
  assert.match(terminal.shown, /Logged in at 127\.0\.0\.1 as win@shop\.test\./);
  assert.deepEqual(folders(), before);
  assert.deepEqual(findInText(terminal.shown, "canary-session-of-"), []);
  assert.deepEqual(findInFiles(home.home, "canary-session-of-"), []);
  const answer = await home.ok(["curl", shop.at("127.0.0.1", "/private")]);
  assert.match(answer.stdout, /^hello, win@shop\.test/);
  await home.ok(["vault", "remove", "127.0.0.1", "win@shop.test"]);
});

test("a login nobody can name has the same name in every window, or the one the person gives", {
  skip,
}, async () => {
  for (const expected of ["@window/127.0.0.1", "@window/127.0.0.1", "joe"]) {
    const more = expected === "joe" ? ["--account", "joe"] : [];
    await using terminal = new Terminal(home, ["login", "named", ...more]);
    assert.equal(await terminal.ended, 0, terminal.shown);
    assert.ok(terminal.shown.includes(`Logged in at 127.0.0.1 as ${expected}.`), terminal.shown);
  }
  const rows = (await home.ok(["vault", "list", "--json"])).json();
  assert.deepEqual(
    rows.map((row: any) => row.identifier),
    ["joe"],
  );
  await home.ok(["vault", "remove", "127.0.0.1", "joe"]);
});

test("a visit is no login, the check is not asked over and over, and Ctrl-C closes the window", {
  skip,
}, async () => {
  const before = folders();
  await using terminal = new Terminal(home, ["login", "visited"]);
  await terminal.see(/A window has opened/);
  const asked = () => shop.seen.filter(({ url }) => url === "/me").length;
  const first = asked();
  await new Promise((done) => setTimeout(done, 4000));
  assert.ok(asked() - first <= 1, `${asked() - first} checks of one visit`);
  terminal.type("\x03");
  assert.equal(await terminal.ended, 1, terminal.shown);
  assert.match(terminal.shown, /given up/);
  const until = Date.now() + 20_000;
  while (folders().length > before.length && Date.now() < until)
    await new Promise((done) => setTimeout(done, 100));
  assert.deepEqual(folders(), before);
});

test("--no-window names the page instead", { skip }, async () => {
  await using terminal = new Terminal(home, ["login", "visited", "--no-window", "--wait", "1"]);
  await terminal.see(/Log in at http:\/\/127\.0\.0\.1:\d+\/visit/);
  assert.equal(await terminal.ended, 3, terminal.shown);
});

test("a display that is not there is said to be, and nothing is left", { skip }, async () => {
  const before = folders();
  await using other = new TestHome({ env: { DISPLAY: ":64999" } });
  mkdirSync(other.home, { recursive: true });
  await other.ok(["setup", "--yes"]);
  await using terminal = new Terminal(other, ["login", shop.at("127.0.0.1")]);
  assert.equal(await terminal.ended, 1, terminal.shown);
  assert.match(terminal.shown, /Cannot open a window here[\s\S]*--no-window/);
  assert.deepEqual(folders(), before);
});
