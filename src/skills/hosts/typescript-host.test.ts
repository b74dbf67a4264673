import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { hostPool, noFullJail, runSkill } from "../../../test/support/skill-host.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { DeputyError } from "../../kernel/index.ts";
import { stripSkillFiles } from "./skill-files.ts";

const skip = noFullJail;
const pool = hostPool({ size: 2 });
after(() => pool[Symbol.asyncDispose]());

const ts = (body: string) => ({
  "skill.ts": `import type { Run } from "deputize/skill";\nexport async function go(run: Run): Promise<unknown> {\n${body}\n}`,
});
const go = (body: string, changes = {}) => runSkill(pool, ts(body), "go", changes);

test("a function gets its run and its answer comes back", { skip }, async () => {
  const context = {
    skill: "exa",
    operation: "go",
    params: { a: 1 },
    auth: { key: "handle" },
    connection: { id: "api" },
    account: "ann",
  };
  const { value } = await go(
    "const { skill, operation, params, args, auth, connection, account } = run; return { skill, operation, params, args, auth, connection, account };",
    { context, args: { b: 2 } },
  );
  assert.deepEqual(value, { ...context, args: { b: 2 } });
});

test("returning nothing is null, and what JSON cannot hold is an error that says so", { skip }, async () => {
  assert.equal((await go("")).value, null);
  const { outcome } = await go("return { big: 10n };");
  assert.equal(outcome.kind, "threw");
  assert.match(outcome.kind === "threw" ? outcome.message : "", /BigInt/);
});

test("http sends what was asked for and reads the answer", { skip }, async () => {
  const { value, requests } = await go(`
    const { http } = run;
    const got = await http.get("/a?x=1#f", { query: { q: "a b", list: [1, 2], none: undefined }, headers: { "X-A": "1" } });
    const posted = await http.post("/p", { json: { n: 1 }, ...http.headers({ waf: "cf", extra: { "X-E": "e" } }), http2: false });
    const form = await http.put("/f", { form: { a: "1&2" } });
    const raw = await http.patch("/r", { body: new Uint8Array([0, 255]) });
    const parts = new FormData(); parts.set("file", new Blob(["x"]), "n.txt");
    await http.post("/m", { body: parts });
    await http.delete("/d"); await http.head("/h"); await http.request("options", "/o");
    const client = http.client({ headers: { "X-A": "client" }, jar: "none", timeoutMs: 5, skipCookies: ["k"], mode: "browser", redirect: "manual", cookies: "handle" });
    await client.get("/c", { headers: { "x-a": "own" } });
    return { status: got.status, ok: got.ok, url: got.url, header: got.headers.get("x-TWICE"), has: got.headers.has("no"),
      text: got.text(), json: got.json().method, bytes: got.bytes().length };
  `);
  assert.equal(value.status, 200);
  assert.equal(value.ok, true);
  assert.equal(value.header, "a, b");
  assert.equal(value.has, false);
  assert.equal(value.json, "GET");
  assert.equal(value.bytes, value.text.length);
  const [get, post, form, raw, multipart, , , options, client] = requests;
  assert.equal(get!.url, "/a?x=1&q=a+b&list=1&list=2#f");
  assert.deepEqual(get!.headers, [["X-A", "1"]]);
  assert.equal(Buffer.from(post!.body!).toString(), '{"n":1}');
  assert.deepEqual(post!.dress, { waf: "cf", extra: { "X-E": "e" } });
  assert.equal(post!.http2, false);
  assert.deepEqual(post!.headers, [["Content-Type", "application/json"]]);
  assert.equal(Buffer.from(form!.body!).toString(), "a=1%262");
  assert.deepEqual([...raw!.body!], [0, 255]);
  assert.match(multipart!.headers[0]![1], /^multipart\/form-data; boundary=/);
  assert.match(Buffer.from(multipart!.body!).toString(), /filename="n.txt"/);
  assert.equal(options!.method, "options");
  assert.deepEqual(client, {
    method: "GET",
    url: "/c",
    headers: [["x-a", "own"]],
    jar: "none",
    timeoutMs: 5,
    skipCookies: ["k"],
    mode: "browser",
    redirect: "manual",
    cookies: "handle",
  });
});

test("a body that is not UTF-8 arrives byte for byte", { skip }, async () => {
  const bytes = Buffer.from([0, 1, 254, 255]);
  const http = async () => ({
    status: 404,
    url: "https://x.test/",
    headers: [],
    body: bytes,
    cookies: { s: "handle" },
  });
  const { value } = await go(
    'const r = await run.http.get("/"); return { bytes: [...r.bytes()], ok: r.ok, cookies: r.cookies };',
    { serve: { http } },
  );
  assert.deepEqual(value, { bytes: [...bytes], ok: false, cookies: { s: "handle" } });
});

test("sql, shell, call, cache, data, secrets, log and progress are messages", { skip }, async () => {
  const keychain = async () => Buffer.from("kept");
  const { value, logs, progress, secrets } = await go(
    `
    await run.cache.set("k", { v: 1 }); await run.data.set("k", 2);
    await run.secrets.store({ domain: "x.test", identifier: "a", item_type: "api_key", value: { key: "k" } });
    run.log("one"); run.log.error("two"); run.progress("half"); run.progress({ current: 1, total: 2 });
    return [await run.sql.query("select ?", { db: "x.db", params: [1] }), await run.shell.run("git", ["log"], { input: "in" }),
      await run.call("other", { a: 1 }), await run.cache.get("k"), await run.data.get("k"), await run.cache.get("none"),
      Buffer.from(await run.keychain.read("s")).toString()];
  `,
    { serve: { keychain } },
  );
  assert.deepEqual(value, [
    [{ asked: "select ?", query: "select ?", db: "x.db", params: [1] }],
    { status: 0, stdout: "git log", stderr: "in" },
    { operation: "other", params: { a: 1 } },
    { v: 1 },
    2,
    null,
    "kept",
  ]);
  assert.deepEqual(logs, ["info one", "error two"]);
  assert.deepEqual(progress, [{ message: "half" }, { current: 1, total: 2 }]);
  assert.equal(secrets.length, 1);
});

test("what it prints are log lines, also what it printed last", { skip }, async () => {
  const { logs } = await go('console.log("a\\nb"); console.error("c"); process.stdout.write("d");');
  assert.deepEqual(logs.sort(), ["info a", "info b", "info d", "warn c"]);
});

test("an error keeps its message and shows the skill's own lines", { skip }, async () => {
  const files = {
    "skill.ts": `import { deep } from "./lib/deep.ts";\n\nexport function go(): never {\n  return deep();\n}`,
    "lib/deep.ts": `type None = never;\nexport function deep(): None {\n  throw new RangeError("SESSION_EXPIRED: signed out");\n}`,
  };
  const { outcome } = await runSkill(pool, files, "go");
  assert.deepEqual(outcome, {
    kind: "threw",
    name: "RangeError",
    message: "SESSION_EXPIRED: signed out",
    stack: "deep (lib/deep.ts:3:9)\ngo (skill.ts:4:10)",
  });
});

test("an error nobody caught, a rejected promise and a thrown text are outcomes too", { skip }, async () => {
  for (const body of [
    'setImmediate(() => { throw new Error("late"); }); await new Promise(() => setInterval(() => {}, 1000));',
    'void Promise.reject(new Error("late")); await new Promise(() => setInterval(() => {}, 1000));',
    'throw "late";',
  ]) {
    const { outcome } = await go(body);
    assert.equal(outcome.kind === "threw" && outcome.message, "late", JSON.stringify(outcome));
  }
});

test("a syntax error names the file and the line", { skip }, async () => {
  const { outcome } = await runSkill(
    pool,
    {
      "skill.ts": 'import "./broken.js";\nexport const go = () => 1;',
      "broken.js": "const a = 1;\nconst a = 2;",
    },
    "go",
  );
  assert.equal(outcome.kind, "threw");
  assert.match(outcome.kind === "threw" ? `${outcome.stack}` : "", /broken\.js:2/);
});

test("what a service refuses reaches the code with its code, what fails inside Deputy does not", {
  skip,
}, async () => {
  const refused = await go('await run.http.get("/");', {
    serve: {
      http: () => Promise.reject(new DeputyError("DENIED", "Not that host", { hint: "Ask the owner." })),
    },
  });
  assert.deepEqual(refused.outcome.kind === "threw" && { ...refused.outcome, stack: undefined }, {
    kind: "threw",
    name: "DeputyError",
    message: "Not that host",
    code: "DENIED",
    stack: undefined,
  });
  const broken = await go("try { await run.sql.query('x'); } catch (error) { return error.message; }", {
    serve: { sql: () => Promise.reject(new Error("secret detail of /home/ann")) },
  });
  assert.equal(broken.value, "sql failed inside Deputy");
});

test("packages in the skill's folder work, in both module systems", { skip }, async () => {
  const { value } = await runSkill(
    pool,
    {
      "skill.ts": `import { readFileSync } from "node:fs";\nimport old from "old";\nimport { neu } from "@scope/neu";\nimport { type Run } from "deputize/skill";
        export const go = (run: Run) => [old.name, neu, JSON.parse(readFileSync(new URL("./data.json", import.meta.url), "utf8")).x, run.skill];`,
      "data.json": '{"x":1}',
      "node_modules/old/package.json": '{"name":"old","main":"./main.js"}',
      "node_modules/old/main.js":
        'const path = require("node:path"); module.exports = { name: path.basename(__filename) };',
      "node_modules/@scope/neu/package.json": '{"name":"@scope/neu","type":"module","exports":"./index.js"}',
      "node_modules/@scope/neu/index.js": "export const neu = 2;",
    },
    "go",
  );
  assert.deepEqual(value, ["main.js", 2, 1, "test"]);
});

test("a hundred requests at once wait for their turn and all come back", { skip }, async () => {
  let open = 0;
  let most = 0;
  const http = async () => {
    most = Math.max(most, ++open);
    await new Promise((done) => setTimeout(done, 1));
    open--;
    return { status: 200, url: "https://x.test/", headers: [], body: new Uint8Array() };
  };
  const { value } = await go(
    "return (await Promise.all(Array.from({ length: 100 }, (_, i) => run.http.get(`/${i}`)))).length;",
    { serve: { http }, limits: { openRequests: 8 } },
  );
  assert.equal(value, 100);
  assert.equal(most, 8);
});

test("granted paths can be read and nothing beside them", { skip }, async () => {
  using folder = temporaryFolder("granted");
  writeFileSync(join(folder.path, "cache.json"), "granted");
  writeFileSync(join(folder.path, "other.json"), "not granted");
  const body = `const { readFileSync } = await import("node:fs");
    let other; try { other = readFileSync(run.params.other, "utf8"); } catch (error) { other = error.code; }
    return [readFileSync(run.params.path, "utf8"), other];`;
  const path = join(folder.path, "cache.json");
  const { value } = await go(body, {
    paths: [path],
    context: { params: { path, other: join(folder.path, "other.json") } },
  });
  assert.equal(value[0], "granted");
  assert.match(value[1], /ERR_ACCESS_DENIED|ENOENT/);
});

test("a cancelled run ends at once, and so do the requests it had under way", { skip }, async () => {
  const caller = new AbortController();
  const asked = Promise.withResolvers<AbortSignal>();
  const ended = go('await run.http.get("/");', {
    signal: caller.signal,
    serve: {
      http: (_: unknown, signal: AbortSignal) => {
        asked.resolve(signal);
        return new Promise(() => {});
      },
    },
  });
  const signal = await asked.promise;
  caller.abort();
  assert.deepEqual((await ended).outcome, {
    kind: "stopped",
    why: "cancelled",
    detail: "The run was cancelled",
  });
  assert.ok(signal.aborted);
});

test("a run keeps nothing for the next one", { skip }, async () => {
  const body = "globalThis.left = (globalThis.left ?? 0) + 1; return globalThis.left;";
  for (let round = 0; round < 3; round++) assert.equal((await go(body)).value, 1);
});

test("fifty runs at once each get their own answer", { skip }, async (t) => {
  const start = performance.now();
  const body = "return [run.params.n, (await run.http.get(`/${run.params.n}`)).json().url];";
  const runs = Array.from({ length: 50 }, (_, n) => go(body, { context: { params: { n } } }));
  for (const [n, { value, requests }] of (await Promise.all(runs)).entries()) {
    assert.deepEqual(value, [n, `/${n}`]);
    assert.equal(requests.length, 1);
  }
  t.diagnostic(`${(performance.now() - start).toFixed(0)} ms`);
});

test("a missing module, function or erasable type is said in words", { skip }, async () => {
  await assert.rejects(
    runSkill(pool, { "skill.ts": "" }, "go", { module: "./none.ts" }),
    /The skill has no file \.\/none\.ts/,
  );
  const { outcome } = await runSkill(pool, { "skill.ts": "export const other = 1;" }, "go");
  assert.equal(outcome.kind === "threw" && outcome.message, "skill.ts exports no function named go");
  const written = new Map([["a.ts", new Uint8Array(Buffer.from("enum A { b }"))]]);
  assert.throws(() => stripSkillFiles(written), /Cannot read a\.ts/);
  assert.throws(() => stripSkillFiles(new Map([["../a.ts", new Uint8Array()]])), /file name/);
});

test("a pool that is disposed ends its runs, also those still waiting for a host", { skip }, async () => {
  const own = hostPool({ size: 1 });
  const asked = Promise.withResolvers<void>();
  const call = () => {
    asked.resolve();
    return new Promise<never>(() => {});
  };
  const running = runSkill(own, ts('await run.call("x");'), "go", { serve: { call } });
  await asked.promise;
  const late = runSkill(own, ts("return 1;"), "go", { limits: { memoryBytes: 2 ** 30 } });
  await Promise.all([
    own[Symbol.asyncDispose](),
    assert.rejects(late, { code: "CANCELLED" }),
    running.then(({ outcome }) => assert.equal(outcome.kind === "stopped" && outcome.why, "cancelled")),
  ]);
  await assert.rejects(runSkill(own, ts("return 1;"), "go"), { code: "CANCELLED" });
});

test("a fault of the engine's own service is the engine's error, not the skill's", { skip }, async () => {
  const log = () => {
    throw new TypeError("a bug of ours");
  };
  await assert.rejects(go('run.log("x"); await run.call("y");', { serve: { log } }), /a bug of ours/);
  await assert.rejects(go('console.log("x"); await run.call("y");', { serve: { log } }), /a bug of ours/);
});

test("blank hosts nobody needs are given up, and come back with the next run", { skip }, async () => {
  using folder = temporaryFolder("hosts");
  await using own = hostPool({ size: 1, folder: folder.path, idleMs: 20 });
  const hosts = () =>
    readdirSync(folder.path, { recursive: true, encoding: "utf8" }).filter((name) => /host-\d+$/.test(name));
  await own.warm("typescript");
  for (let tries = 0; hosts().length > 0 && tries < 500; tries++)
    await new Promise((done) => setTimeout(done, 10));
  assert.deepEqual(hosts(), []);
  assert.equal((await runSkill(own, ts("return 1;"), "go")).value, 1);
});

test("a pool leaves no file behind", { skip }, async () => {
  using folder = temporaryFolder("hosts");
  {
    await using own = hostPool({ size: 1, folder: folder.path });
    await runSkill(own, ts("return 1;"), "go");
    assert.equal(readdirSync(folder.path).length, 1);
  }
  assert.deepEqual(readdirSync(folder.path), []);
});
