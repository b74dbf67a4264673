import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { test } from "node:test";
import { SyncMachines } from "../../test/support/sync-machines.ts";
import { createCookieOf } from "../../test/support/sync-cookie.ts";
import { addressUrl } from "./address.ts";
import { post } from "./carrier.ts";
import { sealEnvelope } from "./envelope.ts";
import { createKeys } from "./introduction.ts";
import { keyId, type Peer } from "./peer.ts";
import { proofHeaders } from "./request-proof.ts";

const next = () => randomBytes(12).toString("base64url");

function content(more: object = {}): Buffer {
  const cookie = createCookieOf({ domain: "shop.test", name: "sid", value: "canary-hostile" });
  const logins = [{ domain: "shop.test", identifier: "joe", changes: [{ kind: "set", cookie }] }];
  return Buffer.from(JSON.stringify({ v: 1, base: null, next: next(), logins, rows: [], ...more }));
}

async function send(machines: SyncMachines, headers: Record<string, string>, body: Buffer): Promise<number> {
  const url = new URL("/sync", addressUrl(machines.server.address));
  return (await post(url, { headers, body })).status;
}

async function sendAs(
  machines: SyncMachines,
  peer: Peer,
  sequence: number,
  message: Buffer,
): Promise<number> {
  const envelope = await sealEnvelope(peer, sequence, message);
  return send(machines, proofHeaders(peer, sequence, envelope), envelope);
}

test("replayed, reordered, far-ahead and foreign envelopes are refused, and the peer is not locked out", async () => {
  await using machines = await SyncMachines.open();
  const envelope = await sealEnvelope(machines.sink, 3, content());
  const headers = proofHeaders(machines.sink, 3, envelope);
  assert.equal(await send(machines, headers, envelope), 200);
  assert.equal(await send(machines, headers, envelope), 409, "replayed");
  assert.equal(await sendAs(machines, machines.sink, 2, content()), 409, "out of order");
  assert.equal(await sendAs(machines, machines.sink, 3, content()), 409, "the same sequence");
  for (const far of [1_004, 999_999_999_999_999])
    assert.equal(await sendAs(machines, machines.sink, far, content()), 409, "far ahead");
  const unknownBase = content({ base: next() });
  assert.equal(await sendAs(machines, machines.sink, 4, unknownBase), 409, "of a state it never had");
  assert.equal(await sendAs(machines, machines.sink, 4, content()), 200);

  const stranger = { ...machines.sink, keys: { ...machines.sink.keys, ...createKeys() } };
  assert.equal(await sendAs(machines, stranger, 5, content()), 401, "a key that was never paired");
  // The header's secret leaked, the key did not: the envelope still proves nothing.
  const thief = await sealEnvelope(stranger, 5, content());
  assert.equal(await send(machines, proofHeaders(machines.sink, 5, thief), thief), 400);
  const misdirected = { ...machines.sink, id: keyId(createKeys().ownPublic) };
  const astray = await sealEnvelope(misdirected, 5, content());
  assert.equal(
    await send(machines, proofHeaders(machines.sink, 5, astray), astray),
    400,
    "for somebody else",
  );
  const reused = await sealEnvelope(machines.sink, 5, content());
  assert.equal(
    await send(machines, proofHeaders(machines.sink, 6, reused), reused),
    400,
    "under another sequence",
  );
  machines.sinkPeers.remove("laptop");
  assert.equal(await sendAs(machines, machines.sink, 5, content()), 401, "unpaired");
});

test("a hostile peer's names, times and shapes are refused whole", async () => {
  await using machines = await SyncMachines.open();
  const login = (domain: string, identifier: string) => ({
    logins: [{ domain, identifier, changes: [] }],
  });
  const cookie = (more: object) => ({
    logins: [
      {
        domain: "shop.test",
        identifier: "joe",
        changes: [
          { kind: "set", cookie: { ...createCookieOf({ domain: "shop.test", name: "sid" }), ...more } },
        ],
      },
    ],
  });
  const hostile: object[] = [
    login("../../etc/passwd", "joe"),
    login("@deputy", "owner"),
    login("www.shop.test", "joe"), // a row is the registrable domain's
    login("SHOP.test", "joe"),
    login("shop.test/..", "joe"),
    login("shop.test", ""),
    login("shop.test", "joe\n"),
    login("shop.test", " joe "),
    login("shop.test", "joe\u0000"),
    cookie({ name: "a\nb" }),
    cookie({ value: "x\r\nSet-Cookie: y" }),
    cookie({ path: "etc" }),
    cookie({ file: "/root/.bashrc" }),
    { rows: [{ domain: "@deputy", identifier: "owner", type: "peers", value: "{}" }] },
    { rows: [{ domain: "shop.test", identifier: "joe", type: "../x", value: "{}" }] },
    { v: 2 },
    { next: "../../x" },
    { extra: true },
    { logins: "x" },
  ];
  let sequence = 0;
  for (const more of hostile)
    assert.equal(await sendAs(machines, machines.sink, ++sequence, content(more)), 400, JSON.stringify(more));
  for (const bytes of [
    Buffer.from("not json"),
    Buffer.from("[".repeat(100_000)),
    Buffer.alloc(0),
    Buffer.from("null"),
  ])
    assert.equal(await sendAs(machines, machines.sink, ++sequence, bytes), 400);
  assert.deepEqual(machines.received, []);

  const ahead = cookie({ updated: Date.now() + 1e12, created: Date.now() + 1e12 });
  assert.equal(await sendAs(machines, machines.sink, ++sequence, content(ahead)), 200);
  const [stored] = machines.sinkLogins.find({ domain: "shop.test", identifier: "joe" })!.cookies;
  assert.ok(stored!.updated <= Date.now(), "a time ahead would win over every real change until then");
});

test("methods, sizes and strangers are refused before a body is read, at next to no cost", async () => {
  await using machines = await SyncMachines.open();
  const url = new URL("/sync", addressUrl(machines.server.address));
  const get = await fetch(url);
  assert.equal(get.status, 405);
  assert.equal((await fetch(new URL("/healthz", url))).status, 200);
  assert.equal((await fetch(new URL("/../vault.db", url))).status, 404);
  assert.equal((await fetch(new URL("/pair", url), { method: "POST", body: "{}" })).status, 410);

  const chunk = Buffer.alloc(64 * 1024);
  const before = process.memoryUsage.rss();
  let [most, written] = [before, 0];
  const flood = (headers: Record<string, string | number>) =>
    new Promise<number>((resolve) => {
      const outgoing = request(url, { method: "POST", headers, agent: false }, (answer) => {
        resolve(answer.statusCode ?? 0);
        outgoing.destroy();
      });
      outgoing.on("error", () => resolve(0)); // the sink hung up before the answer was read
      const more = () => {
        most = Math.max(most, process.memoryUsage.rss());
        while (!outgoing.destroyed && written < 256 * 1024 * 1024) {
          written += chunk.length;
          if (!outgoing.write(chunk)) return void outgoing.once("drain", more);
        }
      };
      more();
    });
  const proof = proofHeaders(machines.sink, 1, Buffer.from("another body"));
  assert.ok([0, 413].includes(await flood({ "content-length": 256 * 1024 * 1024 })));
  assert.ok([0, 413].includes(await flood({ "transfer-encoding": "chunked" })));
  assert.ok([0, 401].includes(await flood({ "content-length": 8 * 1024 * 1024 })));
  assert.ok([0, 401].includes(await flood({ "content-length": 8 * 1024 * 1024, ...proof })));
  assert.ok(most - before < 20 * 1024 * 1024, `${(most - before) / 1e6} MB`);
  const big = { "deputy-sync": "1", "x-large": "x".repeat(16_000) };
  assert.equal(await flood({ "content-length": 1, ...big }), 431);
});
