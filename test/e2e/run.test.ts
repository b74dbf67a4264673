/** deputy run: what a person, a script and a coding agent see when a skill runs. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TestHome } from "../support/deputy.ts";
import { http1Server, type LoopbackServer } from "../support/http-servers.ts";
import { noTerminal, Terminal } from "../support/terminal.ts";

const KEY = "canary-run-key-4471";
let server: LoopbackServer;
let home: TestHome;
const keys: (string | undefined)[] = [];

before(async () => {
  server = await http1Server((request, response) => {
    keys.push(request.headers["x-key"] as string | undefined);
    if (request.url?.startsWith("/slow")) return void setTimeout(() => response.end("{}"), 30_000).unref();
    if (request.url?.startsWith("/refuse")) response.statusCode = 401;
    return response.end(JSON.stringify({ items: [{ id: "a1", title: "First", note: KEY }] }));
  });
  home = new TestHome();
  await home.ok(["setup", "--key", "file", "--yes"]);
  skill("shop", {
    "skill.yaml": `
id: shop
name: Shop
description: A shop
connections:
  api: { base_url: "http://127.0.0.1:${server.port}", auth: { type: api_key, header: { x-key: .auth.key } }, label: Shop key, help_url: "https://shop.test/keys" }
operations:
  list: { description: List, returns: "webpage[]", params: { limit: { type: integer, default: 3 } },
          rest: { url: /items, query: { limit: .params.limit }, response: { transform: "[.items[] | {id, name: .title, text: .note}]" } } }
  refused: { description: Refused, returns: { ok: boolean }, rest: { url: /refuse } }
  slow: { description: Slow, returns: { ok: boolean }, rest: { url: /slow }, timeout: 2 }
`,
  });
});
after(async () => {
  await home[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function skill(id: string, files: Record<string, string>): void {
  const folder = join(home.home, "skills", id);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

test("without a login a script gets status 3, without a grant 4, each with the command that mends it", async () => {
  const needed = await home.run(["run", "shop", "list", "--json"]);
  assert.equal(needed.status, 3);
  assert.match(needed.json().error.hint, /deputy login shop/);
  assert.match(needed.json().error.hint, /shop\.test\/keys/);
  await home.ok(["login", "shop"], { input: KEY });
  const denied = await home.run(["run", "shop", "list", "--json"]);
  assert.equal(denied.status, 4);
  assert.equal(denied.json().error.code, "DENIED");
  assert.match(denied.json().error.hint, /deputy grants add --skill shop --identity 127\.0\.0\.1/);
  await home.ok(["grants", "add", "--skill", "shop", "--identity", "127.0.0.1"]);
});

test("a run gives one line an entity, or one JSON document; what the service echoes is masked", async () => {
  const shown = await home.ok(["run", "shop", "list"]);
  assert.match(shown.stdout, /First/);
  assert.match(shown.stdout, /a1/);
  assert.equal(keys.at(-1), KEY);
  const json = (await home.ok(["run", "shop", "list", "-p", "limit=5", "--json"])).json();
  assert.deepEqual(Object.keys(json), ["data", "meta"]);
  assert.deepEqual([json.meta.skill, json.meta.operation, json.meta.account], ["shop", "list", "default"]);
  for (const field of ["provider", "isolation", "duration_ms", "warnings"])
    assert.ok(field in json.meta, field);
  assert.ok(!JSON.stringify(json).includes(KEY) && !shown.stdout.includes(KEY), "the key is nowhere in it");
  const same = (await home.ok(["run", "shop", "list", "--format", "json"])).json();
  assert.deepEqual(same.data, json.data);
});

test("bad input, an unknown operation, a refused login and a slow service each say what to do", async () => {
  const status = async (...args: string[]) => {
    const ran = await home.run(["run", ...args, "--json"]);
    return [ran.status, ran.json().error.code];
  };
  assert.deepEqual(await status("shop", "list", "-p", "limit=many"), [2, "BAD_INPUT"]);
  assert.deepEqual(await status("shop", "list", "-p", "lmit=1"), [2, "BAD_INPUT"]);
  assert.deepEqual(await status("shop", "lst"), [1, "NOT_FOUND"]);
  assert.deepEqual(await status("shp", "list"), [1, "NOT_FOUND"]);
  assert.deepEqual(await status("shop", "refused"), [3, "SESSION_EXPIRED"]);
  assert.deepEqual(await status("shop", "slow"), [1, "TIMEOUT"]);
});

test("at a terminal the owner is asked once for each skill and identity", { skip: noTerminal }, async () => {
  skill("other", {
    "skill.yaml": `
id: other
name: Other
description: Another skill at the same service
connections:
  api: { base_url: "http://127.0.0.1:${server.port}", auth: { type: api_key, header: { x-key: .auth.key } } }
operations:
  list: { description: List, returns: "webpage[]", rest: { url: /items, response: { transform: "[.items[] | {id, name: .title}]" } } }
`,
  });
  {
    await using terminal = new Terminal(home, ["run", "other", "list"]);
    await terminal.see(/other wants to use your login at 127\.0\.0\.1/);
    await terminal.see(/It can send it to 127\.0\.0\.1:\d+/);
    terminal.type("\r"); // No is what Enter means
    assert.equal(await terminal.ended, 4);
  }
  {
    await using terminal = new Terminal(home, ["run", "other", "list"]);
    await terminal.see(/other wants to use your login/);
    terminal.type("\x1b[B\r");
    await terminal.see(/First/);
    assert.equal(await terminal.ended, 0);
  }
  await home.ok(["run", "other", "list"]);
});
