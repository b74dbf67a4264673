/** Ten agents at once on one engine: no answer is lost or another's, and an engine that is killed under them is replaced. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import { longForm } from "../support/fault-form.ts";
import { HttpServing, stdioClient, textOf } from "../support/mcp/mcp-clients.ts";
import { McpShop } from "../support/mcp/mcp-shop.ts";

const CLIENTS = 10;
const CALLS = longForm ? 1000 : 30;
const AT_ONCE = 5;
const KILLS = longForm ? 12 : 3;
const BETWEEN_MS = longForm ? 5000 : 2000;

let shop: McpShop;
let http: HttpServing;
const clients: (Client & AsyncDisposable)[] = [];

before(async () => {
  shop = await McpShop.open();
  await shop.login();
  http = await HttpServing.start(shop.home);
  await shop.allow("http-client");
  for (let at = 0; at < CLIENTS; at++) {
    const name = `agent-${at}`;
    const modern = at % 4 >= 2;
    if (at % 2 === 0) await shop.allow(name);
    clients.push(
      at % 2 === 0 ? await stdioClient(shop.home, { name, modern }) : await http.client({ name, modern }),
    );
  }
});
after(async () => {
  for (const client of clients) await client.close();
  await http[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

async function run(client: Client, tool: string, word: string) {
  return client.callTool(
    { name: "run", arguments: { skill: "shop", tool, params: { word } } },
    { timeout: 120_000 },
  );
}

test(`${CLIENTS} clients call ${CALLS} times each: every answer is its own call's`, async () => {
  const lanes = clients.flatMap((client, who) =>
    Array.from({ length: AT_ONCE }, async (_, lane) => {
      for (let at = lane; at < CALLS; at += AT_ONCE) {
        const word = `c${who}n${at}`;
        const { structuredContent } = await run(client, "echo", word);
        assert.deepEqual((structuredContent as { data: unknown }).data, { path: `/echo?word=${word}` });
      }
    }),
  );
  await Promise.all(lanes);
  const echoed = shop.paths.filter((path) => path.startsWith("/echo"));
  assert.equal(echoed.length, CLIENTS * CALLS);
  assert.equal(new Set(echoed).size, CLIENTS * CALLS);
});

test("an engine killed again and again: reads are answered, what was acknowledged was done, nothing is done twice", async (t) => {
  const over = new AbortController();
  const acknowledged: string[] = [];
  const unsure: string[] = [];
  const written: string[] = [];
  const working = clients.map(async (client, who) => {
    for (let at = 0; !over.signal.aborted; at++) {
      const word = `k${who}n${at}`;
      const read = await run(client, "echo", word);
      assert.notEqual(read.isError, true, `a read is asked again: ${textOf(read)}`);
      const bought = await run(client, "buy", word);
      if (bought.isError !== true) acknowledged.push(word);
      else {
        assert.match(textOf(bought), /may or may not have been done[\s\S]*\(code: ENGINE_UNREACHABLE\)/);
        unsure.push(word);
      }
      const kept = await client.callTool(
        { name: "create", arguments: { type: "task", name: word } },
        { timeout: 120_000 },
      );
      if (kept.isError !== true)
        written.push((kept.structuredContent as { entity: { id: string } }).entity.id);
    }
  });
  const pids = new Set<number>();
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(BETWEEN_MS);
    const pid = await shop.home.enginePid();
    if (pid === undefined) continue;
    pids.add(pid);
    process.kill(pid, "SIGKILL");
  }
  await sleep(BETWEEN_MS);
  over.abort();
  await Promise.all(working);
  assert.ok(pids.size >= Math.min(2, KILLS), "engines were replaced");
  const bought = shop.paths.filter((path) => path.startsWith("/buy")).map((path) => path.slice(10));
  assert.equal(new Set(bought).size, bought.length, "nothing was done twice");
  assert.deepEqual(
    acknowledged.filter((word) => !bought.includes(word)),
    [],
    "what was said to be done was done",
  );
  assert.ok(acknowledged.length > 0 && written.length > 0);
  for (const id of written) {
    const found = await clients[0]!.callTool({ name: "get", arguments: { id } });
    assert.notEqual(found.isError, true, `a write that was acknowledged is there: ${textOf(found)}`);
  }
  const { checks } = (await shop.home.run(["doctor", "--json"])).json() as {
    checks: { id: string; status: string }[];
  };
  assert.deepEqual(
    checks.filter(({ id, status }) => id.includes("log") && status === "fail"),
    [],
  );
  t.diagnostic(
    `${pids.size} engines; ${acknowledged.length} done, ${unsure.length} unsure, ${written.length} written`,
  );
  for (const client of clients) assert.notEqual((await run(client, "echo", "after")).isError, true);
});
