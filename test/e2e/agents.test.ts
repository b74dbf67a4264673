/** Who is calling: a command inside a coding agent is the agent's, and does not do what is the owner's to do. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openEngine } from "../../src/engine/index.ts";
import { TestHome } from "../support/deputy.ts";
import { noTerminal, Terminal } from "../support/terminal.ts";

const AGENT = { env: { CLAUDECODE: "1" } };
const SECRET = "canary-agents-6f1d";

let home: TestHome;
before(async () => {
  home = new TestHome();
  await home.ok(["setup", "--yes"]);
  const cookies = [{ name: "sid", value: SECRET, domain: "shop.test" }];
  await home.set("shop.test", "joe", "cookies", { cookies });
});
after(() => home[Symbol.asyncDispose]());

const cookies = ["cookies", "--url", "https://shop.test/", "--account", "joe"];

test("inside a coding agent what is the owner's is refused with exit status 4 and where to do it", async () => {
  const calls: [args: string[], input?: string][] = [
    [["setup", "--yes"]],
    [["grants", "add", "--skill", "@cookies", "--identity", "shop.test", "--agent", "claude-code"]],
    [["grants", "remove", "grant_1"]],
    [["vault", "set", "a.test", "joe", "--type", "api_key"], '{"key": "x"}'],
    [["vault", "remove", "shop.test", "joe"]],
    [["vault", "rotate"]],
    [["vault", "verify", "--accept"]],
    [["skills", "new", "mine"]],
    [["skills", "add", home.root]],
    [["skills", "remove", "exa"]],
    [["browse", "cookies", "shop.test"]],
    [["browse", "request", "shop.test", "https://shop.test/"]],
    [["cookies", "--url", "https://shop.test/", "--browser", "firefox"]],
  ];
  for (const [args, input = ""] of calls) {
    const ran = await home.run([...args, "--json"], { ...AGENT, input });
    const said = args.join(" ");
    assert.equal(ran.status, 4, `${said}: ${ran.stdout}${ran.stderr}`);
    assert.equal(ran.json().error.code, "DENIED", said);
    assert.match(ran.json().error.hint, /terminal of your own/, said);
  }
});

test("an agent on a terminal of its own is asked nothing: it is refused with the command for the owner's", {
  skip: noTerminal,
}, async () => {
  const calls: [args: string[], told: RegExp][] = [
    [cookies, /grants add --skill @cookies --identity shop\.test\/joe --agent claude-code/],
    [["curl", "https://shop.test/", "--account", "joe"], /grants add --skill @curl .*--agent claude-code/],
    [["vault", "set", "a.test", "joe", "--type", "api_key"], /terminal of your own/],
    [["vault", "rekey", "--key", "passphrase"], /terminal of your own/],
    [["login", "exa", "--connection", "api"], /terminal of your own/],
    [["setup"], /terminal of your own/],
  ];
  await Promise.all(
    calls.map(async ([args, told]) => {
      await using terminal = new Terminal(home, args, AGENT.env);
      assert.equal(await terminal.ended, 4, terminal.shown);
      assert.match(terminal.shown, told);
      assert.doesNotMatch(terminal.shown, /\?25l|wants to|Passphrase/, "no question was drawn");
    }),
  );
});

test("what shows no secret works for an agent", async () => {
  for (const args of [["status"], ["doctor"], ["vault", "list"], ["skills", "list"], ["grants", "list"]])
    assert.ok([0, 1].includes((await home.run([...args, "--json"], AGENT)).status ?? 9), args.join(" "));
});

test("cookies and curl need the owner's grant for that agent, that built-in and that account", async () => {
  const curl = ["curl", "https://shop.test/", "--account", "joe"];
  for (const args of [cookies, curl]) {
    const refused = await home.run([...args, "--json"], AGENT);
    assert.equal(refused.status, 4);
    const { hint, remedy } = refused.json().error;
    assert.match(
      hint,
      new RegExp(`grants add --skill @${args[0]} --identity shop.test/joe --agent claude-code`),
    );
    assert.equal(remedy.grant.agent, "claude-code");
    assert.ok(!refused.stdout.includes(SECRET));
  }
  await home.ok([
    "grants",
    "add",
    "--skill",
    "@cookies",
    "--identity",
    "shop.test/joe",
    "--agent",
    "claude-code",
  ]);
  assert.match((await home.ok(cookies, AGENT)).stdout, new RegExp(SECRET));
  assert.equal((await home.run(cookies, { env: { CODEX_SANDBOX: "seatbelt" } })).status, 4);
  assert.equal((await home.run([...curl, "--json"], AGENT)).status, 4);
  assert.match((await home.ok(cookies)).stdout, new RegExp(SECRET), "the owner needs none");

  const grant = [
    "grants",
    "add",
    "--skill",
    "@curl",
    "--identity",
    "shop.test/joe",
    "--agent",
    "claude-code",
  ];
  await home.ok([...grant, "--read-only"]);
  assert.notEqual((await home.run([...curl, "--json"], AGENT)).status, 4, "it may; nobody is at shop.test");
  const post = await home.run([...curl, "-d", "x=1", "--json"], AGENT);
  assert.match(post.json().error.message, /read-only, and POST changes something/);
});

test("DEPUTY_AGENT names the agent, except where markers do; nobody is called owner", async () => {
  assert.equal((await home.run(cookies, { env: { DEPUTY_AGENT: "nightly" } })).status, 4);
  assert.equal((await home.run(cookies, { env: { DEPUTY_AGENT: "claude-code" } })).status, 0);
  assert.equal(
    (await home.run(cookies, { env: { DEPUTY_AGENT: "claude-code", GEMINI_CLI: "1" } })).status,
    4,
  );
  for (const name of ["owner", "Owner", "*", ""]) {
    const ran = await home.run(["status", "--json"], { env: { DEPUTY_AGENT: name } });
    assert.deepEqual([ran.status, ran.json().error.code], [4, "DENIED"], JSON.stringify(name));
  }
});

test("an MCP client is an agent always, and one that gives no name is refused", async () => {
  const socket = join(home.home, "run", "engine.sock");
  for (const hello of [{ via: "mcp" }, { via: "mcp", agent: { name: "owner" } }]) {
    const client = connect(socket, () =>
      client.write(`${JSON.stringify({ hello: { version: "x", ...hello } })}\n`),
    );
    const [chunk] = (await once(client, "data")) as [Buffer];
    assert.equal(JSON.parse(chunk.toString()).error.code, "DENIED");
    client.destroy();
  }
  const before = process.env["DEPUTY_HOME"];
  process.env["DEPUTY_HOME"] = home.home;
  try {
    using client = await openEngine({ via: "mcp", agent: { name: "cursor", version: "1.2" } });
    await assert.rejects(client.call("vault.rotate", {}), { code: "DENIED" });
    assert.deepEqual(await client.call("grants.list", {}), []);
  } finally {
    if (before === undefined) delete process.env["DEPUTY_HOME"];
    else process.env["DEPUTY_HOME"] = before;
  }
});

test("an agent that starts the engine decides nothing about where its traffic goes", async () => {
  await using other = new TestHome();
  const env = { DEPUTY_RESOLVE: "shop.test=127.0.0.1" };
  await other.ok(["engine", "start"], { env: { ...env, CLAUDECODE: "1" } });
  assert.deepEqual((await other.ok(["engine", "status", "--json"])).json().overrides, []);
  await other.stopEngine();
  await other.ok(["engine", "start"], { env });
  assert.equal((await other.ok(["engine", "status", "--json"])).json().overrides.length, 1);
});
