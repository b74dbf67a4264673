/** A sink under many requests at once, and under those nobody should send: all are answered, none does harm. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync } from "node:zlib";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createSidecarSurface } from "../../src/surfaces/index.ts";
import { createSink } from "../../src/sync/index.ts";
import { sealEnvelope } from "../../src/sync/envelope.ts";
import { createKeys } from "../../src/sync/introduction.ts";
import { keyId, type Peer } from "../../src/sync/peer.ts";
import { proofHeaders } from "../../src/sync/request-proof.ts";
import { allottedMs, did, Rounds, seed, seededRandom } from "../support/fault-form.ts";
import { createCookieOf } from "../support/sync-cookie.ts";
import { SyncMachines } from "../support/sync-machines.ts";

const AT_ONCE = 24;
const COOKIES = 40;
const clock = { now: () => Date.now() };
const next = () => randomBytes(12).toString("base64url");

function message(more: object = {}, value = "canary-of-a-flood"): Buffer {
  const changes = Array.from({ length: COOKIES }, (_, i) => ({
    kind: "set",
    cookie: createCookieOf({ domain: "shop.test", name: `c${i}`, value }),
  }));
  const logins = [{ domain: "shop.test", identifier: "joe", changes }];
  return Buffer.from(JSON.stringify({ v: 1, base: null, next: next(), logins, rows: [], ...more }));
}

/** As any program reads it: whole, and every cookie of the same push. Undefined before the first. */
function readWhole(path: string): string | undefined {
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    assert.equal(db.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
    const values = db
      .prepare("SELECT value FROM cookies")
      .all()
      .map((row) => String(row["value"]));
    assert.equal(values.length, COOKIES);
    assert.equal(new Set(values).size, 1, "one push's cookies, not two's");
    return values[0];
  } catch (error) {
    if (error instanceof Error && /unable to open/.test(error.message)) return undefined;
    throw error;
  }
}

test(`${AT_ONCE} syncs at once, again and again: each is answered by 200 or 409, and the sidecar is always whole`, {
  timeout: 600_000 + allottedMs,
}, async (t) => {
  await using machines = await SyncMachines.open();
  const path = join(machines.folder, "cookies-plain.db");
  const surface = createSidecarSurface({ path, clock });
  machines.server.sink = createSink({
    ...machines.sinkParts(),
    deliver: async () => {
      const login = machines.sinkLogins.find({ domain: "shop.test", identifier: "joe" });
      return [await surface.deliver(login?.cookies ?? [], [])];
    },
  });
  const done = new AbortController();
  let reads = 0;
  const reading = (async () => {
    while (!done.signal.aborted) {
      if (readWhole(path) !== undefined) reads++;
      await sleep(5);
    }
  })();
  const url = `${machines.server.url}/sync`;
  const send = async (sequence: number) => {
    const envelope = await sealEnvelope(machines.sink, sequence, message({}, `push-${sequence}`));
    const headers = proofHeaders(machines.sink, sequence, envelope);
    const answer = await fetch(url, { method: "POST", headers, body: new Uint8Array(envelope) });
    await answer.arrayBuffer();
    return answer.status;
  };
  let taken = 0;
  const rounds = new Rounds({ short: 4, long: 50, share: 1 / 3 });
  for (const round of rounds) {
    // Each sequence twice, in no order.
    const sequences = Array.from(
      { length: AT_ONCE },
      (_, i) => round * (AT_ONCE / 2) + Math.floor(i / 2) + 1,
    );
    const statuses = await Promise.all(sequences.map(send));
    assert.deepEqual(
      statuses.filter((status) => status !== 200 && status !== 409),
      [],
    );
    taken += statuses.filter((status) => status === 200).length;
  }
  done.abort();
  await reading;
  const syncs = rounds.count * AT_ONCE;
  assert.ok(taken >= rounds.count && taken <= syncs / 2, "each sequence was taken once at most");
  const { sequence } = machines.sinkPeers.received(machines.source.id);
  assert.equal(readWhole(path), `push-${sequence}`, "the last that was taken is the one that is there");
  did(t, { "syncs at once": syncs, taken, "reads beside": reads }, { "torn reads": 0 });
});

async function offer(machines: SyncMachines, headers: Record<string, string>, body: Buffer): Promise<number> {
  const { sink } = machines.server;
  assert.ok(sink);
  if (body.length > sink.largestBody) return 413;
  const admitted = await sink.admit(headers, body.length);
  return admitted === undefined ? 401 : (await sink.take(admitted, body)).status;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What is held after all the garbage a run makes has been let go. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

test("No mutated envelope is taken", { timeout: 600_000 + allottedMs }, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = seededRandom(seed);
  const upTo = (n: number) => Math.floor(random() * n);
  await using machines = await SyncMachines.open();
  const envelope = await sealEnvelope(machines.sink, 1, message());
  const honest = proofHeaders(machines.sink, 1, envelope);
  const statuses = new Set<number>();
  const mutated = new Rounds({ short: 1_500, long: 10_000, share: 1 / 3 });
  for (const i of mutated) {
    let body = Buffer.from(envelope);
    const kind = i % 4;
    if (kind === 0)
      for (let flips = 1 + upTo(8); flips > 0; flips--) body[upTo(body.length)]! ^= 1 << upTo(8);
    if (kind === 1) body = body.subarray(0, upTo(body.length));
    if (kind === 2) body = Buffer.concat([body, randomBytes(1 + upTo(64))]);
    if (kind === 3) body.copyWithin(upTo(body.length), upTo(body.length), upTo(body.length));
    if (body.equals(envelope)) continue;
    // Half are sent by somebody who can make the headers fit.
    const headers = i % 8 < 4 ? proofHeaders(machines.sink, 1, body) : honest;
    statuses.add(await offer(machines, headers, body));
  }
  assert.deepEqual(
    [...statuses].sort((a, b) => a - b),
    [400, 401],
  );
  assert.deepEqual(machines.received, []);
  assert.equal(await offer(machines, honest, envelope), 200);
  did(t, { "mutated envelopes": mutated.count }, { taken: 0 });
});

const DEEP = Buffer.from("[".repeat(50_000) + "]".repeat(50_000));
const BOMB = brotliCompressSync(Buffer.alloc(1_000_000));
const CROWD = message({ logins: Array.from({ length: 100_001 }, () => 0) });
/** What a peer's thief, or a peer gone bad, might seal. Each is a body, or what to put in place of an honest message. */
const BAD_MESSAGES: readonly ((n: number) => Buffer)[] = [
  (n) => randomBytes(1 + ((n * 997) % 4_096)),
  () => DEEP,
  () => BOMB,
  () => Buffer.from(`{"v":1,"__proto__":{"base":null}}`),
  (n) => message({ logins: [{ domain: `../../${n}/etc/passwd`, identifier: "joe", changes: [] }] }),
  (n) => message({ logins: [{ domain: "shop.test", identifier: `../${n}`, changes: [], path: "/etc" }] }),
  () => message({ logins: [{ domain: "@deputy", identifier: "owner", changes: [] }] }),
  () => message({ rows: [{ domain: "@deputy", identifier: "owner", type: "peers", value: "{}" }] }),
  () => message({ rows: [{ domain: "shop.test", identifier: "joe", type: "../../x", value: "{}" }] }),
  () => message({ logins: [{ domain: "shop.test", identifier: "a\nLD_PRELOAD=/x", changes: [] }] }),
  () => message({ next: "../../../../x.db" }),
  () => message({ v: 99 }),
  () => CROWD,
  () => message().subarray(0, 200),
];

test("No hostile envelope is taken, nothing is kept of them, and the peer is not locked out", {
  timeout: 600_000 + allottedMs,
}, async (t) => {
  await using machines = await SyncMachines.open();
  const { sink: peer } = machines;
  const first = await sealEnvelope(peer, 1, message());
  const firstHeaders = proofHeaders(peer, 1, first);
  assert.equal(await offer(machines, firstHeaders, first), 200);
  machines.received.length = 0;
  const stranger: Peer = { ...peer, keys: { ...peer.keys, ...createKeys() } };
  const elsewhere: Peer = { ...peer, id: keyId(createKeys().ownPublic) };
  const huge = Buffer.alloc(9 * 1024 * 1024);
  const asPeer = async (sequence: number, body: Buffer) => {
    const envelope = await sealEnvelope(peer, sequence, body);
    return offer(machines, proofHeaders(peer, sequence, envelope), envelope);
  };
  const attacks: readonly (readonly [status: number, attempt: (n: number) => Promise<number>])[] = [
    [409, () => offer(machines, firstHeaders, first)], // replayed
    [409, () => asPeer(1, message())], // reordered
    [409, (n) => asPeer(1_002 + n, message())], // far ahead
    [409, () => asPeer(2, message({ base: next() }))], // of a state it never had
    [413, () => offer(machines, proofHeaders(peer, 2, huge), huge)],
    [
      401,
      async () => {
        const envelope = await sealEnvelope(stranger, 2, message());
        return offer(machines, proofHeaders(stranger, 2, envelope), envelope);
      },
    ],
    [
      400,
      async () => {
        const envelope = await sealEnvelope(stranger, 2, message());
        return offer(machines, proofHeaders(peer, 2, envelope), envelope);
      },
    ],
    [
      400,
      async () => {
        const envelope = await sealEnvelope(elsewhere, 2, message());
        return offer(machines, proofHeaders(peer, 2, envelope), envelope);
      },
    ],
    ...BAD_MESSAGES.map((bad) => [400, (n: number) => asPeer(2, bad(n))] as const),
  ];
  let before = 0;
  const hostile = new Rounds({ short: 200, long: 1_000, share: 1 / 3 });
  for (const n of hostile) {
    if (n === 50) before = heldBytes();
    const at = n % attacks.length;
    const [expected, attempt] = attacks[at]!;
    assert.equal(await attempt(n), expected, `attack ${at}`);
  }
  const grown = heldBytes() - before;
  t.diagnostic(`${(grown / 1e6).toFixed(1)} MB more than after the first 50`);
  assert.ok(grown < 20e6, `${grown} bytes more`);
  assert.deepEqual(machines.received, []);
  assert.equal(await asPeer(2, message()), 200);
  did(t, { "hostile envelopes": hostile.count }, { taken: 0 });
});
