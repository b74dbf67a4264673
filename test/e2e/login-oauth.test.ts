/** deputy login by OAuth: a browser here, a browser elsewhere, a code on another device, and the owner's client. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { launcher, TestHome } from "../support/deputy.ts";
import { findInFiles, findInText } from "../support/leaks.ts";
import { CLIENT, OAuthServer } from "../support/oauth-server.ts";
import { writeSkill } from "../support/skill-folder.ts";
import { noTerminal, Terminal } from "../support/terminal.ts";

let server: OAuthServer;
let home: TestHome;

before(async () => {
  server = await OAuthServer.start();
  const claims = { aud: CLIENT.id, email: "ann@example.org" };
  server.idToken = `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.e30`;
  home = new TestHome();
  mkdirSync(home.home, { recursive: true });
  const auth = {
    type: "oauth",
    auth_url: `${server.origin}/authorize`,
    token_url: `${server.origin}/token`,
    device_url: `${server.origin}/device`,
    scopes: ["read"],
  };
  for (const [id, more] of [
    ["asks", {}],
    ["shipped", { client_id: CLIENT.id }],
  ] as const) {
    const connections = { api: { base_url: server.origin, auth: { ...auth, ...more } } };
    writeSkill(join(home.home, "skills", id), {
      "skill.yaml": JSON.stringify({ id, name: id, description: "OAuth", connections }),
    });
  }
  await home.ok(["setup", "--yes"]);
});
after(async () => {
  await home[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
beforeEach(async () => {
  server.person = "allows";
  await home.run(["vault", "remove", "127.0.0.1", "ann@example.org"]);
});

/** What the person's browser does with the address: follows it, and the redirect it ends in, unless told not to. */
async function browse(address: string, follow = true): Promise<string> {
  const answer = await fetch(address, { redirect: "manual" });
  const back = answer.headers.get("location") ?? "";
  if (follow) await (await fetch(back)).text();
  return back;
}

const login = (args: readonly string[]) => new Terminal(home, ["login", ...args]);
const PAGE = /Open this page and log in:\s+(http:\/\/127\.0\.0\.1:\d+\/authorize\S+)/;

test("a person without a terminal is told to register a client, and exits 3", async () => {
  const ran = await home.run(["login", "asks", "--json"]);
  assert.deepEqual([ran.status, ran.json().error.code], [3, "LOGIN_NEEDED"]);
  assert.match(ran.json().error.hint, /Register a client/);
});

test("the client is asked for once, its secret unseen, and the browser's return ends the login", {
  skip: noTerminal,
}, async () => {
  {
    await using terminal = login(["asks"]);
    await terminal.see(/Client id/);
    assert.match(terminal.shown, /redirect address: http:\/\/127\.0\.0\.1\/callback/);
    terminal.type(`${CLIENT.id}\r`);
    await terminal.see(/Client secret/);
    terminal.type(`${CLIENT.secret}\r`);
    const [, address = ""] = await terminal.see(PAGE);
    await browse(address);
    assert.equal(await terminal.ended, 0, terminal.shown);
    assert.match(terminal.shown, /Logged in at 127\.0\.0\.1 as ann@example\.org\./);
    for (const secret of [CLIENT.secret, "canary-code-", "canary-access-", "canary-refresh-"])
      assert.deepEqual(findInText(terminal.shown, secret), []);
  }
  await using again = login(["asks"]);
  const [, address = ""] = await again.see(PAGE);
  assert.doesNotMatch(again.shown, /Client/, "the owner's client is known by now");
  await browse(address);
  assert.equal(await again.ended, 0);
  const sent = (await home.ok(["browse", "request", "asks", "/userinfo", "--json"])).json();
  assert.deepEqual([sent.hops[0].status, sent.account], [200, "ann@example.org"]);
});

test("without a terminal the address is on stderr and the document alone on stdout", async () => {
  const child = spawn(process.execPath, [launcher, "login", "shipped", "--json"], {
    env: home.environment(),
  });
  let [out, err] = ["", ""];
  const told = Promise.withResolvers<string>();
  child.stdout.on("data", (text) => (out += text));
  child.stderr.on("data", (text) => {
    err += text;
    const found = PAGE.exec(err);
    if (found !== null && err.endsWith("\n")) told.resolve(found[1] ?? "");
  });
  const ended = new Promise((done) => child.once("close", done));
  await browse(await told.promise);
  assert.equal(await ended, 0, out + err);
  assert.equal(JSON.parse(out).account, "ann@example.org");
});

test("a person whose browser is on another machine pastes the address it ended at", {
  skip: noTerminal,
}, async () => {
  await using terminal = login(["shipped"]);
  const [, address = ""] = await terminal.see(PAGE);
  await terminal.see(/Paste the address/);
  terminal.type("http://127.0.0.1/elsewhere?code=1\r");
  await terminal.see(/That was not it/);
  terminal.type(`${await browse(address, false)}\r`);
  assert.equal(await terminal.ended, 0, terminal.shown);
  assert.match(terminal.shown, /Logged in at 127\.0\.0\.1 as ann@example\.org/);
});

test("a code is typed on another device", async () => {
  server.deviceAnswers = ["authorization_pending"];
  const ran = await home.run(["login", "shipped", "--device", "--json"]);
  server.deviceAnswers = [];
  assert.equal(ran.status, 0, ran.stdout);
  assert.equal(ran.json().account, "ann@example.org");
  assert.match(ran.stderr, /Type the code at http:\/\/127\.0\.0\.1:\d+\/enter\s+WDJB-MJHT/);
});

test("a person who says no, gives up, or is somebody else stores nothing", { skip: noTerminal }, async () => {
  server.person = "denies";
  {
    await using terminal = login(["shipped"]);
    const [, address = ""] = await terminal.see(PAGE);
    await browse(address);
    assert.equal(await terminal.ended, 3, terminal.shown);
    assert.match(terminal.shown, /did not let us in: access_denied/);
  }
  server.person = "allows";
  {
    await using terminal = login(["shipped"]);
    await terminal.see(PAGE);
    terminal.type("\x03");
    assert.equal(await terminal.ended, 1, terminal.shown);
    assert.match(terminal.shown, /given up/);
  }
  {
    await using terminal = login(["shipped", "--account", "bob@example.org"]);
    const [, address = ""] = await terminal.see(PAGE);
    await browse(address);
    assert.equal(await terminal.ended, 1, terminal.shown);
    assert.match(terminal.shown, /You logged in as ann@example\.org, not as bob@example\.org/);
  }
  const rows = (await home.ok(["vault", "list", "--json"])).json();
  assert.ok(rows.every((row: any) => row.item_type !== "oauth"));
});

test("no token, code or secret is in any file", () => {
  for (const canary of [CLIENT.secret, "canary-code-", "canary-access-", "canary-refresh-"])
    assert.deepEqual(findInFiles(home.home, canary), [], canary);
});
