/** The MCP inspector's command line against deputy mcp. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { launcher, TestHome } from "../support/deputy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const published = dirname(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector-cli/package.json"),
);
const modules = resolve(import.meta.dirname, "../../node_modules");

test("the inspector lists the tools and calls one", async () => {
  await using home = new TestHome();
  using folder = temporaryFolder("inspector");
  // It reads the package.json of the inspector it is a part of, which is not published with it.
  const cli = join(folder.path, "cli");
  mkdirSync(cli);
  cpSync(join(published, "build"), join(cli, "build"), { recursive: true });
  writeFileSync(
    join(folder.path, "package.json"),
    JSON.stringify({ name: "inspector", version: "1", type: "module" }),
  );
  symlinkSync(modules, join(folder.path, "node_modules"));
  const inspect = async (...args: string[]) => {
    const child = spawn(
      process.execPath,
      [join(cli, "build/cli.js"), "--cli", process.execPath, launcher, "mcp", ...args],
      { env: home.environment(), stdio: ["ignore", "pipe", "pipe"] },
    );
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    const status = await new Promise((done) => child.on("close", done));
    assert.equal(status, 0, out + err);
    return JSON.parse(out.slice(out.indexOf("{")));
  };
  const { tools } = await inspect("--method", "tools/list");
  assert.ok(tools.some(({ name }: { name: string }) => name === "readme"));
  const { content } = await inspect(
    "--method",
    "tools/call",
    "--tool-name",
    "load",
    "--tool-arg",
    "skill=exa",
  );
  assert.match(content[0].text, /^# Exa \(exa\)/);
  const { resources } = await inspect("--method", "resources/list");
  assert.ok(resources.some(({ uri }: { uri: string }) => uri === "deputy://skills/exa"));
});
