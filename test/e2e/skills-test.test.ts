/** deputy skills test and deputy use, as a person and a script meet them. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TestHome } from "../support/deputy.ts";
import { http1Server, type LoopbackServer } from "../support/http-servers.ts";
import { writeSkill } from "../support/skill-folder.ts";

const KEY = "canary-e2e-key-5a6b7c8d";
let server: LoopbackServer;
let requests = 0;

const skill = () => `id: shop
name: Shop
description: For tests
connections: { api: { base_url: "http://api.shop.test:${server.port}", auth: { type: api_key, header: { x-key: .auth.key } } } }
provides: [{ tool: web_search, via: find }]
operations:
  find: { description: Finds, returns: "webpage[]", params: { query: { type: string, required: true } }, test: { params: { query: cats } },
          rest: { url: /find, query: { q: .params.query } } }
  make: { description: Makes, returns: { ok: boolean }, rest: { method: POST, url: /find } }
`;

function newHome(): TestHome {
  const home = new TestHome();
  mkdirSync(home.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home.home, "config.yaml"), "resolve: { api.shop.test: 127.0.0.1 }\n", { mode: 0o600 });
  writeSkill(join(home.home, "skills/shop"), { "skill.yaml": skill(), "readme.md": "x" });
  return home;
}

before(async () => {
  server = await http1Server((request, response) => {
    requests += 1;
    response.setHeader("content-type", "application/json");
    const owner = request.headers["x-key"];
    response.end(JSON.stringify([{ id: "1", name: "One", url: "https://a.test/", colour: "red", owner }]));
  });
});
after(() => server[Symbol.asyncDispose]());

test("deputy skills test looks at every field; what was recorded replays in a home without a vault", async () => {
  await using home = newHome();
  await home.ok(["setup", "--key", "file", "--yes", "--json"]);
  await home.set("shop.test", "joe", "api_key", { key: KEY });
  const denied = await home.run(["skills", "test", "shop", "--json"]);
  assert.equal(denied.status, 1);
  assert.equal(denied.json().operations[0].error.code, "DENIED");
  assert.equal(requests, 0);
  await home.ok(["grants", "add", "--skill", "shop", "--identity", "shop.test", "--json"]);

  const words = (await home.ok(["skills", "test", "shop"])).stdout;
  assert.match(
    words,
    /^shop\n {2}find: ok, 1 record in \d+ ms\n {4}✓ id: in 1 of 1\n {4}✓ name: in 1 of 1$/m,
  );
  assert.match(words, /^ {4}! not declared: colour, owner$/m);
  assert.match(words, /^ {2}make: skipped \(it changes something: add --write\)\n1 tested, 1 skipped$/m);

  const cassette = join(home.root, "shop.json");
  await home.ok(["skills", "test", "shop", "--record", "--cassette", cassette, "--json"]);
  assert.ok(!readFileSync(cassette, "utf8").includes(KEY));
  const both = await home.run(["skills", "test", "shop", "--record", "--replay", "--json"]);
  assert.deepEqual([both.status, both.json().error.code], [2, "BAD_USAGE"]);

  await using bare = newHome();
  const before = requests;
  const replayed = (
    await bare.ok(["skills", "test", "shop", "--replay", "--cassette", cassette, "--json"])
  ).json();
  assert.deepEqual([replayed.ok, replayed.tested, replayed.skipped], [true, 1, 1]);
  assert.deepEqual(replayed.operations[0].extra, ["colour", "owner"]);
  assert.equal(requests, before, "nothing was sent");
  const none = await bare.run(["skills", "test", "shop", "--replay"]);
  assert.equal(none.status, 1);
  assert.match(none.stderr, /There is no cassette .*\n {2}Record one: deputy skills test shop --record/);
});

test("deputy use finds who does it, and lists what can be done", async () => {
  await using home = newHome();
  await home.ok(["setup", "--key", "file", "--yes", "--json"]);
  const rows = (await home.ok(["use", "--json"])).json();
  const search = rows.find(({ tool }: any) => tool === "web_search");
  const standings = Object.fromEntries(search.providers.map(({ skill, standing }: any) => [skill, standing]));
  assert.deepEqual([standings.exa, standings.shop], ["no-login", "no-login"]);
  await home.set("shop.test", "joe", "api_key", { key: KEY });
  await home.ok(["grants", "add", "--skill", "shop", "--identity", "shop.test", "--json"]);
  const done = await home.ok(["use", "web_search", "-p", "query=cats"]);
  assert.match(done.stdout, /One/);
  assert.match(done.stderr, /deputy: by shop \(it has a login\)/);
  assert.ok(!(done.stdout + done.stderr).includes(KEY));
  const data = (await home.ok(["use", "web_search", "--params", '{"query":"cats"}', "--json"])).json();
  assert.equal(data.meta.skill, "shop");
  assert.match((await home.ok(["use"])).stdout, /^web_search +query +.*exa \(no login\).*, shop\b/m);
  const other = await home.run(["use", "web_search", "-p", "query=cats", "--skill", "exa", "--json"]);
  assert.ok([3, 4].includes(other.status ?? 0), "exa has no login");
  const unknown = await home.run(["use", "web_serch", "--json"]);
  assert.deepEqual([unknown.status, unknown.json().error.hint], [1, "Did you mean web_search?"]);
});
