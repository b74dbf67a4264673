/** deputy graph: what runs leave behind, found, changed, undone and carried away. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TestHome } from "../support/deputy.ts";
import { http1Server, type LoopbackServer } from "../support/http-servers.ts";

const KEY = "canary-graph-key-5512";
let server: LoopbackServer;
let home: TestHome;
const agent = { env: { CLAUDECODE: "1" } };

before(async () => {
  server = await http1Server((_request, response) => {
    const tasks = [
      { id: 7, name: "Water the plants", done: false, project: { id: 1, name: "Home" }, text: KEY },
      { id: 8, name: "Read \u001b[31m# everything", priority: 2 },
    ];
    response.end(JSON.stringify(tasks));
  });
  home = new TestHome();
  await home.ok(["setup", "--key", "file", "--yes"]);
  const folder = join(home.home, "skills", "todo");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "skill.yaml"),
    `
id: todo
name: Todo
description: Things to do
connections:
  api: { base_url: "http://127.0.0.1:${server.port}", auth: { type: api_key, header: { x-key: .auth.key } } }
operations:
  list: { description: List, returns: "task[]", rest: { url: / } }
  make_key: { description: Make a key, returns: { status: string }, effect: write, connection: none, typescript: { module: ./todo.ts, function: makeKey } }
`,
  );
  writeFileSync(
    join(folder, "todo.ts"),
    `export const makeKey = () => ({
      __secrets__: [{ domain: "127.0.0.1", identifier: "obtained", item_type: "api_key", value: { key: "${KEY}-new" } }],
      __result__: { status: "authenticated" },
    });`,
  );
  await home.set("127.0.0.1", "joe", "api_key", { key: KEY });
  await home.ok(["grants", "add", "--skill", "todo", "--identity", "127.0.0.1"]);
});
after(async () => {
  await home[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const json = async (...args: string[]) => (await home.ok([...args, "--json"])).json();

test("what a run returns is found again, once, with where it came from; --no-remember keeps nothing", async () => {
  const forgotten = await json("run", "todo", "list", "--no-remember");
  assert.equal(forgotten.meta.remembered, null);
  assert.deepEqual(await json("graph", "list", "task"), { entities: [], next: null, total: 0, absent: {} });
  for (let times = 0; times < 2; times++)
    assert.equal((await json("run", "todo", "list")).meta.remembered, 3);
  assert.equal((await json("graph", "list", "task")).total, 2);
  const [found] = await json("graph", "search", "water", "pl*");
  const entity = await json("graph", "get", found.id);
  assert.deepEqual(entity.values, { id: "7", name: "Water the plants", done: false, text: "[redacted]" });
  const { skill, operation, agent: who, identity } = entity.sources.name;
  assert.deepEqual(
    [skill, operation, who, identity],
    ["todo", "list", "owner", { domain: "127.0.0.1", identifier: "joe" }],
  );
  assert.deepEqual([entity.links[0].label, entity.links[0].name], ["project", "Home"]);
  assert.equal(statSync(join(home.home, "graph.db")).mode & 0o777, 0o600);
  assert.ok(!readFileSync(join(home.home, "graph.db")).includes(KEY), "what is masked is not remembered");
});

test("a login that a skill obtained is an account of the owner's, and its value is nowhere in the graph", async () => {
  await home.ok(["grants", "add", "--skill", "todo", "--identity", "127.0.0.1", "--every-account"]);
  const done = await json("run", "todo", "make_key");
  assert.deepEqual(done.data, { status: "authenticated" });
  const { entities } = await json("graph", "list", "account");
  assert.ok(entities.some((one: any) => one.values.handle === "obtained"));
  assert.ok(!readFileSync(join(home.home, "graph.db")).includes(KEY));
  await home.ok(["vault", "remove", "127.0.0.1", "obtained"]);
});

test("the account of a login is claimed by the owner, and skills, agents and shapes are there to be seen", async () => {
  const { entities: accounts } = await json("graph", "list", "account");
  const joe = accounts.find((one: any) => one.values.handle === "joe");
  assert.equal(joe?.values.issuer, "127.0.0.1");
  const account = await json("graph", "get", joe.id);
  assert.equal(account.linked_from[0].label, "claims");
  const skills = await json("graph", "list", "skill", "--where", "id=todo");
  assert.deepEqual([skills.total, skills.entities[0].values.status], [1, "ready"]);
});

test("an answer says what absence means, and no stranger's words move the cursor", async () => {
  const none = await home.ok(["graph", "list", "task", "--where", "done=true"]);
  assert.match(
    none.stdout,
    /^0 results \(task\)\n1 more says nothing about done: absent is not false.*--missing done/,
  );
  const all = await home.ok(["graph", "list", "task", "--sort", "name"]);
  assert.match(all.stdout, /^2 results \(task\)\n- Read .*\(.*id: [0-9a-z]{13}\)/);
  assert.ok(!all.stdout.includes("\u001b"));
  assert.match((await home.ok(["graph", "search", "nothingofthekind"])).stdout, /^0 results/);
  assert.deepEqual(await json("graph", "search", '"*'), []);
});

test("by hand: create, link, change, see history, delete and bring back; an agent's doing is the agent's", async () => {
  const create = { input: JSON.stringify({ name: "Call Ann", due: "2026-12-01", priority: "1" }) };
  const { entity } = (await home.ok(["graph", "create", "task", "--json"], { ...create, ...agent })).json();
  assert.equal(entity.values.priority, 1);
  const [home_] = (await json("graph", "list", "project")).entities;
  const update = { input: '{"priority": 3, "due": null}' };
  await home.ok(["graph", "update", entity.id, "--link", `project=${home_.id}`], update);
  const shown = (await home.ok(["graph", "get", entity.id])).stdout;
  assert.match(shown, /^Call Ann \(task, id: /);
  assert.match(shown, new RegExp(`^project: Home \\(project, id: ${home_.id}\\)$`, "m"));
  const { changes } = await json("graph", "history", entity.id);
  assert.deepEqual(
    changes.map((change: any) => [change.action, change.by.agent]),
    [
      ["update", "owner"],
      ["create", "claude-code"],
    ],
  );
  assert.deepEqual(changes[0].fields.due, { before: "2026-12-01" });
  const then = await json("graph", "get", entity.id, "--at", changes[1].at);
  assert.deepEqual([then.values.due, then.links], ["2026-12-01", []]);
  assert.match((await home.ok(["graph", "history", entity.id])).stdout, /priority: 1 → 3/);
  await home.ok(["graph", "delete", entity.id]);
  assert.deepEqual(await json("graph", "search", "ann"), []);
  const refused = await home.run(["graph", "update", entity.id, "--json"], { input: "{}" });
  assert.deepEqual([refused.status, refused.json().error.code], [1, "NOT_FOUND"]);
  await home.ok(["graph", "restore", entity.id]);
  assert.equal((await json("graph", "search", "ann")).length, 1);
});

test("it is the owner's: exported, carried to another home, and not by agents", async () => {
  const file = join(home.root, "graph.jsonl");
  const denied = await home.run(["graph", "export", file, "--json"], agent);
  assert.equal(denied.status, 4);
  const done = await json("graph", "export", file);
  assert.ok(done.entities > 5);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await using other = new TestHome();
  await other.ok(["graph", "import", file]);
  assert.equal((await other.ok(["graph", "search", "water", "--json"])).json().length, 1);
  const again = (await other.ok(["graph", "import", file, "--json"])).json();
  assert.equal(again.added, 0);
  rmSync(file);
});

test("a graph that cannot be used is a warning of a run, and an error only for who asks for it", async () => {
  await home.stopEngine();
  for (const name of ["graph.db", "graph.db-wal", "graph.db-shm"])
    rmSync(join(home.home, name), { force: true });
  writeFileSync(join(home.home, "graph.db"), "not a database at all".repeat(200));
  const ran = await json("run", "todo", "list");
  assert.equal(ran.data.length, 2);
  assert.equal(ran.meta.remembered, null);
  assert.match(ran.meta.warnings.join("\n"), /not remembered: .*graph\.db/);
  const asked = await home.run(["graph", "list", "task", "--json"]);
  assert.deepEqual([asked.status, asked.json().error.code], [1, "DATABASE_CORRUPT"]);
});
