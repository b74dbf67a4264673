/** A sink that is killed at any moment: what it acknowledged is never taken again, and the next push completes. */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { mkdirSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { TestHome } from "../support/deputy.ts";
import { longForm } from "../support/fault-form.ts";
import { http1Server } from "../support/http-servers.ts";
import { RunningDeputy } from "../support/running-deputy.ts";

const KILLS = longForm ? 200 : 2;

test(`a sink killed at ${KILLS} random points holds, after the next push, what the source has`, async () => {
  await using laptop = new TestHome();
  await using server = new TestHome();
  for (const home of [laptop, server]) {
    mkdirSync(home.home, { recursive: true, mode: 0o700 });
    await home.ok(["setup", "--key", "file", "--json"]);
  }
  const address = await (async () => {
    await using free = await http1Server((_, response) => void response.end());
    return `127.0.0.1:${free.port}`;
  })();
  await using waiting = new RunningDeputy(server, [
    "pair",
    "--as",
    "sink",
    "--listen",
    address,
    "--name",
    "server",
  ]);
  const [, code = ""] = await waiting.says(/(\d{4}-\d{4})/);
  await laptop.ok(["pair", "--as", "source", "--peer", address, "--name", "laptop"], { input: code });
  await waiting.ended;

  const value = (round: number, i: number) => `canary-${round}-${i}-`.padEnd(500, "x");
  const login = (round: number) => ({
    cookies: Array.from({ length: 200 }, (_, i) => ({
      name: `c${i}`,
      value: value(round, i),
      domain: "shop.test",
    })),
  });
  let round = 0;
  for (; round < KILLS; round++) {
    await laptop.set("shop.test", "joe", "cookies", login(round));
    await using sink = new RunningDeputy(server, ["sink", "--listen", address]);
    await sink.says(/Listening at/);
    const engine = await server.enginePid();
    const pushing = laptop.run(["source", "--once", "--json"]);
    await sleep(randomInt(600));
    if (engine !== undefined) process.kill(engine, "SIGKILL");
    const pushed = (await pushing).json();
    assert.ok(["NETWORK_FAILED", undefined].includes(pushed.peers?.[0]?.error?.code), JSON.stringify(pushed));
    await sink.ended;
  }
  await laptop.set("shop.test", "joe", "cookies", login(round));
  await using sink = new RunningDeputy(server, ["sink", "--listen", address]);
  await sink.says(/Listening at/);
  const last = (await laptop.ok(["source", "--once", "--json"])).json().peers[0];
  assert.deepEqual(last.refused, []);
  const verified = (await server.ok(["vault", "verify", "--json"])).json();
  assert.deepEqual(verified.bad, []);
  const held = (
    await server.ok(["cookies", "--domain", "shop.test", "--account", "joe", "--format", "json"])
  ).json();
  assert.deepEqual(
    held.map((cookie: { value: string }) => cookie.value).sort(),
    login(round)
      .cookies.map((cookie) => cookie.value)
      .sort(),
  );
  const [peer] = (await server.ok(["peers", "list", "--json"])).json();
  assert.equal(peer.name, "laptop");
});
