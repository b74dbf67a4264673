/** Every bundled skill: valid, tested, run by an agent through MCP against its service's fixture, and kept in the graph. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import { TestHome } from "../support/deputy.ts";
import { FixtureWeb } from "../support/fixture-web.ts";
import { http1Server } from "../support/http-servers.ts";
import { stdioClient } from "../support/mcp/mcp-clients.ts";
import { writeSkill } from "../support/skill-folder.ts";
import { braveSearch } from "../services/brave-search.ts";
import { claude } from "../services/claude.ts";
import { exa } from "../services/exa.ts";
import { github } from "../services/github.ts";
import { gmail, googleCalendar } from "../services/google.ts";
import { goodreads } from "../services/goodreads.ts";
import { hackernews } from "../services/hackernews.ts";
import { localFiles } from "../services/local-files.ts";
import { linear } from "../services/linear.ts";
import { reddit } from "../services/reddit.ts";
import type { Service } from "../services/service.ts";
import { todoist } from "../services/todoist.ts";
import { web as openWeb } from "../services/web.ts";
import { youtube } from "../services/youtube.ts";

const services: Service[] = [
  hackernews,
  braveSearch,
  todoist,
  linear,
  github,
  gmail,
  googleCalendar,
  openWeb,
  reddit,
  claude,
  youtube,
  goodreads,
  exa,
];

const home = new TestHome();
let web: FixtureWeb | string;
let agent: Client & AsyncDisposable;

before(async () => {
  mkdirSync(home.home, { recursive: true });
  const roots = join(home.root, "roots.pem");
  const hosts = services.flatMap(({ hosts: names, answer }) => names.map((name) => [name, answer] as const));
  web = await FixtureWeb.open(new Map(hosts), roots);
  if (typeof web === "string") return;
  writeFileSync(join(home.home, "config.yaml"), `roots: ${roots}\nresolve:\n${web.resolve()}\n`);
  await home.ok(["setup", "--key", "file", "--yes"]);
  agent = await stdioClient(home, { name: "an agent" });
});
after(async () => {
  await agent?.[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
  if (typeof web === "object") await web[Symbol.asyncDispose]();
});

async function call(name: string, given: Record<string, unknown>): Promise<any> {
  const done = await agent.callTool({ name, arguments: given });
  assert.notEqual(done.isError, true, `${name} ${JSON.stringify(given)}: ${JSON.stringify(done.content)}`);
  return done.structuredContent;
}

for (const service of services) {
  const { skill, runs } = service;
  test(`${skill} does what it says, for an agent`, async (t) => {
    if (typeof web === "string") return t.skip(web);
    const rows = [...(service.rows ?? []), ...(service.login === undefined ? [] : [service.login])];
    for (const { domain, account, type, value } of rows) await home.set(domain, account, type, value);
    const identity =
      service.login === undefined ? [] : ["--identity", `${service.login.domain}/${service.login.account}`];
    const allow = service.allow === undefined ? [] : ["--allow", service.allow];
    if (identity.length + allow.length > 0)
      await home.ok(["grants", "add", "--skill", skill, ...identity, ...allow, "--agent", "*"]);
    const run = async ({ tool, params, connection, check, entity, warns }: Service["runs"][number]) => {
      const given = {
        skill,
        tool,
        params: params ?? {},
        view: { detail: "full" },
        ...(connection === undefined ? {} : { connection }),
      };
      const { data, meta } = await call("run", given);
      check(data);
      const unexpected = (meta.warnings ?? []).filter((warning: string) => warns?.test(warning) !== true);
      assert.deepEqual(unexpected, [], `${skill}.${tool}`);
      if (entity === undefined) return;
      const [type, name] = entity;
      const listed = await call("list", { type, name });
      assert.equal(listed.entities[0]?.values.name, name, `${skill}.${tool} left no ${type}`);
    };
    for (const one of runs) await run(one);
    const report = (await home.run(["skills", "test", skill, "--json"])).json();
    const wrong = report.operations.filter(({ outcome }: { outcome: string }) => outcome === "failed");
    assert.deepEqual(wrong, [], "the skill's own tests");
    assert.ok(report.tested > 0);
    if (service.rotate !== undefined && runs[0] !== undefined) {
      const next = service.rotate();
      if (next !== undefined && service.login !== undefined)
        await home.set(service.login.domain, service.login.account, service.login.type, next);
      await run(runs[0]);
    }
    return undefined;
  });
}

test("exa logs in by a code from a mail, and the key it finds goes into the vault unseen", async (t) => {
  if (typeof web === "string") return t.skip(web);
  const run = async (tool: string, params: Record<string, unknown> = {}) =>
    (await call("run", { skill: "exa", tool, params })).data;
  await home.ok(["vault", "remove", "exa.ai", "me"]);
  await home.ok([
    "grants",
    "add",
    "--skill",
    "exa",
    "--identity",
    "exa.ai",
    "--every-account",
    "--agent",
    "*",
  ]);
  const email = "ann@example.org";
  assert.equal((await run("send_login_code", { email })).status, "code_sent");
  const wrong = await agent.callTool({
    name: "run",
    arguments: { skill: "exa", tool: "verify", params: { email, code: "000000" } },
  });
  assert.equal(wrong.isError, true);
  assert.equal((await run("verify", { email, code: "123456" })).status, "authenticated");
  assert.deepEqual(await run("get_api_key"), { status: "stored", identifier: email });
  assert.equal((await run("search", { query: "anything" })).length, 1);
  const accounts = JSON.stringify(await call("accounts", {}));
  assert.ok(accounts.includes(email) && !accounts.includes("canary-exa"));
  return undefined;
});

test("git, SQLite and browser history look into the files the owner named, and into no others", async (t) => {
  if (typeof web === "string") return t.skip(web);
  const files = localFiles(home.root);
  const run = async (skill: string, tool: string, params: Record<string, unknown>, connection?: string) =>
    agent.callTool({
      name: "run",
      arguments: {
        skill,
        tool,
        params,
        view: { detail: "full" },
        ...(connection === undefined ? {} : { connection }),
      },
    });
  const data = async (...given: Parameters<typeof run>) => {
    const done = await run(...given);
    assert.notEqual(done.isError, true, JSON.stringify(done.content));
    return (done.structuredContent as { data: any }).data;
  };
  const denied = await run("sqlite", "query", { file: files.database, sql: "SELECT 1" });
  assert.match(JSON.stringify(denied.content), /DENIED/);
  const allow = async (skill: string, what: string) =>
    home.ok(["grants", "add", "--skill", skill, "--allow", what, "--agent", "*"]);
  await allow("sqlite", `path:${files.database}`);
  await allow("git", `binary:git,path:${files.repository}`);
  await allow("browser-history", `path:${files.chromium},path:${files.firefox}`);

  const tables = await data("sqlite", "list_tables", { file: files.database });
  assert.deepEqual(tables[0].columns[0], { name: "id", type: "INTEGER", primary_key: true });
  const rows = { file: files.database, sql: "SELECT name FROM duck WHERE size < ?", values: [3] };
  assert.deepEqual(await data("sqlite", "query", rows), [{ name: "Teal" }]);
  const other = await run("sqlite", "query", { ...rows, file: join(home.home, "vault.db") });
  assert.match(JSON.stringify(other.content), /DENIED/);

  const path = files.repository;
  const status = await data("git", "status", { path });
  assert.equal(status.branch, "main");
  assert.deepEqual(status.files, [
    { path: "a.txt", state: ".M" },
    { path: "new file.txt", state: "untracked" },
  ]);
  const [commit] = await data("git", "log", { path, search: "FIRST" });
  assert.deepEqual([commit.name, commit.author], ["First step", "Ann"]);
  assert.deepEqual(await data("git", "search", { path, pattern: "du[ck]+" }), [
    { file: "a.txt", line: 2, text: "ducks" },
  ]);
  assert.deepEqual(await data("git", "search", { path, pattern: "nowhere" }), []);
  assert.equal((await data("git", "branches", { path }))[0].current, true);
  assert.match(await data("git", "show", { path, revision: "HEAD:a.txt" }), /ducks/);
  assert.match(await data("git", "diff", { path }), /\+geese/);

  const visits = await data("browser-history", "list_visits", { query: "duck" }, "chromium");
  assert.deepEqual([visits[0].url, visits[0].visited], ["https://ducks.example/", "2026-11-01T12:00:00Z"]);
  const fox = await data("browser-history", "list_visits", {}, "firefox");
  assert.equal(fox[0].name, "Foxes");
  assert.equal((await data("browser-history", "list_top_sites", {}, "chromium"))[0].text, "2 visits");
  return undefined;
});

test("ollama asks the server of this machine", async (t) => {
  if (typeof web === "string") return t.skip(web);
  await using server = await http1Server((request, response) => {
    const answers: Record<string, unknown> = {
      "/api/tags": {
        models: [
          {
            name: "llama3.2:3b",
            size: 2019393189,
            details: { parameter_size: "3.2B", quantization_level: "Q4_K_M" },
          },
        ],
      },
      "/api/generate": {
        response: "Quack",
        model: "llama3.2:3b",
        eval_count: 2,
        total_duration: 1_500_000_000,
      },
      "/api/show": {
        details: { parameter_size: "3.2B" },
        model_info: { "llama.context_length": 131072 },
        capabilities: ["completion"],
      },
    };
    response.end(JSON.stringify(answers[request.url ?? ""] ?? {}));
  });
  // The same skill at a port of this test's own: the real one may be taken by an Ollama.
  const yaml = readFileSync(join(import.meta.dirname, "../../skills/ollama/skill.yaml"), "utf8");
  writeSkill(join(home.home, "skills/ollama"), { "skill.yaml": yaml.replace(":11434", `:${server.port}`) });
  const run = async (tool: string, params: Record<string, unknown> = {}) =>
    (await call("run", { skill: "ollama", tool, params, view: { detail: "full" } })).data;
  assert.equal((await run("list_models"))[0].quantization, "Q4_K_M");
  assert.deepEqual(await run("generate", { model: "llama3.2:3b", prompt: "Say quack" }), {
    text: "Quack",
    model: "llama3.2:3b",
    tokens: 2,
    seconds: 1.5,
  });
  assert.equal((await run("get_model", { model: "llama3.2:3b" })).context_length, 131072);
  return undefined;
});

test("web_read goes to the skill whose address it is, and to the open web otherwise", async (t) => {
  if (typeof web === "string") return t.skip(web);
  const read = async (url: string) => (await call("web_read", { url })).data;
  assert.match(
    (await call("web_read", { url: "https://ducks.example/", skill: "web" })).data.content,
    /^# Ducks/,
  );
  assert.equal(
    (await read("https://ducks.example/")).content,
    "Write-ahead logging",
    "exa, whose login is there",
  );
  assert.match((await read("https://news.ycombinator.com/item?id=8863")).content, /brandon/);
  assert.match((await read("https://www.youtube.com/watch?v=jNQXAC9IVRw")).content, /All right/);
});

test("every bundled skill is valid", async (t) => {
  if (typeof web === "string") return t.skip(web);
  const { ok, skills } = (await home.ok(["skills", "validate", "--json"])).json();
  assert.ok(ok && skills.length >= 17);
  return undefined;
});
