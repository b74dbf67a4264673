import assert from "node:assert/strict";
import { test } from "node:test";
import { coded } from "../../test/support/test-vault.ts";
import { callerOf, parseHello } from "./caller-of.ts";

const hello = (said: object) => parseHello({ hello: { version: "1.0.0", ...said } });
const caller = (said: object) => {
  const parsed = hello(said);
  assert.ok(parsed);
  return callerOf(parsed, 42);
};

test("a command line without an agent is the owner's, each connection an instance", () => {
  const { instance, ...owner } = caller({ via: "cli" });
  assert.deepEqual(owner, { kind: "owner", agent: "owner", via: "cli", pid: 42 });
  assert.notEqual(caller({ via: "cli" }).instance, instance);
});

test("whoever gives a name is that agent, over MCP and at the command line", () => {
  for (const via of ["cli", "mcp"] as const) {
    const { instance: _, ...known } = caller({ via, agent: { name: "claude-code", version: "2.1" } });
    assert.deepEqual(known, { kind: "agent", agent: "claude-code", version: "2.1", via, pid: 42 });
  }
  assert.equal(caller({ via: "mcp", agent: { name: "x", version: "\u001b[31m" } }).version, undefined);
});

test("an MCP client and a command of the same agent are one agent", () => {
  assert.equal(caller({ via: "mcp", agent: { name: "cursor-vscode" } }).agent, "cursor");
  assert.equal(caller({ via: "cli", agent: { name: "cursor" } }).agent, "cursor");
});

test("nobody takes a name that means somebody else", () => {
  const names = [
    "owner",
    "Owner",
    "OWNER",
    "ｏｗｎｅｒ",
    "*",
    "",
    " ",
    " cursor",
    "cursor\n",
    "ow\u200bner",
    "x".repeat(129),
  ];
  for (const name of names) {
    for (const via of ["cli", "mcp"])
      assert.throws(() => caller({ via, agent: { name } }), coded("DENIED"), JSON.stringify(name));
  }
  assert.throws(() => caller({ via: "mcp" }), coded("DENIED"), "an MCP client is never the owner");
});

test("a hello of another form is none", () => {
  for (const said of [
    {},
    { via: "dashboard" },
    { via: "cli", agent: "claude-code" },
    { via: "cli", agent: null },
    { via: "cli", agent: { name: 1 } },
    { via: "cli", agent: { name: "x", version: 1 } },
  ])
    assert.equal(hello(said), undefined, JSON.stringify(said));
  for (const message of [null, 1, "hello", {}, { hello: null }, { hello: [] }])
    assert.equal(parseHello(message), undefined);
});
