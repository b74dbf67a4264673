/** deputy mcp as the official SDK's client sees it, over stdio and over HTTP, in both kinds of revision. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import { EngineClient } from "../../src/engine/index.ts";
import { type ClientSpec, HttpServing, stdioClient, textOf } from "../support/mcp/mcp-clients.ts";
import { McpShop, SHOP_KEY } from "../support/mcp/mcp-shop.ts";

let shop: McpShop;
let http: HttpServing;

before(async () => {
  shop = await McpShop.open();
  http = await HttpServing.start(shop.home);
});
after(async () => {
  await http[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

const OWN_TOOLS = "readme load run search list get create update delete history accounts login status".split(
  " ",
);

const WAYS: Record<string, (spec?: ClientSpec) => Promise<Client & AsyncDisposable>> = {
  "stdio, by handshake": (spec) => stdioClient(shop.home, spec),
  "stdio, 2026-07-28": (spec) => stdioClient(shop.home, { ...spec, modern: true }),
  "HTTP, by handshake": (spec) => http.client(spec),
  "HTTP, 2026-07-28": (spec) => http.client({ ...spec, modern: true }),
};

for (const [way, connect] of Object.entries(WAYS)) {
  test(`the tools are listed with what they change, ${way}`, async () => {
    await using client = await connect();
    const { tools } = await client.listTools();
    const named = new Map(tools.map((tool) => [tool.name, tool]));
    for (const name of OWN_TOOLS) assert.ok(named.has(name), name);
    assert.equal(named.get("readme")?.annotations?.readOnlyHint, true);
    assert.equal(named.get("run")?.annotations?.destructiveHint, true);
    assert.equal(named.get("run")?.annotations?.openWorldHint, true);
    const provided = named.get("shop_items");
    assert.equal(provided?.annotations?.readOnlyHint, true, "a provided tool is what its operations are");
    assert.deepEqual(provided?.inputSchema.properties?.["limit"], { type: "integer", default: 3 });
    const { data: promised } = (provided?.outputSchema?.properties ?? {}) as {
      data: { anyOf: { items?: { title: string } }[] };
    };
    assert.equal(promised.anyOf[0]?.items?.title, "webpage", "what it returns is what its shape says");
  });

  test(`readme and load say what is here in words, ${way}`, async () => {
    await using client = await connect();
    const readme = textOf(await client.callTool({ name: "readme", arguments: {} }));
    assert.match(readme, /- Shop \(shop\): A shop/);
    assert.match(readme, /5\. /, "five examples");
    const manual = textOf(await client.callTool({ name: "load", arguments: { skill: "shop" } }));
    assert.match(manual, /### buy\nBuy \(destructive\)/);
    assert.match(manual, /- word \(string, required\)/);
    assert.match(manual, /Sells things\./);
    assert.match(manual, /^- webpage: id, name, .*status \(integer\).*links_to \(refers to webpage\[\]\)/m);
    const { resources } = await client.listResources();
    const uri = resources.find(({ name }) => name === "shop")?.uri ?? "";
    const [content] = (await client.readResource({ uri })).contents;
    assert.ok(content !== undefined && "text" in content && content.text === manual);
    await assert.rejects(client.readResource({ uri: "deputy://skills/nope" }));
  });

  test(`what is wrong is told as a result; only an unknown tool is an error of the protocol, ${way}`, async () => {
    await using client = await connect();
    const wrong = await client.callTool({ name: "load", arguments: { skill: 3 } });
    assert.equal(wrong.isError, true);
    assert.match(textOf(wrong), /The arguments of load do not fit: skill/);
    const unknown = await client.callTool({ name: "load", arguments: { skill: "shpo" } });
    assert.match(textOf(unknown), /shop[\s\S]*\(code: NOT_FOUND\)/);
    await assert.rejects(client.callTool({ name: "nope", arguments: {} }), /Unknown tool/);
  });
}

test("a call without a grant or a login says what the user runs, and works after they did, without a restart", async () => {
  await using client = await stdioClient(shop.home, { name: "Claude Code" });
  const call = () => client.callTool({ name: "run", arguments: { skill: "shop", tool: "list" } });
  const said: string[] = [];
  let done = await call();
  for (let mended = 0; done.isError === true && mended < 2; mended++) {
    said.push(textOf(done));
    if (textOf(done).includes("LOGIN_NEEDED")) await shop.login();
    else await shop.allow("claude-code");
    done = await call();
  }
  const all = said.join("\n");
  assert.match(all, /deputy grants add --skill shop --identity 127\.0\.0\.1\S* --agent claude-code/);
  assert.match(all, /Only the user can allow it/);
  assert.match(
    all,
    /Ask your owner .*deputy login shop[\s\S]*Only the user can log in[\s\S]*\(code: LOGIN_NEEDED\)/,
  );
  const login = await client.callTool({ name: "login", arguments: { target: "shop" } });
  assert.match(textOf(login), /^ {2}deputy login shop$/m);
  assert.notEqual(done.isError, true);
  assert.match(textOf(done), /^- First \(.*id: a1\)/m);
  const { data, meta } = done.structuredContent as { data: { id: string }[]; meta: { account: string } };
  assert.equal(data[0]?.id, "a1");
  assert.equal(meta.account, "joe");
  assert.ok(shop.keys.has(SHOP_KEY), "the service got the key");
  const provided = await client.callTool({ name: "shop_items", arguments: { limit: 1 } });
  assert.match(textOf(provided), /First/);
  const accounts = await client.callTool({ name: "accounts", arguments: {} });
  assert.match(textOf(accounts), /- joe \(127\.0\.0\.1, api_key\)/);
  const everything = JSON.stringify([said, login, done, provided, accounts]);
  assert.doesNotMatch(
    everything,
    new RegExp(SHOP_KEY),
    "no answer has the key, even where the service echoes it",
  );
  assert.doesNotMatch(everything, /12cd/, "nor its hint");
});

test("what a service returned that is not what the skill said is in the text, and the data keeps its promise", async () => {
  shop.skill(
    "odd",
    `id: odd
name: Odd
description: x
provides: [{ tool: odd_items, via: list, description: Odd }]
connections: { api: { base_url: "http://127.0.0.1:${shop.server.port}" } }
operations:
  list: { description: L, returns: "webpage[]", rest: { url: /items, response: { transform: '[{id: "1", name: "Odd one", status: "gone"}]' } } }
`,
  );
  await using client = await stdioClient(shop.home);
  await client.listTools(); // the client checks answers against what it was promised
  const done = await client.callTool({ name: "odd_items", arguments: { view: { detail: "full" } } });
  assert.notEqual(done.isError, true, textOf(done));
  assert.match(textOf(done), /gone[\s\S]*in the text only: \[\]\.status/);
  const { data } = done.structuredContent as { data: object[] };
  assert.deepEqual(data, [{ id: "1", name: "Odd one" }]);
  const loaded = await client.callTool({ name: "load", arguments: { skill: "odd" } });
  const { operations } = loaded.structuredContent as {
    operations: { returns: { items: { title: string } } }[];
  };
  assert.equal(operations[0]?.returns.items.title, "webpage");
  shop.removeSkill("odd");
});

test("one client's grants are not another's", async () => {
  await using other = await stdioClient(shop.home, { name: "cursor-vscode" });
  const denied = await other.callTool({ name: "run", arguments: { skill: "shop", tool: "list" } });
  assert.match(textOf(denied), /--agent cursor$/m, "by the name its commands have");
  await using owner = await stdioClient(shop.home, { name: "owner" });
  assert.match(
    textOf(await owner.callTool({ name: "run", arguments: { skill: "shop", tool: "list" } })),
    /--agent owner-client/,
  );
  await using byToken = await http.client({ name: "claude-code" });
  assert.match(
    textOf(await byToken.callTool({ name: "run", arguments: { skill: "shop", tool: "list" } })),
    /--agent http-client/,
    "over HTTP the token says who it is",
  );
});

test("what a run returned is found again without asking the service, and what agents write is theirs by name", async () => {
  await using client = await stdioClient(shop.home, { name: "Claude Code" });
  const call = async (name: string, given: object) => client.callTool({ name, arguments: { ...given } });
  await call("run", { skill: "shop", tool: "list" });
  const asked = shop.paths.length;
  const found = textOf(await call("search", { query: "First" }));
  assert.match(found, /^- webpage: First \(/m);
  assert.equal(shop.paths.length, asked);
  const made = (await call("create", { type: "task", name: "Call Ann", due: "2026-12-01" }))
    .structuredContent;
  const { id } = (made as { entity: { id: string } }).entity;
  const absent = textOf(await call("list", { type: "task", done: true }));
  assert.match(absent, /0 results[\s\S]*1 more says nothing about done: absent is not false/);
  await call("update", { id, done: true });
  assert.match(textOf(await call("list", { type: "task", done: true })), /^- Call Ann \(/m);
  assert.match(textOf(await call("get", { id })), /said by claude-code/);
  assert.match(textOf(await call("history", { id })), /update by claude-code[\s\S]*done: true/);
  assert.match(textOf(await call("delete", { id })), /^Deleted: Call Ann/);
  assert.match(textOf(await call("list", { type: "task" })), /^0 results/);
  assert.equal((await call("list", { type: "task", name: { odd: 1 } })).isError, true);
  assert.match(textOf(await call("readme", {})), /things remembered: .*webpage/);
  assert.match(textOf(await call("run", { skill: "shop", tool: "list", remember: false })), /First/);
});

test("what a skill brought stays when it is removed, and so does the login it used", async () => {
  const folder = join(shop.home.root, "passing");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "skill.yaml"),
    `id: passing
name: Passing
description: x
connections: { api: { base_url: "http://127.0.0.1:${shop.server.port}", auth: { type: api_key, header: { x-key: .auth.key } } } }
operations:
  list: { description: L, returns: "task[]", rest: { url: /items, response: { transform: '[{id: "p1", name: "Passing task"}]' } } }
`,
  );
  await shop.home.ok(["skills", "add", folder]);
  await shop.home.ok(["grants", "add", "--skill", "passing", "--identity", "127.0.0.1"]);
  await shop.home.ok(["run", "passing", "list"]);
  await shop.home.ok(["skills", "remove", "passing"]);
  await shop.home.set("mail.test", "ann", "api_key", { key: "canary-unused" });
  await using client = await stdioClient(shop.home);
  const call = async (name: string, given: object) =>
    textOf(await client.callTool({ name, arguments: { ...given } }));
  assert.match(await call("run", { skill: "passing", tool: "list" }), /\(code: NOT_FOUND\)/);
  assert.match(await call("search", { query: "passing task" }), /^- task: Passing task \(/m);
  assert.match(await call("accounts", {}), /^- joe \(127\.0\.0\.1, api_key\)/m);
  assert.match(await call("list", { type: "skill", id: "passing" }), /removed/);
  const known = await call("list", { type: "account" });
  for (const name of ["joe", "ann"])
    assert.match(known, new RegExp(`\\b${name}\\b`), "each login is an account");
});

for (const modern of [false, true]) {
  const era = modern ? "2026-07-28" : "by handshake";
  test(`a client that can ask its user does, and only what the engine then allows is done (${era})`, async () => {
    const name = modern ? "asker-b" : "asker-a";
    const asked: string[] = [];
    const answers: ("accept" | "decline")[] = ["accept", "decline", "accept"];
    await using client = await stdioClient(shop.home, { name, modern, capabilities: { elicitation: {} } });
    let allow = false;
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      if (allow) await shop.allow(name);
      return { action: answers.shift() ?? "decline", content: {} };
    });
    const call = () => client.callTool({ name: "run", arguments: { skill: "shop", tool: "list" } });
    const still = await call();
    assert.equal(still.isError, true, "accepting permits nothing");
    assert.match(asked[0] ?? "", /deputy grants add .*--agent asker/);
    assert.match(textOf(await call()), /The user did not want this/);
    allow = true;
    assert.match(textOf(await call()), /First/);
    assert.equal(asked.length, 3);
  });
}

for (const [way, connect] of Object.entries(WAYS)) {
  test(`cancelling a call ends it in the engine, ${way}`, async () => {
    await shop.allow("*");
    await using client = await connect({ name: "canceller" });
    using owner = (await EngineClient.connect(join(shop.home.home, "run", "engine.sock"), "cli"))!;
    const latest = async () => (await owner.call("log.read", { skill: "shop", limit: 1 })).at(-1);
    const earlier = await latest();
    const before = shop.paths.length;
    const controller = new AbortController();
    const call = client.callTool(
      { name: "run", arguments: { skill: "shop", tool: "slow" } },
      { signal: controller.signal },
    );
    const over = assert.rejects(call);
    const arrived = async () => {
      while (shop.paths.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await Promise.race([arrived(), over]);
    controller.abort();
    await over;
    let last = earlier;
    while (last?.id === earlier?.id) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      last = await latest();
    }
    assert.deepEqual(
      [last?.operation, last?.outcome, last?.code],
      ["slow", "failed", "CANCELLED"],
      "the slow answer was not waited for",
    );
  });
}

test("clients are told when skills come and go", async () => {
  await using client = await stdioClient(shop.home);
  const changed = Promise.withResolvers<void>();
  client.setNotificationHandler("notifications/tools/list_changed", async () => changed.resolve());
  await client.listTools();
  await client.callTool({ name: "status", arguments: {} });
  shop.skill(
    "other",
    "id: other\nname: Other\ndescription: x\nprovides:\n  - { tool: other_items, via: list, description: More }\nconnections:\n  api: { base_url: 'https://other.test' }\noperations:\n  list: { description: L, returns: json, rest: { url: / } }\n",
  );
  await changed.promise;
  assert.ok((await client.listTools()).tools.some(({ name }) => name === "other_items"));
  shop.removeSkill("other");
});

for (const [way, connect] of Object.entries(WAYS)) {
  test(`what a skill says while it works reaches the client that asked for it, ${way}`, async (t) => {
    shop.skill(
      "worker",
      "id: worker\nname: Worker\ndescription: x\noperations:\n  work: { description: W, returns: { ok: boolean }, typescript: { module: ./worker.ts, function: work } }\n",
      {
        "worker.ts": `export async function work({ progress }) {
          progress("begin");
          for (const current of [1, 2, 3]) progress({ current, total: 3, message: "step" });
          // The client of the SDK forgets progress that it reads together with the answer.
          await new Promise((resolve) => setTimeout(resolve, 500));
          return { ok: true };
        }`,
      },
    );
    await using client = await connect({ name: "watcher" });
    const heard: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
    const done = await client.callTool(
      { name: "run", arguments: { skill: "worker", tool: "work" } },
      { onprogress: (step) => void heard.push(step) },
    );
    if (/UNSUPPORTED|isolation/.test(textOf(done)) && done.isError === true)
      return t.skip("no sandbox for code here");
    assert.notEqual(done.isError, true, textOf(done));
    assert.ok(
      heard.some(({ message, total }) => message === "step" && total === 3),
      JSON.stringify(heard),
    );
    for (const [at, { progress }] of heard.entries())
      assert.ok(at === 0 || progress > (heard[at - 1]?.progress ?? 0));
    return shop.removeSkill("worker");
  });
}
