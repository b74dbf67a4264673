import assert from "node:assert/strict";
import { test } from "node:test";
import { createDenialRing } from "../../../test/support/denial-ring.ts";
import { agent, memoryStore, NOW, OWNER } from "../../../test/support/grant-cases.ts";
import { coded } from "../../../test/support/test-vault.ts";
import { createGrants, type Pin } from "../../access/index.ts";
import type { Caller } from "../../kernel/index.ts";
import type { Provided, Skill } from "../../skills/index.ts";
import { createGrantCalls } from "./grant-calls.ts";

/** The calls over a store in memory, with skills that can be changed. */
function setUp(provides: readonly Partial<Provided>[] = []) {
  const skills = new Map<string, Pin>([
    ["exa", "sha256-a"],
    ["mine", { path: "/home/joe/mine" }],
  ]);
  let now = NOW;
  const clock = { now: () => now };
  const grants = createGrants({ store: memoryStore(), clock, denials: createDenialRing() });
  const find = async (id: string) => {
    const pin = skills.get(id);
    return pin === undefined ? undefined : skillOf(id, pin, provides);
  };
  const calls = createGrantCalls({ grants: async () => grants, library: { find }, clock });
  const context = (caller: Caller = OWNER) => ({
    caller,
    signal: new AbortController().signal,
    progress: () => {},
  });
  return { calls, skills, context, pass: (ms: number) => (now += ms) };
}

/** As much of a skill as a grant is about. */
function skillOf(id: string, pin: Pin, provides: readonly Partial<Provided>[]): Skill {
  const connection = { name: "api", domain: "exa.ai", baseUrl: new URL("https://api.exa.ai"), hosts: [] };
  return {
    id,
    ...(typeof pin === "object" && pin !== null ? { dev: true, folder: pin.path } : { dev: false, pin }),
    connections: new Map([["api", connection]]),
    operations: new Map([["search", {}]]),
    provides,
  } as unknown as Skill;
}

const EXA = { skill: "exa", identity: "exa.ai/joe" };

test("a grant pins the code that would run now, and the list says when that has changed, ended or gone", async () => {
  const { calls, skills, context, pass } = setUp();
  const statuses = async () => (await calls["grants.list"]({}, context())).map(({ status }) => status);
  const { grant } = await calls["grants.add"](EXA, context());
  assert.equal(grant.pin, "sha256-a");
  const mine = await calls["grants.add"]({ skill: "mine", identity: "exa.ai", expires: "30m" }, context());
  assert.deepEqual(mine.grant.pin, { path: "/home/joe/mine" });
  assert.deepEqual(await statuses(), ["active", "active"]);
  skills.set("exa", "sha256-b");
  assert.deepEqual(await statuses(), ["code-changed", "active"]);
  skills.delete("exa");
  assert.deepEqual(await statuses(), ["skill-missing", "active"]);
  pass(30 * 60_000);
  assert.deepEqual(await statuses(), ["skill-missing", "expired"]);
  skills.set("exa", "sha256-b");
  const again = await calls["grants.add"](EXA, context());
  assert.deepEqual(again.replaced, [grant.id]);
  const { removed } = await calls["grants.remove"]({ id: again.grant.id }, context());
  assert.deepEqual(removed, again.grant);
});

test("a skill's grant names a login or something to allow; code under development is the owner's alone", async () => {
  const { calls, context } = setUp();
  const add = async (input: Parameters<(typeof calls)["grants.add"]>[0]) =>
    calls["grants.add"](input, context());
  await assert.rejects(add({ skill: "exa" }), coded("BAD_INPUT"));
  await assert.rejects(add({ skill: "exa", expose: true }), coded("BAD_INPUT"));
  await assert.rejects(add({ skill: "mine", identity: "exa.ai", agent: "cursor" }), coded("BAD_INPUT"));
  await assert.rejects(add({ skill: "mine", identity: "exa.ai", agent: "*" }), coded("BAD_INPUT"));
  await assert.rejects(add({ skill: "gone", identity: "exa.ai" }), coded("NOT_FOUND"));
  for (const name of ["", " cursor", "cursor\n", " * ", "\u0000"]) {
    await assert.rejects(add({ ...EXA, agent: name }), coded("BAD_INPUT"), JSON.stringify(name));
  }
  const { grant } = await add({ skill: "exa", allow: ["hosts:any", "hosts:any"] });
  assert.deepEqual([grant.identity, grant.allow], [null, ["hosts:any"]]);
});

test("a grant is for a domain the skill is at, or supplies logins for; a built-in's is for any", async () => {
  const at = async (domain: string, ...provides: Partial<Provided>[]) => {
    const { calls, context } = setUp(provides);
    return calls["grants.add"]({ skill: "exa", identity: domain }, context());
  };
  const refusal = (hint: string) => ({
    code: "BAD_INPUT",
    message: "Cannot make that grant: exa has no connection to eax.ai",
    hint,
  });
  const key = { kind: "auth", auth: "api_key", service: "login.exa.com" } as const;
  await assert.rejects(at("eax.ai"), refusal("It reaches exa.ai."));
  await assert.rejects(at("eax.ai", { kind: "tool", tool: "web_read" }), refusal("It reaches exa.ai."));
  await assert.rejects(at("eax.ai", key), refusal("It reaches exa.ai, exa.com."));
  await at("exa.ai", key);
  await at("exa.com", key);
  await at("eax.ai", key, { kind: "auth", auth: "cookies", service: "exa.ai" });
  await at("eax.ai", { kind: "auth", auth: "api_key", service: null });
  await at("eax.ai", { kind: "auth", auth: "oauth", service: "google" });
  const { calls, context } = setUp();
  await calls["grants.add"]({ skill: "@curl", agent: "cursor", identity: "eax.ai" }, context());
});

test("agents see the grants they may use", async () => {
  const { calls, context } = setUp();
  const own = await calls["grants.add"]({ ...EXA, agent: "cursor" }, context());
  const all = await calls["grants.add"]({ ...EXA, agent: "*" }, context());
  await calls["grants.add"]({ ...EXA, agent: "claude-code" }, context());
  await calls["grants.add"](EXA, context());
  const cursor = context(agent("cursor"));
  assert.deepEqual(await calls["grants.list"]({}, cursor), [own.grant, all.grant]);
  assert.deepEqual(await calls["grants.list"]({}, context(agent("owner"))), []);
  assert.equal((await calls["grants.list"]({}, context())).length, 4);
});
