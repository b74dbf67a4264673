import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { http1Server, type LoopbackServer } from "../../../test/support/http-servers.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { TestProfile } from "../../../test/support/test-lender.ts";
import { AGENT, OWNER, TestRunner } from "../../../test/support/test-runner.ts";
import { parseCookie } from "../../cookies/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { createRunner, type RunnerParts } from "../../skills/index.ts";
import type { CallContext } from "../methods.ts";
import { createSkillTestCalls } from "./skill-test-calls.ts";
import type { SkillTestMethods, SkillTestReport } from "./skill-test-methods.ts";

const CANARIES = {
  key: "canary-key-3f9a1c77e0",
  session: "canary-session-51b0aa27",
  rotated: "canary-rotated-90c1d2e3",
  fresh: "canary-fresh-key-7712ab",
  access: "canary-access-token-6d5e",
  renewed: "canary-renewed-token-8f7a",
  refresh: "canary-refresh-token-1c2d",
};

const seen: { url: string; headers: IncomingMessage["headers"]; body: string }[] = [];

function answer(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { url = "", headers } = request;
    const body = Buffer.concat(chunks).toString();
    seen.push({ url, headers, body });
    response.setHeader("content-type", "application/json");
    const say = (value: unknown) => response.end(JSON.stringify(value));
    if (url === "/token")
      return say({
        access_token: CANARIES.renewed,
        refresh_token: CANARIES.refresh,
        expires_in: 3600,
        token_type: "Bearer",
      });
    if (url.startsWith("/mail")) return say({ auth: headers.authorization, subject: "Hello" });
    if (url.startsWith("/account")) {
      const next = `${CANARIES.rotated}-${seen.length}`;
      response.setHeader("set-cookie", `sid=${next}; Path=/`);
      response.setHeader("x-csrf-token", "canary-header-token-12");
      return say({ you: "joe", next, sent: headers.cookie });
    }
    if (url.startsWith("/keys"))
      return say({ key: CANARIES.fresh, access_token: "canary-in-a-token-answer" });
    if (url.startsWith("/fails")) response.statusCode = 500;
    if (url.startsWith("/binary")) return response.end(Buffer.from([0xff, 0xfe, 0x00, 0x41]));
    return say({
      items: [
        { id: 1, title: "One", when: "2026-01-01", colour: "red" },
        { id: 2, title: "Two", when: "2026-01-02", key: headers["x-key"] },
      ],
      body,
    });
  });
}

let server: LoopbackServer;
let all: TestRunner;
const folder = temporaryFolder("skill-test");
const noJail = () => (all.jail.level === "full" ? false : `there is no jail here: ${all.jail.reason ?? ""}`);

const yaml = () => {
  const base = `http://api.shop.test:${server.port}`;
  return `
id: shop
name: Shop
description: A shop
connections:
  api: { base_url: "${base}", auth: { type: api_key, header: { x-key: .auth.key }, query: { k: .auth.key } } }
  web: { base_url: "${base}", mode: fetch, auth: { type: cookies, domain: .shop.test, names: [sid] } }
  mail: { base_url: "${base}", auth: { type: oauth } }
operations:
  list: { description: List, connection: api, returns: "webpage[]", params: { q: { type: string, required: true } }, test: { params: { q: cats } },
          rest: { url: /items, query: { q: .params.q }, response: { transform: "[.items[] | {id, name: .title, published: .when, colour}]" } } }
  wrong: { description: Wrong, connection: api, returns: "webpage[]",
          rest: { url: /items, response: { transform: "[.items[] | {id, name: .title, published: \\"no date\\"}]" } } }
  odd: { description: Odd, connection: api, returns: [{ id: integer, key: integer, gone: string }], rest: { url: /items, response: { root: /items } } }
  carry: { description: Carry, connection: api, effect: read, returns: { items: json, body: json }, rest: { method: POST, url: '"/items/" + .auth.key', body: { k: .auth.key, n: 1 } } }
  account: { description: Account, connection: web, returns: { you: string, next: string, sent: string }, rest: { url: /account } }
  inbox: { description: Inbox, connection: mail, returns: { auth: string, subject: string }, rest: { url: /mail } }
  code: { description: Code, connection: api, effect: read, returns: { n: integer, size: integer, count: integer }, typescript: { module: ./shop.ts, function: code } }
  new_key: { description: New key, connection: api, returns: { ok: boolean }, typescript: { module: ./shop.ts, function: newKey } }
  git: { description: Git, connection: none, effect: read, returns: string, command: { binary: git, args: [--version] } }
  fails: { description: Fails, connection: api, returns: "webpage[]", rest: { url: /fails } }
  none: { description: None, connection: api, returns: "webpage[]", rest: { url: /items, response: { transform: "[]" } } }
  needs: { description: Needs, connection: api, params: { id: { type: string, required: true } }, rest: { url: /items } }
  left_out: { description: Left out, connection: api, rest: { url: /items }, test: { skip: not today } }
  gone: { description: Gone, connection: api, effect: destructive, rest: { method: DELETE, url: /items } }
`;
};
const code = `
export async function code({ http, cache, auth }) {
  const count = ((await cache.get("n")) ?? 0) + 1;
  await cache.set("n", count);
  const items = (await http.get("/items?n=" + count)).json().items;
  const echo = (await http.post("/items", { json: { mine: auth.key } })).json();
  if (JSON.parse(echo.body).mine.includes("canary")) throw new Error("saw a key");
  return { n: items.length, size: (await http.get("/binary")).bytes().length, count };
}
export async function newKey({ http }) {
  const { key } = (await http.post("/keys", { json: {} })).json();
  await http.get("/items?made=" + key);
  return { __secrets__: [{ domain: "shop.test", identifier: "made", item_type: "made_key", value: { key } }], __result__: { ok: true } };
}
`;

function storeExpiredToken(): void {
  all.desk.store("shop.test", "joe", "oauth", {
    access_token: CANARIES.access,
    refresh_token: CANARIES.refresh,
    expires_in: -5,
    token_url: `http://127.0.0.1:${server.port}/token`,
    client_id: "deputy",
  });
}

before(async () => {
  server = await http1Server(answer);
  all = await TestRunner.open(["api.shop.test"]);
  all.skill("shop", { "skill.yaml": yaml(), "shop.ts": code });
  all.desk.store("shop.test", "joe", "api_key", { key: CANARIES.key });
  storeExpiredToken();
  all.desk.profiles.push(
    new TestProfile("chromium/Default", [
      parseCookie(
        { name: "sid", value: CANARIES.session, domain: "api.shop.test", hostOnly: true },
        { now: Date.now() },
      ),
    ]),
  );
  await all.grant("shop", "shop.test");
});
after(async () => {
  await all[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

type Input = SkillTestMethods["skills.test"]["in"];

function tested(
  input: Partial<Input>,
  options: { parts?: Partial<RunnerParts>; caller?: CallContext["caller"] } = {},
): Promise<SkillTestReport> {
  const parts = { ...all.parts, ...options.parts };
  const calls = createSkillTestCalls({
    home: folder.path,
    library: all.library,
    runner: createRunner(parts),
    runnerWith: (changes) => createRunner({ ...parts, ...changes(parts) }),
    shapes: parts.shapes,
    clock: parts.clock,
  });
  const context = {
    caller: options.caller ?? OWNER,
    signal: AbortSignal.timeout(60_000),
    progress: () => {},
  };
  return calls["skills.test"]({ skill: "shop", mode: "live", ...input }, context);
}
const of = (report: SkillTestReport, name: string) => {
  const found = report.operations.find(({ operation }) => operation === name);
  assert.ok(found, name);
  return found;
};
const nothing = { lender: () => Promise.reject(new DeputyError("NOT_SET_UP", "There is no vault")) };
const unreachable = { ...nothing, grants: nothing.lender };

test("Each operation is tested field by field, or skipped with its reason; one that fails fails the test", async (t) => {
  if (noJail()) return t.skip(String(noJail()));
  const report = await tested({});
  const list = of(report, "list");
  assert.equal(list.outcome, "ok");
  assert.equal(list.records, 2);
  assert.deepEqual(list.fields, [
    { field: "id", present: 2, valid: 2 },
    { field: "name", present: 2, valid: 2 },
    { field: "published", present: 2, valid: 2 },
  ]);
  assert.deepEqual(list.extra, ["colour"]);
  assert.ok(list.missing?.includes("url") && !list.missing.includes("id"));
  assert.deepEqual([list.problems, list.warnings], [[], []]);
  const wrong = of(report, "wrong");
  assert.equal(wrong.outcome, "failed");
  assert.deepEqual(wrong.fields?.at(-1), { field: "published", present: 2, valid: 0 });
  assert.match(wrong.problems?.[0] ?? "", /webpage.published .* \(2 times\)/);
  const inline = of(report, "code");
  assert.deepEqual(
    inline.fields?.map(({ field, present, valid }) => [field, present, valid]),
    [
      ["count", 1, 1],
      ["n", 1, 1],
      ["size", 1, 1],
    ],
  );
  const odd = of(report, "odd");
  assert.deepEqual(
    [odd.outcome, odd.records, odd.extra, odd.missing],
    ["failed", 2, ["colour", "title", "when"], ["gone"]],
  );
  assert.deepEqual(odd.fields, [
    { field: "id", present: 2, valid: 2 },
    { field: "key", present: 1, valid: 0 },
  ]);
  assert.equal(of(report, "fails").error?.code, "SKILL_FAILED");
  assert.match(of(report, "none").warnings?.[0] ?? "", /Nothing came back/);
  assert.equal(of(report, "code").outcome, "ok");
  const reasons = Object.fromEntries(report.operations.map(({ operation, reason }) => [operation, reason]));
  assert.equal(reasons["needs"], "test.params has no id");
  assert.equal(reasons["left_out"], "not today");
  assert.match(reasons["new_key"] ?? "", /--write/);
  assert.match(reasons["gone"] ?? "", /--write/);
  assert.equal(of(report, "git").error?.code, "DENIED");
  assert.deepEqual([report.ok, report.skipped, report.failed, report.cassette], [false, 4, 4, null]);
});

test("What changes things runs only when asked for, and what destroys them only by name", async () => {
  const before = seen.length;
  assert.match(of(await tested({ write: true, operation: "gone" }), "gone").outcome, /ok/);
  assert.equal(seen.length, before + 1);
  const report = await tested({ write: true });
  assert.match(of(report, "gone").reason ?? "", /name it/);
  await assert.rejects(tested({ operation: "lst" }), { code: "NOT_FOUND", hint: "Did you mean list?" });
});

test("A recording holds no credential in any form, and replays without network, login, grant or vault", async (t) => {
  if (noJail()) return t.skip(String(noJail()));
  storeExpiredToken();
  const recorded = await tested({ mode: "record", write: true });
  assert.equal(of(recorded, "inbox").outcome, "ok");
  const path = join(folder.path, "cassettes/shop.json");
  assert.equal(recorded.cassette, path);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const text = readFileSync(path, "utf8");
  for (const [name, canary] of Object.entries(CANARIES)) {
    for (const form of [
      canary,
      encodeURIComponent(canary),
      Buffer.from(canary).toString("base64").slice(0, -4),
    ])
      assert.ok(!text.includes(form), `${name} is in the cassette`);
  }
  assert.doesNotMatch(text, /canary/);
  assert.match(text, /\\"title\\":\\"One\\"/, "what the service said is kept");
  assert.ok(!text.includes("/token"), "renewing a login is not part of it");
  // Every canary has been on the wire: what is not there was left out, not missed.
  const wire = JSON.stringify(seen);
  for (const canary of [CANARIES.key, CANARIES.session, CANARIES.renewed, CANARIES.refresh, CANARIES.fresh])
    assert.ok(wire.includes(canary));

  const requests = seen.length;
  const replayed = await tested({ mode: "replay", write: true }, { parts: unreachable });
  assert.equal(seen.length, requests, "nothing was sent");
  const plain = ({ operations }: SkillTestReport) =>
    operations
      .filter(({ operation }) => operation !== "git" && operation !== "fails")
      .map((one) => ({ ...one, duration_ms: 0 }));
  assert.deepEqual(plain(replayed), plain(recorded));
  assert.equal(of(replayed, "code").outcome, "ok");
  assert.equal(of(replayed, "new_key").outcome, "ok");
  assert.equal(of(replayed, "git").error?.code, "NOT_FOUND", "what was denied left no recording");
  assert.deepEqual(all.desk.stored("shop.test", "made", "made_key"), { key: CANARIES.fresh });
});

test("One operation recorded again leaves the others as they were", async () => {
  const path = join(folder.path, "cassettes/shop.json");
  const before = JSON.parse(readFileSync(path, "utf8"));
  await tested({ mode: "record", operation: "none" });
  const now = JSON.parse(readFileSync(path, "utf8"));
  assert.deepEqual(Object.keys(now.operations), Object.keys(before.operations));
  assert.deepEqual(now.operations.list, before.operations.list);
});

test("A request that was not recorded is said to be missing, by its address and without a login", async () => {
  const cassette = join(folder.path, "elsewhere/tape.json");
  await tested({ mode: "record", operation: "carry", cassette });
  const tape = JSON.parse(readFileSync(cassette, "utf8"));
  const [exchange] = tape.operations.carry.exchanges;
  assert.match(exchange.request.url, /\/items\/\[redacted\]$/);
  exchange.request.body.text = "{}";
  writeFileSync(cassette, JSON.stringify(tape));
  const report = await tested({ mode: "replay", operation: "carry", cassette });
  assert.deepEqual([report.ok, of(report, "carry").error?.code], [false, "NOT_FOUND"]);
  assert.match(of(report, "carry").error?.message ?? "", /no answer to POST http:.*\/items\/\[redacted\]$/);
  assert.doesNotMatch(JSON.stringify(report), /stand-in|canary/);

  writeFileSync(cassette, "{}");
  await assert.rejects(tested({ mode: "replay", cassette }), { code: "BAD_INPUT" });
  await assert.rejects(tested({ mode: "record", cassette }), { code: "BAD_INPUT" });
  await assert.rejects(tested({ mode: "replay", cassette: join(folder.path, "gone.json") }), {
    code: "NOT_FOUND",
    hint: "Record one: deputy skills test shop --record",
  });
});

test("An agent tests as itself, and may replay what others recorded: nothing of theirs is in it", async () => {
  const denied = of(await tested({ operation: "list" }, { caller: AGENT }), "list");
  assert.equal(denied.error?.code, "DENIED");
  const replayed = of(await tested({ mode: "replay", operation: "list" }, { caller: AGENT }), "list");
  assert.equal(replayed.outcome, "ok");
});

test("A replay starts no program the owner did not allow", async () => {
  const path = join(folder.path, "programs.json");
  const recording = { recorded_at: "2026-01-01T00:00:00Z", logins: {}, exchanges: [] };
  writeFileSync(path, JSON.stringify({ format: 1, skill: "shop", operations: { git: recording } }));
  const report = await tested({ mode: "replay", operation: "git", cassette: path });
  assert.equal(of(report, "git").error?.code, "DENIED");
  await all.grant("shop", null, { allow: ["binary:git"] });
  const allowed = await tested({ mode: "replay", operation: "git", cassette: path });
  if (!noJail()) assert.equal(of(allowed, "git").outcome, "ok");
});
