import assert from "node:assert/strict";
import { test } from "node:test";
import { callingAgent } from "./calling-agent.ts";

const name = (env: Record<string, string>) => callingAgent(env)?.name;

test("what a coding agent runs is the agent's, by the marks it leaves", () => {
  for (const [marker, agent] of [
    ["CLAUDECODE", "claude-code"],
    ["CLAUDE_CODE_ENTRYPOINT", "claude-code"],
    ["CODEX_SANDBOX", "codex"],
    ["CODEX_SANDBOX_NETWORK_DISABLED", "codex"],
    ["CODEX_THREAD_ID", "codex"],
    ["CODEX_CI", "codex"],
    ["CURSOR_AGENT", "cursor"],
    ["GEMINI_CLI", "gemini-cli"],
    ["OPENCODE", "opencode"],
  ] as const) {
    assert.equal(name({ HOME: "/home/joe", [marker]: "1" }), agent, marker);
  }
  assert.equal(name({ AI_AGENT: "somebody-new" }), "somebody-new");
});

test("what a person keeps in a profile, or has in an editor's terminal, makes nobody an agent", () => {
  const terminal = { TERM_PROGRAM: "vscode", CURSOR_TRACE_ID: "1", CLAUDE_CODE_SSE_PORT: "1234" };
  const profile = { CODEX_HOME: "/x", CODEX_API_KEY: "x", CLAUDE_CODE_USE_BEDROCK: "1", AIDER_MODEL: "x" };
  assert.equal(name({ ...terminal, ...profile, CLAUDECODE: "" }), undefined);
});

test("DEPUTY_AGENT names the agent where no marker does", () => {
  assert.equal(name({ DEPUTY_AGENT: "nightly" }), "nightly");
  assert.equal(name({ DEPUTY_AGENT: "nightly", CLAUDECODE: "1" }), "claude-code");
  assert.equal(name({ DEPUTY_AGENT: "owner", AI_AGENT: "goose" }), "goose");
});

test("an empty DEPUTY_AGENT is an agent without a name, not the owner", () => {
  assert.equal(name({ DEPUTY_AGENT: "" }), "");
});
