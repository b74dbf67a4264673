import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { http1Server, type LoopbackServer } from "../../../test/support/http-servers.ts";
import { OWNER, TestRunner } from "../../../test/support/test-runner.ts";
import { createJail } from "../../platform/index.ts";
import { createRunner, HostPool } from "../index.ts";

const KEY = "canary-key-4b8d13f07ca9e26d";
let server: LoopbackServer;
let all: TestRunner;
let kept = "";
const noJail = () => (all.jail.level === "full" ? false : `there is no jail here: ${all.jail.reason ?? ""}`);

before(async () => {
  server = await http1Server((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      if (request.method === "PUT") kept = Buffer.concat(chunks).toString();
      const [, from, to] = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? "bytes=0-") ?? [];
      response.statusCode = request.headers.range === undefined ? 200 : 206;
      response.end(kept.slice(Number(from), to === "" ? undefined : Number(to) + 1));
    });
  });
  all = await TestRunner.open(["files.test"]);
  all.desk.store("files.test", "joe", "api_key", { key: KEY, extra: { token: `nested-${KEY}` } });
  all.skill("files", {
    "skill.yaml": `
id: files
name: Files
description: Keeps files
connections: { api: { base_url: "http://files.test:${server.port}", auth: { type: api_key, header: { x-key: .auth.key } } } }
operations:
  halves: { description: h, returns: { out: json }, typescript: { module: ./f.ts, function: halves } }
  show: { description: s, returns: { out: json }, effect: read, typescript: { module: ./f.ts, function: show } }
  plain: { description: p, returns: { n: integer }, effect: read, typescript: { module: ./f.ts, function: plain } }
`,
    "f.ts": `
export async function halves({ http, auth }) {
  await http.put("/f", { body: "x".repeat(1000) + auth.key });
  const part = async (range) => (await http.get("/f", { headers: { range } })).text();
  return { out: [await part("bytes=1000-1012"), await part("bytes=1013-"), await part("bytes=990-1015")] };
}
export async function show({ auth }) { return { out: auth }; }
export async function plain() { return { n: 1 }; }
`,
  });
});
after(async () => {
  await all[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

test("A key that was put into a file does not come back in halves", async (t) => {
  if (noJail()) return t.skip(String(noJail()));
  await all.grant("files", "files.test");
  const { data } = await all.run("files", "halves");
  assert.ok(kept.endsWith(KEY), "the service has it: that is what the grant is for");
  assert.deepEqual(data, { out: ["[redacted]", "[redacted]", `${"x".repeat(10)}[redacted]`] });
  return undefined;
});

test("Code that was shown a key cannot show what lies deep in it either", async (t) => {
  if (noJail()) return t.skip(String(noJail()));
  await all.grant("files", "files.test", { expose: true });
  const { data } = await all.run("files", "show");
  assert.ok(!JSON.stringify(data).includes(KEY.slice(0, 10)), JSON.stringify(data));
  return undefined;
});

test("Where there is no jail every answer of code says so", async () => {
  const jail = await createJail({ env: { PATH: "/nonexistent" } });
  await using pool = new HostPool({ jail, node: process.execPath, size: 0 });
  const executors = async () => ({ ...(await all.parts.executors()), jail });
  const runner = createRunner({ ...all.parts, hosts: async () => pool, executors });
  await all.grant("files", "files.test");
  const request = { skill: "files", operation: "plain", params: {}, caller: OWNER };
  const { data, meta } = await runner.run({ ...request, signal: AbortSignal.timeout(60_000) });
  assert.deepEqual([data, meta.isolation], [{ n: 1 }, "reduced"]);
});
