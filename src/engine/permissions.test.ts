import assert from "node:assert/strict";
import { test } from "node:test";
import { agent, OWNER } from "../../test/support/grant-cases.ts";
import { coded } from "../../test/support/test-vault.ts";
import type { Caller } from "../kernel/index.ts";
import type { Methods } from "./methods.ts";
import { PERMISSIONS, requirePermitted, whoMay } from "./permissions.ts";

type Expected = { readonly [K in keyof Methods]: ReturnType<typeof whoMay> };

/** What an agent may do by the simplest call of each method. Written out again, so that a slip in the table shows. */
const SIMPLEST: Expected = {
  "engine.status": "anyone",
  "engine.stop": "anyone",
  status: "anyone",
  doctor: "anyone",
  setup: "owner",
  "setup.logins": "owner",
  browsers: "anyone",
  cookies: "granted",
  curl: "granted",
  run: "granted",
  "capabilities.list": "anyone",
  "capabilities.call": "granted",
  "browse.auth": "anyone",
  "browse.cookies": "owner",
  "browse.request": "owner",
  "browse.capture": "granted",
  "login.plan": "anyone",
  "login.key": "owner",
  "login.oauth": "anyone",
  "login.paste": "owner",
  "login.cookies": "anyone",
  "grants.list": "anyone",
  "grants.add": "owner",
  "grants.remove": "owner",
  "log.read": "anyone",
  "log.follow": "anyone",
  "log.restart": "owner",
  "agents.list": "owner",
  "skills.list": "anyone",
  "skills.follow": "anyone",
  "skills.show": "anyone",
  "skills.validate": "anyone",
  "skills.test": "granted",
  "skills.new": "owner",
  "skills.add": "owner",
  "skills.remove": "owner",
  "skills.clear": "owner",
  "graph.search": "anyone",
  "graph.list": "anyone",
  "graph.get": "anyone",
  "graph.create": "anyone",
  "graph.update": "anyone",
  "graph.delete": "anyone",
  "graph.restore": "anyone",
  "graph.history": "anyone",
  "graph.at": "anyone",
  "graph.counts": "anyone",
  "graph.export": "owner",
  "graph.import": "owner",
  "session.open": "granted",
  "session.tab": "granted",
  "session.list": "anyone",
  "session.dispose": "anyone",
  "session.endpoint": "granted",
  "session.view": "granted",
  "session.act": "granted",
  "session.save": "granted",
  "session.saved": "anyone",
  "session.forget": "anyone",
  deliver: "owner",
  "deliver.watch": "owner",
  "policy.show": "anyone",
  "policy.set": "owner",
  "sync.pair": "owner",
  "sync.push": "owner",
  "sync.sink": "owner",
  "peers.list": "anyone",
  "peers.remove": "owner",
  "vault.list": "anyone",
  "vault.set": "owner",
  "vault.remove": "owner",
  "vault.rename": "owner",
  "vault.rotate": "owner",
  "vault.rekey": "owner",
  "vault.verify": "anyone",
  "vault.unlock": "owner",
  "vault.export": "owner",
  "vault.import": "owner",
};

const AGENTS: Caller[] = [
  agent("cursor"),
  { ...agent("claude-code"), via: "cli" },
  agent("owner"),
  { ...OWNER, via: "mcp" },
];

test("each method, called by an agent and by the owner", () => {
  for (const method of Object.keys(PERMISSIONS) as (keyof Methods)[]) {
    const call = (caller: Caller) => requirePermitted(method, {}, caller);
    assert.equal(whoMay(method, {}), SIMPLEST[method], method);
    assert.doesNotThrow(() => call(OWNER), method);
    for (const caller of AGENTS) {
      if (SIMPLEST[method] === "owner") assert.throws(() => call(caller), coded("DENIED"), method);
      else assert.doesNotThrow(() => call(caller), method);
    }
  }
});

test("what makes a call the owner's: other people's browsers, files, clients, damage", () => {
  const owner: { [K in keyof Methods]?: readonly Partial<Methods[K]["in"]>[] } = {
    cookies: [{ browser: "firefox" }, { profile: "/x" }, { browser: "http://127.0.0.1:9222" }],
    curl: [{ provider: "http://127.0.0.1:9222" }],
    run: [{ provider: "ws://127.0.0.1:9222" }],
    "capabilities.call": [{ provider: "http://127.0.0.1:9222" }],
    "browse.auth": [{ provider: "http://127.0.0.1:9222" }],
    "browse.capture": [{ cdp: "http://127.0.0.1:9222" }, { reveal: true }],
    "login.oauth": [{ client: { client_id: "x" } }],
    "login.cookies": [{ provider: "chromium" }],
    "skills.test": [{ mode: "record" }, { mode: "replay", cassette: "/x" }],
    "session.open": [{ profile: "chromium" }, { adopt: "x.test" }, { deletions: true }, { expose: true }],
    "vault.verify": [{ accept: true }, { remove_damaged: true }],
  };
  for (const [method, inputs] of Object.entries(owner) as [keyof Methods, readonly object[]][]) {
    for (const input of inputs) {
      assert.throws(() => requirePermitted(method, input as never, agent("cursor")), coded("DENIED"), method);
      assert.doesNotThrow(() => requirePermitted(method, input as never, OWNER));
    }
  }
  assert.equal(whoMay("run", { provider: "chromium:Work" } as never), "granted");
});

test("the refusal says who was calling, and where the owner can do it", () => {
  const refused = (() => {
    try {
      requirePermitted("vault.rotate", {}, { ...agent("claude-code"), via: "cli" });
    } catch (error) {
      return error as Error & { hint: string };
    }
    return undefined;
  })();
  assert.equal(refused?.message, "Only the owner may use deputy vault rotate, and claude-code is calling");
  assert.equal(refused?.hint, "Run it in a terminal of your own, outside of any agent.");
});
