/** Logins as real skills meet them: two accounts, one that was revoked, and a browser whose session has ended. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { writeChromiumProfile } from "../support/chromium-profile.ts";
import { TestHome } from "../support/deputy.ts";
import { unusable } from "../support/fault-form.ts";
import { writeFirefoxProfile } from "../support/firefox-profile.ts";
import { type Answered, type Asked, FixtureWeb } from "../support/fixture-web.ts";
import { createCookieOf } from "../support/sync-cookie.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const keys = new Map([
  ["Bearer canary-github-ann-41", "ann"],
  ["Bearer canary-github-bob-42", "bob"],
]);
const sessions = new Map([["canary-claude-fresh-52", "joe@example.org"]]);
const seen: { host: string; credential: string }[] = [];

function answer({ host, path, headers }: Asked): Answered | undefined {
  if (host === "api.github.com") {
    const credential = headers.authorization ?? "";
    seen.push({ host, credential });
    const login = keys.get(credential);
    if (login === undefined) return { status: 401, body: { message: "Bad credentials" } };
    if (path === "/user") return { body: { login } };
    return {
      body: [
        {
          id: "1",
          subject: { title: `For ${login}`, type: "Issue" },
          repository: { full_name: "o/r" },
          unread: true,
          updated_at: "2026-01-01T00:00:00Z",
          reason: "mention",
        },
      ],
    };
  }
  const credential = /sessionKey=([^;]*)/.exec(headers.cookie ?? "")?.[1] ?? "";
  seen.push({ host, credential });
  const email = sessions.get(credential);
  if (email === undefined) return { status: 401, body: { type: "error" } };
  if (path === "/api/account") return { body: { email_address: email, full_name: "Joe" } };
  return { body: [{ uuid: "o1", name: `Of ${email}`, capabilities: ["chat"] }] };
}

const home = new TestHome();
let web: FixtureWeb | string;

before(async () => {
  mkdirSync(home.home, { recursive: true });
  const roots = join(home.root, "roots.pem");
  web = await FixtureWeb.open(
    new Map([
      ["api.github.com", answer],
      ["claude.ai", answer],
    ]),
    roots,
  );
  if (typeof web === "string") return;
  writeFileSync(join(home.home, "config.yaml"), `roots: ${roots}\nresolve:\n${web.resolve()}\n`);
  await home.ok(["setup", "--key", "file", "--yes"]);
});
after(async () => {
  await home[Symbol.asyncDispose]();
  if (typeof web === "object") await web[Symbol.asyncDispose]();
});

const notifications = (...more: string[]) =>
  home.run(["run", "github", "list_notifications", ...more, "--json"]);

test("two accounts of one service stay apart, and whoever names none is told both", async (t) => {
  if (typeof web === "string") return t.skip(web);
  await home.set("github.com", "ann", "api_key", { key: "canary-github-ann-41" });
  await home.set("github.com", "bob", "api_key", { key: "canary-github-bob-42" });
  await home.ok(["grants", "add", "--skill", "github", "--identity", "github.com", "--every-account"]);
  const unnamed = (await notifications()).json().error;
  assert.equal(unnamed.code, "BAD_USAGE");
  assert.match(`${unnamed.message} ${unnamed.hint}`, /ann[\s\S]*bob/);
  for (const account of ["ann", "bob"]) {
    const { data } = (await notifications("--account", account)).json();
    assert.equal(data[0].name, `For ${account}`);
  }
  return undefined;
});

test("a revoked login is said to have ended, with the command for a new one, and works again with it", async (t) => {
  if (typeof web === "string") return t.skip(web);
  keys.delete("Bearer canary-github-bob-42");
  const ended = await notifications("--account", "bob");
  assert.equal(ended.status, 3);
  assert.match(ended.json().error.hint, /deputy login github/);
  const { data } = (await notifications("--account", "ann")).json();
  assert.equal(data[0].name, "For ann", "the other account is not touched");
  keys.set("Bearer canary-github-bob-43", "bob");
  await home.set("github.com", "bob", "api_key", { key: "canary-github-bob-43" });
  assert.equal((await notifications("--account", "bob")).json().data[0].name, "For bob");
  return undefined;
});

test("a browser whose session has ended gives way to another one of the same person", async (t) => {
  if (typeof web === "string") return t.skip(web);
  const now = Date.now();
  const cookie = (value: string, at: number) =>
    createCookieOf({
      name: "sessionKey",
      value,
      domain: "claude.ai",
      created: at,
      updated: at,
      expires: now + 1e9,
    });
  writeChromiumProfile(join(home.root, ".config/chromium/Default"), [cookie("canary-claude-stale-51", now)]);
  writeFirefoxProfile(join(home.root, ".mozilla/firefox/x1.default"), [
    cookie("canary-claude-fresh-52", now - 60_000),
  ]);
  writeFileSync(
    join(home.root, ".mozilla/firefox/profiles.ini"),
    "[Profile0]\nName=default\nIsRelative=1\nPath=x1.default\nDefault=1\n",
  );
  await home.ok(["grants", "add", "--skill", "claude", "--identity", "claude.ai", "--every-account"]);
  const first = (await home.run(["run", "claude", "list_organizations", "--json"])).json();
  assert.equal(first.data?.[0]?.name, "Of joe@example.org", JSON.stringify(first));
  const tried = seen.filter(({ host }) => host === "claude.ai").map(({ credential }) => credential);
  assert.deepEqual([tried[0], tried.at(-1)], ["canary-claude-stale-51", "canary-claude-fresh-52"]);

  // In the middle of its life the session ends and the person logs in anew, in the other browser.
  sessions.clear();
  sessions.set("canary-claude-newer-53", "joe@example.org");
  writeChromiumProfile(join(home.root, ".config/chromium/Profile 1"), [
    cookie("canary-claude-newer-53", now + 1000),
  ]);
  const second = (await home.run(["run", "claude", "list_organizations", "--json"])).json();
  assert.equal(second.data?.[0]?.name, "Of joe@example.org", JSON.stringify(second));
  return undefined;
});

test("the login of the gh program is used where the owner allows the program, and nothing is asked of it elsewhere", {
  skip: unusable("bwrap", "--ro-bind", "/", "/", "true"),
}, async (t) => {
  if (typeof web === "string") return t.skip(web);
  const programs = temporaryFolder("gh");
  t.after(() => programs[Symbol.dispose]());
  const gh = join(programs.path, "gh");
  const path = `${programs.path}:${process.env["PATH"]}`;
  await using fresh = new TestHome({ env: { PATH: path } });
  mkdirSync(join(fresh.root, ".config/gh"), { recursive: true });
  const config = readFileSync(join(home.home, "config.yaml"), "utf8");
  writeFileSync(join(fresh.home, "config.yaml"), config);
  await fresh.ok(["setup", "--key", "file", "--yes"]);
  const list = async () => (await fresh.run(["run", "github", "list_notifications", "--json"])).json();
  const grant = ["grants", "add", "--skill", "github", "--identity", "github.com"];

  writeFileSync(gh, "#!/bin/sh\necho canary-github-ann-41\n", { mode: 0o755 });
  await fresh.ok(grant);
  assert.notEqual((await list()).error, undefined, "nobody allowed the program");
  assert.deepEqual((await fresh.ok(["vault", "list", "--json"])).json(), []);

  await fresh.ok([...grant, "--allow", "binary:gh", "--allow", `path:${join(fresh.root, ".config/gh")}`]);
  writeFileSync(gh, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  assert.equal((await list()).error.code, "LOGIN_NEEDED", "nobody is logged in with gh");

  writeFileSync(gh, "#!/bin/sh\necho canary-github-ann-41\n", { mode: 0o755 });
  const listed = await list();
  assert.equal(listed.data?.[0]?.name, "For ann", JSON.stringify(listed));
  return undefined;
});
