import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { http1Server, type LoopbackServer } from "../../../test/support/http-servers.ts";
import { AGENT, OWNER, TestRunner } from "../../../test/support/test-runner.ts";
import { DeputyError } from "../../kernel/index.ts";
import { createCapabilityCalls } from "./capability-calls.ts";
import type { CapabilityMethods } from "./capability-methods.ts";
import type { CallContext } from "../methods.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

let server: LoopbackServer;
let all: TestRunner;

const yaml = (id: string, auth: string, more = "") => `
id: ${id}
name: ${id}
description: For tests
connections: { api: { base_url: "http://api.${id}.test:${server.port}", ${auth} } }
provides: [{ tool: web_search, via: find, ${more} }]
operations:
  find: { description: Finds, returns: "webpage[]", params: { query: { type: string, required: true }, url: { type: url } },
          rest: { url: /find, query: { q: .params.query }, response: { transform: "[{id: .host, name: .host}]" } } }
`;
const KEYED = "auth: { type: api_key, header: { x-key: .auth.key } }";

before(async () => {
  server = await http1Server((request, response) =>
    response.end(JSON.stringify({ host: request.headers.host?.split(":")[0] })),
  );
  all = await TestRunner.open(["api.keyed.test", "api.open.test", "api.video.test"]);
  all.skill("keyed", { "skill.yaml": yaml("keyed", KEYED) });
  all.skill("open", { "skill.yaml": yaml("open", "auth: none") });
  all.skill("video", { "skill.yaml": yaml("video", "auth: none", "urls: [video.test/*]") });
  all.skill("broken", { "skill.yaml": "id: broken\noperations: 7\n" });
});
after(async () => {
  await all[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function calls(locked = false) {
  const vault = async () => {
    if (locked) throw new DeputyError("VAULT_LOCKED", "The vault is locked");
    return all.desk.vault;
  };
  return createCapabilityCalls({
    library: all.library,
    door: { get: vault } as VaultDoor,
    grants: async () => {
      await vault();
      return all.grants;
    },
    runner: all.runner,
    shapes: all.parts.shapes,
    remember: () => async (done) => ({ ...done, meta: { ...done.meta, remembered: null } }),
  });
}
const context = (caller: CallContext["caller"] = OWNER): CallContext => ({
  caller,
  signal: AbortSignal.timeout(30_000),
  progress: () => {},
});
type Input = CapabilityMethods["capabilities.call"]["in"];
const use = async (input: Partial<Input> = {}, caller = OWNER) => {
  const asked = {
    tool: "web_search",
    params: { query: "x" },
    detail: "full",
    format: "json",
    ...input,
  } as const;
  const { route, text } = await calls()["capabilities.call"](asked, context(caller));
  return { ...route, data: JSON.parse(text).data };
};

test("A tool goes to who can do it now: without a login first to whoever needs none, with one to whoever has it", async () => {
  const found = await use();
  assert.deepEqual([found.skill, found.why, found.data[0].id], ["open", "anonymous", "api.open.test"]);
  all.desk.store("keyed.test", "joe", "api_key", { key: "canary-key-11aa22bb" });
  assert.equal((await use()).skill, "open", "a login nobody allowed is none");
  await all.grant("keyed", "keyed.test");
  const keyed = await use();
  assert.deepEqual([keyed.skill, keyed.why, keyed.data[0].id], ["keyed", "login", "api.keyed.test"]);
  assert.equal((await use({}, AGENT)).skill, "open", "what the owner may is not what an agent may");
  const url = "https://www.video.test/1";
  assert.deepEqual([(await use({ params: { query: "x", url } })).skill], ["video"]);
  assert.deepEqual([(await use({ params: { query: "x", url }, skill: "open" })).why], ["asked-for"]);
});

test("The skill that was asked for is the one that says what is missing", async () => {
  await assert.rejects(use({ skill: "keyed" }, AGENT), (error: DeputyError) => {
    assert.equal(error.code, "DENIED");
    assert.equal(error.remedy?.grant["skill"], "keyed");
    return true;
  });
  await assert.rejects(use({ skill: "broken" }), { code: "NOT_FOUND" });
  await assert.rejects(use({ params: {} }), { code: "BAD_INPUT" });
});

test("The list says who provides a tool and how they stand, also while the vault is locked", async () => {
  const list = async (locked: boolean, caller = OWNER) => {
    const [row] = await calls(locked)["capabilities.list"]({}, context(caller));
    assert.deepEqual(
      row?.params.map(({ name, required }) => [name, required]),
      [
        ["query", true],
        ["url", false],
      ],
    );
    return Object.fromEntries(row?.providers.map(({ skill, standing }) => [skill, standing]) ?? []);
  };
  assert.deepEqual(await list(false), { keyed: "granted", open: "anonymous", video: "anonymous" });
  assert.equal((await list(false, AGENT))["keyed"], "not-granted");
  assert.deepEqual(await list(true), { keyed: "no-login", open: "anonymous", video: "anonymous" });
});
