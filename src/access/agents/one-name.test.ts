import assert from "node:assert/strict";
import { test } from "node:test";
import { oneName } from "./one-name.ts";

test("an agent has one name, whether it comes as an MCP client or by the marks of its commands", () => {
  for (const [said, agent] of [
    ["claude-code", "claude-code"],
    ["codex-mcp-client", "codex"],
    ["cursor-vscode", "cursor"],
    ["gemini-cli-mcp-client", "gemini-cli"],
    ["gemini-cli-mcp-client-deputy", "gemini-cli"],
    ["gemini", "gemini-cli"],
    ["antigravity-client", "antigravity"],
  ] as const) {
    assert.equal(oneName(said), agent);
    assert.equal(oneName(agent), agent, "the name it has stays");
  }
});

test("any other name is its own", () => {
  for (const name of ["owner", "*", "", "nightly", "my-cursor-vscode", "cursor-vscode-2", "claude-ai"]) {
    assert.equal(oneName(name), name);
  }
});
