/** Many agents at once on one engine: no answer is lost or another's, and an engine that is killed under them is replaced. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import { EngineClient } from "../../src/engine/index.ts";
import { did, longForm, Rounds } from "../support/fault-form.ts";
import { HttpServing, stdioClient, textOf } from "../support/mcp/mcp-clients.ts";
import { McpShop } from "../support/mcp/mcp-shop.ts";

const CLIENTS = longForm ? 10 : 4;
const AT_ONCE = 5;
const BETWEEN_MS = longForm ? 5000 : 1000;

let shop: McpShop;
let http: HttpServing;
const clients: (Client & AsyncDisposable)[] = [];

before(async () => {
  shop = await McpShop.open();
  await shop.login();
  http = await HttpServing.start(shop.home);
  await shop.allow("*");
  const connecting = Array.from({ length: CLIENTS }, async (_, at) => {
    const spec = { name: `agent-${at}`, modern: at % 4 >= 2 };
    return at % 2 === 0 ? stdioClient(shop.home, spec) : http.client(spec);
  });
  clients.push(...(await Promise.all(connecting)));
});
after(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await http[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

async function run(client: Client, tool: string, word: string) {
  return client.callTool(
    { name: "run", arguments: { skill: "shop", tool, params: { word } } },
    { timeout: 120_000 },
  );
}

/** Of the engine that runs, or the next one to. */
async function enginePid(): Promise<number> {
  const until = Date.now() + 60_000;
  while (Date.now() < until) {
    const path = join(shop.home.home, "run", "engine.sock");
    using engine = await EngineClient.connect(path, "cli").catch(() => undefined);
    if (engine !== undefined) return engine.engine.pid;
    await sleep(20);
  }
  throw new Error("no engine was started");
}

test(`${CLIENTS} clients call at once: every answer is its own call's`, async (t) => {
  const calls = new Rounds({ short: CLIENTS * 50, long: CLIENTS * 1000, share: 1 / 2 });
  const lanes = clients.flatMap((client) =>
    Array.from({ length: AT_ONCE }, async () => {
      for (const at of calls) {
        const word = `c${at}`;
        const { structuredContent } = await run(client, "echo", word);
        assert.deepEqual((structuredContent as { data: unknown }).data, { path: `/echo?word=${word}` });
      }
    }),
  );
  await Promise.all(lanes);
  const echoed = shop.paths.filter((path) => path.startsWith("/echo"));
  assert.equal(echoed.length, calls.count);
  assert.equal(new Set(echoed).size, calls.count);
  did(t, { calls: calls.count }, { "answers of another": 0, unanswered: 0 });
});

test("an engine killed again and again: reads are answered, what was acknowledged was done, nothing is done twice", async (t) => {
  const over = new AbortController();
  const acknowledged: string[] = [];
  const unsure: string[] = [];
  const written: string[] = [];
  /** Those that have not been answered since the last kill. */
  const recovering = new Set<number>();
  const working = clients.map(async (client, who) => {
    for (let at = 0; !over.signal.aborted; at++) {
      const word = `k${who}n${at}`;
      const read = await run(client, "echo", word);
      assert.notEqual(read.isError, true, `a read is asked again: ${textOf(read)}`);
      recovering.delete(who);
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
  const kills = new Rounds({ short: 2, long: 12, share: 1 / 2 });
  for (const _ of kills) {
    await sleep(BETWEEN_MS);
    // On a busy machine an engine may take longer than that to start: each must have served everybody.
    while (recovering.size > 0) await Promise.race([sleep(20), ...working]);
    const pid = await enginePid();
    pids.add(pid);
    process.kill(pid, "SIGKILL");
    for (const who of clients.keys()) recovering.add(who);
  }
  await sleep(BETWEEN_MS);
  over.abort();
  await Promise.all(working);
  assert.equal(pids.size, kills.count, "every engine was replaced");
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
  for (const client of clients) assert.notEqual((await run(client, "echo", "after")).isError, true);
  did(
    t,
    { kills: kills.count, bought: acknowledged.length, "not known": unsure.length, written: written.length },
    { lost: 0, "done twice": 0 },
  );
});
