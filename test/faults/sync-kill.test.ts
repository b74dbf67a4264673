/** A sink that is killed at any moment: what it acknowledged is never taken again, and the next push completes. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineClient } from "../../src/engine/index.ts";
import { homePaths } from "../../src/platform/index.ts";
import { readSidecar } from "../../src/surfaces/sidecar-reader.ts";
import { TestHome } from "../support/deputy.ts";
import { allottedMs, did, Rounds, seed, seededRandom } from "../support/fault-form.ts";
import { http1Server } from "../support/http-servers.ts";
import { RunningDeputy } from "../support/running-deputy.ts";

const COOKIES = 200;

const valueOf = (round: number, i: number) => `canary-${round}-${i}-`.padEnd(500, "x");
const login = (round: number) => ({
  cookies: Array.from({ length: COOKIES }, (_, i) => ({
    name: `c${i}`,
    value: valueOf(round, i),
    domain: "shop.test",
    expires: Date.now() + 3_600_000,
  })),
});

/** Which push the sidecar holds; undefined before the first. A part of one would be neither. */
async function roundIn(sidecar: string): Promise<number | undefined> {
  const cookies = await readSidecar({ path: sidecar });
  if (cookies.length === 0) return undefined;
  const round = Number(/^canary-(\d+)-/.exec(cookies[0]?.value ?? "")?.[1]);
  const expected = Array.from({ length: COOKIES }, (_, i) => valueOf(round, i)).sort();
  assert.deepEqual(cookies.map(({ value }) => value).sort(), expected);
  return round;
}

test("a sink killed at random points is whole each time, and holds what the source has after the next push", {
  timeout: 3_600_000 + allottedMs,
}, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = seededRandom(seed);
  await using laptop = new TestHome();
  await using server = new TestHome();
  mkdirSync(server.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(server.home, "config.yaml"), "surfaces: {sidecar: {enabled: true}}\n");
  for (const home of [laptop, server]) await home.ok(["setup", "--key", "file", "--json"]);
  const address = await (async () => {
    await using free = await http1Server((_, response) => void response.end());
    return `127.0.0.1:${free.port}`;
  })();
  {
    await using waiting = new RunningDeputy(server, ["pair", "--as", "sink", "--listen", address]);
    const [, code = ""] = await waiting.says(/(\d{4}-\d{4})/);
    await laptop.ok(["pair", "--as", "source", "--peer", address, "--name", "laptop"], { input: code });
    await waiting.ended;
  }
  using source = await EngineClient.connect(homePaths({ DEPUTY_HOME: laptop.home }).socket, "cli");
  assert.ok(source);
  const push = async () => (await source.call("sync.push", { watch: false }))[0];
  const sidecar = join(server.home, "surfaces", "cookies-plain.db");
  const startSink = async () => {
    const sink = new RunningDeputy(server, ["sink", "--listen", address]);
    await sink.says(/Listening at/);
    return sink;
  };

  /** How long a push takes that nobody disturbs. */
  let longest = 0;
  let [reached, cut, last] = [0, 0, 0];
  let [isCut, isRepeated] = [false, false];
  const kills = new Rounds({ short: 4, long: 200 });
  for (const round of kills) {
    // What was cut short is pushed again as it was, and if that is cut short too, after the login became another.
    isRepeated = isCut && !isRepeated;
    if (!isRepeated) {
      last = round;
      await laptop.set("shop.test", "joe", "cookies", login(last));
    }
    await using sink = await startSink();
    const engine = (await server.enginePid()) ?? 0;
    const began = Date.now();
    const pushing = push();
    if (longest === 0) await pushing;
    else await Promise.race([sleep(random() * 1.5 * longest), pushing]);
    longest = Math.max(longest, 20);
    process.kill(engine, "SIGKILL");
    const pushed = await pushing;
    assert.ok(["NETWORK_FAILED", undefined].includes(pushed?.error?.code), JSON.stringify(pushed?.error));
    await sink.ended;
    const found = await roundIn(sidecar);
    assert.ok(found === undefined || found <= last);
    isCut = pushed?.error !== undefined;
    if (isCut) cut++;
    else {
      reached++;
      longest = Math.min(1_000, Date.now() - began);
      assert.equal(found, last, "what was acknowledged is there");
    }
  }
  assert.ok(cut > 0 || kills.count < 20, "no push was ever cut short");

  if (!isCut) {
    last = kills.count;
    await laptop.set("shop.test", "joe", "cookies", login(last));
  }
  await using _sink = await startSink();
  const pushed = await push();
  assert.deepEqual([pushed?.error, pushed?.refused], [undefined, []]);
  assert.equal(await roundIn(sidecar), last);
  assert.deepEqual((await server.ok(["vault", "verify", "--json"])).json().bad, []);
  assert.equal((await push())?.stored, 0, "and what was taken is not taken again");
  did(t, { kills: kills.count, "pushes cut short": cut, "pushes through": reached }, { lost: 0, halved: 0 });
});
