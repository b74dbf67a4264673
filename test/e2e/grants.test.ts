/** Grants as the owner meets them on the command line. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { version } from "../../src/engine/index.ts";
import { TestHome } from "../support/deputy.ts";
import { findInFiles } from "../support/leaks.ts";
import { writeSkill } from "../support/skill-folder.ts";

const CURL = ["grants", "add", "--skill", "@curl", "--agent", "claude-code"];

test("grants add, list and remove go round, in words and in JSON", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  assert.deepEqual((await home.ok(["grants", "list", "--json"])).json(), []);
  assert.match((await home.ok(["grants", "list"])).stdout, /Nothing is granted/);
  const limits = ["--read-only", "--expires", "7d", "--operations", "get, head"];
  const before = Date.now();
  const added = await home.ok([...CURL, "--identity", "api.exa.ai/joe@example.com", ...limits, "--json"]);
  const { grant, replaced } = added.json();
  assert.deepEqual(replaced, []);
  assert.match(grant.id, /^grant_[0-9a-f]{32}$/);
  const week = 7 * 24 * 60 * 60 * 1000;
  const { id: _id, expires, created_at, ...rest } = grant;
  assert.ok(Date.parse(expires) >= before + week && Date.parse(expires) <= Date.now() + week);
  assert.ok(Date.parse(created_at) >= before);
  assert.deepEqual(rest, {
    agent: "claude-code",
    skill: "@curl",
    pin: null,
    identity: { domain: "exa.ai", account: "joe@example.com", pending: false },
    operations: ["get", "head"],
    read_only: true,
    expose: false,
    allow: [],
    hosts: ["*.exa.ai"],
    status: "active",
  });
  assert.deepEqual((await home.ok(["grants", "list", "--json"])).json(), [grant]);
  const words = (await home.ok(["grants", "list"])).stdout;
  assert.match(
    words,
    /claude-code\s+@curl\s+exa\.ai\s+joe@example\.com\s+\*\.exa\.ai\s+only get, head; read-only; until .*active/,
  );
  await home.stopEngine();
  assert.deepEqual((await home.ok(["grants", "list", "--json"])).json(), [grant], "they outlive the engine");
  assert.match(
    (await home.ok(["grants", "remove", grant.id])).stdout,
    /No longer allowed: claude-code may use @curl/,
  );
  assert.deepEqual((await home.ok(["grants", "list", "--json"])).json(), []);
  const again = await home.run(["grants", "remove", grant.id, "--json"]);
  assert.deepEqual([again.status, again.json().error.code], [1, "NOT_FOUND"]);
});

test("a domain alone is granted for the first account used, every account only when that is said", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  const first = await home.ok([...CURL, "--identity", "https://exa.ai/some/page"]);
  assert.match(first.stdout, /claude-code may use @curl as the first account used at exa\.ai \(grant_/);
  const every = await home.ok([...CURL, "--identity", "exa.ai", "--every-account"]);
  assert.match(
    every.stdout,
    /every account at exa\.ai .*The login can go to \*\.exa\.ai\. It takes the place of grant_/,
  );
  const [one, ...others] = (await home.ok(["grants", "list", "--json"])).json();
  assert.deepEqual(one.identity, { domain: "exa.ai", account: null, pending: false });
  assert.equal(others.length, 0);
  const path = await home.ok([...CURL, "--allow", "binary:git,path:~/a, b,network", "--json"]);
  assert.deepEqual(path.json().grant.allow, ["binary:git", `path:${join(home.root, "a, b")}`, "network"]);
  const again = await home.ok([...CURL, "--allow", "binary:git", "--allow", "network", "--json"]);
  assert.deepEqual(again.json().grant.allow, ["binary:git", "network"]);
  assert.notEqual(home.root, homedir());
});

test("what cannot be granted says why and what to do, with the exit status of bad usage", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  const wrong: [string[], RegExp, number?][] = [
    [["grants", "add", "--identity", "exa.ai"], /Which skill/],
    [["grants", "add", "--skill", "@curl", "--identity", "exa.ai"], /the owner needs none/],
    [["grants", "add", "--skill", "@nothing", "--agent", "a"], /no built-in/, 1],
    [["grants", "add", "--skill", "exa", "--identity", "exa.com"], /exa has no connection to exa\.com/],
    [["grants", "add", "--skill", "github", "--identity", "gihub.com"], /github has no connection to gihub/],
    [
      ["grants", "add", "--skill", "exa", "--identity", "exa.ai", "--operations", "serch"],
      /exa has no operation serch/,
    ],
    [["grants", "add", "--skill", "nothing", "--identity", "exa.ai"], /no skill of that id/, 1],
    [[...CURL, "--identity", "exa.ai/joe", "--every-account"], /one account and every account/],
    [[...CURL, "--every-account"], /names no login/],
    [[...CURL, "--identity", "@deputy"], /domain/],
    [[...CURL, "--identity", "exa.ai/"], /account name/],
    [[...CURL, "--identity", "exa.ai", "--expires", "tomorrow"], /when that grant ends/],
    [[...CURL, "--identity", "exa.ai", "--expires", "2020-01-01"], /past already/],
    [[...CURL, "--identity", "exa.ai", "--expires", "2030-02-30"], /when that grant ends/],
    [[...CURL, "--identity", "exa.ai", "--allow", "binary:/bin/sh"], /no program, path or network/],
    [[...CURL, "--identity", "exa.ai", "--allow", "hosts:any"], /may not reach any host/],
    [[...CURL, "--identity", "exa.ai", "--operations", ""], /operations/],
    [["grants", "add", "--skill", "@curl", "--agent", " ", "--identity", "exa.ai"], /agent's name/],
  ];
  for (const [args, message, status = 2] of wrong) {
    const ran = await home.run([...args, "--json"]);
    assert.equal(ran.status, status, args.join(" "));
    assert.match(ran.json().error.message, message);
  }
  assert.deepEqual((await home.ok(["grants", "list", "--json"])).json(), []);
});

test("what is granted says where the login could go, by all of the skill's connections", async () => {
  await using home = new TestHome();
  const api_key = { type: "api_key", header: { k: ".auth.key" } };
  writeSkill(join(home.home, "skills", "wide"), {
    "skill.yaml": JSON.stringify({
      id: "wide",
      name: "Wide",
      description: "Two services",
      connections: {
        other: { base_url: "https://other.test" },
        api: { base_url: "https://api.mail.test", hosts: ["https://up.evil.test"], auth: api_key },
      },
    }),
  });
  await home.ok(["setup", "--yes"]);
  const added = await home.ok(["grants", "add", "--skill", "wide", "--identity", "mail.test"]);
  const hosts = "api.mail.test, https://up.evil.test, other.test";
  assert.ok(added.stdout.includes(`The login can go to ${hosts}.`), added.stdout);
  assert.ok((await home.ok(["grants", "list"])).stdout.includes(hosts));
  const wrong = await home.run(["grants", "add", "--skill", "wide", "--identity", "mial.test", "--json"]);
  assert.equal(wrong.json().error.hint, "It reaches other.test, mail.test.");
});

test("only the owner's command line changes grants", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  const { grant } = (await home.ok([...CURL, "--identity", "exa.ai", "--json"])).json();
  const socket = connect(join(home.home, "run", "engine.sock"));
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const ask = async (message: unknown) => {
    socket.write(`${JSON.stringify(message)}\n`);
    return JSON.parse((await lines.next()).value ?? "");
  };
  await ask({ hello: { version, via: "mcp", agent: { name: "me" } } });
  const params = { skill: "@curl", agent: "me", identity: "exa.ai" };
  for (const call of [
    { id: 1, method: "grants.add", params },
    { id: 2, method: "grants.remove", params: { id: grant.id } },
  ]) {
    const { error } = await ask(call);
    assert.equal(error.code, "DENIED");
    assert.match(error.hint, /terminal of your own/);
  }
  const forged = {
    id: 3,
    method: "grants.add",
    params: { ...params, caller: { kind: "owner", via: "cli" } },
  };
  assert.equal((await ask(forged)).error.code, "BAD_INPUT");
  socket.destroy();
  assert.deepEqual((await home.ok(["grants", "list", "--json"])).json(), [grant]);
});

test("the vault's commands neither show, count, change nor move the grants", async () => {
  await using home = new TestHome();
  await using other = new TestHome();
  await home.ok(["setup", "--yes"]);
  await home.set("exa.ai", "joe", "api_key", { key: "canary-grants-0123456789" });
  await home.ok([...CURL, "--identity", "exa.ai/canary-account"]);
  assert.equal((await home.ok(["vault", "list", "--json"])).json().length, 1);
  assert.equal((await home.ok(["status", "--json"])).json().vault.rows, 1);
  assert.deepEqual((await home.ok(["vault", "verify", "--json"])).json(), { rows: 1, bad: [] });
  const input = JSON.stringify({ format: 1, grants: [] });
  for (const args of [
    ["vault", "set", "@deputy", "owner", "--type", "grants"],
    ["vault", "remove", "@deputy", "owner"],
    ["vault", "rename", "@deputy", "owner", "nobody"],
  ]) {
    const ran = await home.run([...args, "--json"], { input });
    assert.deepEqual([ran.status, ran.json().error.code], [2, "BAD_INPUT"], args.join(" "));
  }
  const passphrase = "correct horse battery";
  const fd = ["--passphrase-fd", "3", "--json"];
  const file = join(home.root, "logins.age");
  assert.equal((await home.ok(["vault", "export", file, ...fd], { passphrase })).json().rows, 1);
  await other.ok(["setup", "--yes"]);
  assert.equal((await other.ok(["vault", "import", file, ...fd], { passphrase })).json().imported, 1);
  assert.deepEqual((await other.ok(["grants", "list", "--json"])).json(), []);
  await home.ok(["vault", "rotate"]);
  assert.equal((await home.ok(["grants", "list", "--json"])).json().length, 1);
  await home.stopEngine();
  // The log says as whom things were done, and is no secret to who can read the owner's files.
  const found = findInFiles(home.home, "canary-account").filter((file) => !file.startsWith("logs/"));
  assert.deepEqual(found, [], "grants lie sealed");
});

test("grants that were taken away, edited or put back in the file are noticed", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  await home.ok([...CURL, "--identity", "exa.ai"]);
  await home.stopEngine();
  using db = new DatabaseSync(join(home.home, "vault.db"));
  const code = async () => {
    const ran = await home.run(["grants", "list", "--json"]);
    await home.stopEngine();
    return ran.status === 0 ? undefined : ran.json().error.code;
  };
  const row = () => db.prepare("SELECT * FROM rows WHERE item_type = 'grants'").get() as Record<string, any>;
  const older = row();
  const [{ id }] = (await home.ok(["grants", "list", "--json"])).json();
  await home.ok(["grants", "remove", id]);
  await home.stopEngine();
  const newer = row();
  const place = db.prepare("UPDATE rows SET version = ?, sealed = ? WHERE item_type = 'grants'");
  place.run(older["version"], older["sealed"]);
  assert.equal(await code(), "VAULT_TAMPERED", "an older list put back");
  place.run(newer["version"], older["sealed"]);
  assert.equal(await code(), "VAULT_DAMAGED", "an older list under the new version");
  place.run(newer["version"], newer["sealed"]);
  assert.equal(await code(), undefined);
  db.exec("DELETE FROM rows WHERE item_type = 'grants'");
  assert.equal(await code(), "VAULT_TAMPERED", "taken away");
});
