/** deputy mcp as a person types it, and as a broken client would use it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launcher, TestHome } from "../support/deputy.ts";
import { HttpServing, textOf } from "../support/mcp/mcp-clients.ts";

let home: TestHome;

before(() => {
  home = new TestHome();
});
after(() => home[Symbol.asyncDispose]());

test("install, again, and uninstall: the entry starts this very Deputy", async () => {
  const file = join(home.root, ".cursor", "mcp.json");
  mkdirSync(join(home.root, ".cursor"));
  writeFileSync(file, '// mine\n{ "mcpServers": {} }\n');
  const done = (await home.ok(["mcp", "install", "cursor", "--json"])).json();
  assert.deepEqual([done.changed, done.file], [true, file]);
  const { deputy } = JSON.parse(readFileSync(file, "utf8").replace("// mine", "")).mcpServers;
  assert.deepEqual([deputy.command, ...deputy.args], [process.execPath, launcher, "mcp"]);
  assert.deepEqual(deputy.env, { DEPUTY_HOME: home.home });
  assert.equal((await home.ok(["mcp", "install", "cursor", "--json"])).json().changed, false);
  assert.match((await home.ok(["mcp", "install", "cursor"])).stdout, /already/);
  assert.match((await home.ok(["mcp", "uninstall", "cursor"])).stdout, /Taken out/);
  assert.equal(readFileSync(file, "utf8"), '// mine\n{ "mcpServers": {} }\n');
});

test("what other clients need is shown, and nothing is written", async () => {
  for (const client of ["claude-desktop", "vscode", "gemini", "opencode", "zed", "codex"]) {
    const { file, text } = (await home.ok(["mcp", "install", client, "--print", "--json"])).json();
    assert.match(text, /deputy/);
    assert.equal(existsSync(file), false);
  }
  assert.equal((await home.run(["mcp", "install", "zed"])).status, 2);
  assert.equal((await home.run(["mcp", "install", "emacs"])).status, 2);
});

test("an entry over HTTP has a token that lets it in, until it is uninstalled", async () => {
  await using http = await HttpServing.start(home);
  await home.ok(["mcp", "install", "claude-code", "--http", String(http.port)]);
  const { deputy } = JSON.parse(readFileSync(join(home.root, ".claude.json"), "utf8")).mcpServers;
  assert.equal(deputy.url, http.url);
  const token = deputy.headers.Authorization.slice("Bearer ".length);
  await using client = await http.client({ token });
  assert.match(textOf(await client.callTool({ name: "status", arguments: {} })), /There is no vault yet/);
  await home.ok(["mcp", "uninstall", "claude-code"]);
  await assert.rejects(http.client({ token }));
});

test("one call from the command line, with its exit status", async () => {
  assert.match((await home.ok(["mcp", "call", "readme"])).stdout, /^# Deputy/);
  const failed = await home.run(["mcp", "call", "load", '{"skill": "nope"}', "--json"]);
  assert.equal(failed.status, 1);
  assert.equal(failed.json().isError, true);
  assert.equal((await home.run(["mcp", "call", "readme", "{"])).status, 2);
  assert.equal((await home.run(["mcp", "call", "nope"])).status, 2);
});

const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}\n';
const HELLO = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
})}\n`;

/** What `deputy mcp` says to these bytes, until it has answered id 7 or ended. */
async function talk(...parts: string[]): Promise<{ said: string; status: number | null }> {
  const child = spawn(process.execPath, [launcher, "mcp"], {
    env: home.environment(),
    stdio: ["pipe", "pipe", "ignore"],
  });
  let said = "";
  child.stdin.on("error", () => {});
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes('"id":7')) child.stdin.end();
  });
  for (const part of parts) child.stdin.write(part);
  const status = await new Promise<number | null>((done) => child.on("close", done));
  return { said, status };
}

test("a line that is no message costs that line; one that is too long ends the connection", async () => {
  const odd = await talk(HELLO, "this is no JSON\n", '{"jsonrpc":"1.0"}\n', "\n", PING);
  assert.match(odd.said, /"protocolVersion":"2025-06-18"/, "the revision the client speaks");
  assert.match(odd.said, /\{"jsonrpc":"2\.0","id":7,"result":\{\}\}|"id":7/);
  assert.equal(odd.status, 0);
  const long = await talk(HELLO, " ".repeat(5 * 1024 * 1024), PING);
  assert.doesNotMatch(long.said, /"id":7/);
  assert.equal(long.status, 0, "it ends, in order");
});
