/** The engine is killed while agents call: no acknowledged call is missing from the log, and its chain holds. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineClient } from "../../src/engine/index.ts";
import { TestHome } from "../support/deputy.ts";
import { did, longForm, Rounds, seed, seededRandom } from "../support/fault-form.ts";
import { http1Server } from "../support/http-servers.ts";

const CLIENTS = 4;
const AT_ONCE = 4;

test("after every kill each acknowledged call is in the log, and doctor finds it whole", async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = seededRandom(seed);
  await using server = await http1Server((_request, response) => response.end("{}"));
  await using home = new TestHome();
  await home.ok(["setup", "--key", "file", "--yes"]);
  const folder = join(home.home, "skills", "ping");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "skill.yaml"),
    `
id: ping
name: Ping
description: Nobody's
connections: { api: { base_url: "http://127.0.0.1:${server.port}" } }
operations: { ping: { description: Ping, returns: { ok: boolean }, rest: { url: /, response: { transform: "{ok: true}" } } } }
`,
  );
  const socket = join(home.home, "run", "engine.sock");
  const acknowledged = new Map<string, number>();

  const callUntilKilled = async (agent: string) => {
    using client = (await EngineClient.connect(socket, "mcp", { name: agent }))!;
    const input = { skill: "ping", operation: "ping", params: {}, detail: "full", format: "json" } as const;
    const caller = async () => {
      for (;;) {
        try {
          await client.call("run", input);
        } catch (error) {
          assert.equal((error as { code?: string }).code, "ENGINE_UNREACHABLE", String(error));
          return;
        }
        acknowledged.set(agent, (acknowledged.get(agent) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
  };

  const count = (round: number) =>
    Array.from({ length: CLIENTS }, (_, i) => acknowledged.get(`agent-${round}-${i}`) ?? 0).reduce(
      (a, b) => a + b,
    );

  const kills = new Rounds({ short: 2, long: 60 });
  for (const round of kills) {
    const pid = (await home.ok(["engine", "start", "--json"])).json().pid as number;
    const calling = Array.from({ length: CLIENTS }, (_, i) => callUntilKilled(`agent-${round}-${i}`));
    const enough = Math.floor(1 + random() * (longForm ? 200 : 60));
    for (let waited = 0; waited < 60_000 && count(round) < enough; waited += 5) await sleep(5);
    process.kill(pid, "SIGKILL");
    await Promise.all(calling);

    const { checks } = (await home.run(["doctor", "--json"])).json();
    const check = checks.find(({ id }: { id: string }) => id === "log");
    assert.equal(check.status, "ok", JSON.stringify(check));
    using owner = (await EngineClient.connect(socket, "cli"))!;
    for (let i = 0; i < CLIENTS; i++) {
      const agent = `agent-${round}-${i}`;
      const rows = (await owner.call("log.read", { agent, limit: 100_000 })).length;
      const known = acknowledged.get(agent) ?? 0;
      assert.ok(rows >= known && rows <= known + AT_ONCE, `${agent}: ${rows} rows of ${known} acknowledged`);
    }
  }
  const total = [...acknowledged.values()].reduce((sum, one) => sum + one, 0);
  assert.ok(total >= kills.count, "there were calls to lose");
  did(t, { kills: kills.count, "calls acknowledged": total }, { missing: 0 });
});
