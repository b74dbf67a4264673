import assert from "node:assert/strict";
import { test } from "node:test";
import { coded, TestVault } from "../../test/support/test-vault.ts";
import { addressUrl, createPeerStore, PairingDesk, pairWith, parseListen, parsePeerUrl } from "./index.ts";
import type { Peer } from "./index.ts";
import { PAIRING_MS, PAIRING_NAMES } from "./pairing-desk.ts";
import { codeScalar } from "./pairing-code.ts";
import { startSpake2 } from "./spake2.ts";
import { SyncServer } from "./sync-server.ts";

const keyOf = (itemType: string) => ({ domain: "@deputy", identifier: "owner", itemType });

/** Time that goes on by two seconds a look, so that no guess is too early. */
function steps() {
  let now = Date.now();
  return { now: () => (now += 2_000) };
}

async function waiting(clock: { now(): number } = steps()) {
  const server = await SyncServer.listen({ host: "127.0.0.1", port: 0 });
  const kept: Peer[] = [];
  const keep = async (peer: Peer) => void kept.push(peer);
  const desk = new PairingDesk({ self: { name: "server", role: "sink", url: null }, clock, keep });
  server.desk = desk;
  const url = addressUrl(server.address);
  const type = (code: string, role: "source" | "sink" = "source") =>
    pairWith({ url, code, self: { name: "laptop", role, url: null }, clock });
  return { server, desk, kept, type, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const other = (code: string) => code.replace(/^\d/, (digit) => String((Number(digit) + 1) % 10));

test("who types the code shown is pinned, and both see one fingerprint", async () => {
  await using pairing = await waiting();
  const peer = await pairing.type(pairing.desk.code.replace("-", " "));
  const [seen] = pairing.kept;
  assert.equal(await pairing.desk.paired, seen);
  assert.equal(peer.fingerprint, seen?.fingerprint);
  assert.match(peer.fingerprint, /^([0-9a-f]{4} ){5}[0-9a-f]{4}$/);
  assert.equal(peer.keys.pair, seen?.keys.pair);
  assert.deepEqual([peer.role, seen?.role], ["sink", "source"]);
  assert.equal(peer.keys.theirs, seen?.keys.ownPublic);
  assert.equal(peer.url, addressUrl(pairing.server.address));
  await assert.rejects(pairing.type(pairing.desk.code), coded("NOT_FOUND"), "a code is good once");
});

test("pairing again makes other keys", async () => {
  await using first = await waiting();
  await using second = await waiting();
  const [a, b] = [await first.type(first.desk.code), await second.type(second.desk.code)];
  assert.notEqual(a.keys.own, b.keys.own);
  assert.notEqual(a.keys.pair, b.keys.pair);
  assert.notEqual(a.id, b.id);
});

test("a wrong code is one guess, and five of them end the pairing", async () => {
  await using pairing = await waiting();
  const wrong = other(pairing.desk.code);
  for (let guess = 0; guess < 5; guess++) await assert.rejects(pairing.type(wrong), coded("DENIED"));
  await assert.rejects(pairing.desk.paired, coded("DENIED"));
  await assert.rejects(pairing.type(pairing.desk.code), coded("NOT_FOUND"));
  assert.deepEqual(pairing.kept, []);
});

test("guesses must wait for one another", async () => {
  const now = Date.now();
  await using pairing = await waiting({ now: () => now });
  const wrong = other(pairing.desk.code);
  await assert.rejects(pairing.type(wrong), coded("DENIED"));
  await assert.rejects(pairing.type(wrong), coded("TIMEOUT"));
});

test("a code nobody types is worth nothing after ten minutes", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const keep = async () => {};
  const self = { name: "server", role: "sink", url: null } as const;
  const desk = new PairingDesk({ self, clock: steps(), keep });
  const rejected = assert.rejects(desk.paired, coded("TIMEOUT"));
  t.mock.timers.tick(PAIRING_MS);
  await rejected;
  assert.equal((await desk.handle({ v: 1, share: "" })).status, 410);
});

test("two machines of one role are not paired", async () => {
  await using pairing = await waiting();
  await assert.rejects(pairing.type(pairing.desk.code, "sink"), coded("CONFLICT"));
  assert.deepEqual(pairing.kept, []);
});

test("nothing of the code, the keys or the names crosses the wire in clear, nor anything to test a guess on", async () => {
  await using pairing = await waiting();
  const { code } = pairing.desk;
  const run = startSpake2("A", await codeScalar(other(code)), PAIRING_NAMES);
  const started = await pairing.desk.handle({ v: 1, share: run.share.toString("base64url") });
  assert.deepEqual(Object.keys(started.body).sort(), ["run", "share", "v"]);
  const wrong = { v: 1, run: started.body["run"], confirmation: "AAAA", box: "AAAA" };
  const refused = await pairing.desk.handle(wrong);
  assert.deepEqual(refused.body, { error: { code: "WRONG_CODE", left: 4 } });
  const answer = JSON.stringify([started, refused]);
  assert.ok(!answer.includes(code) && !answer.includes(code.replace("-", "")) && !answer.includes("server"));
  assert.equal((await pairing.desk.handle(wrong)).status, 410, "a run is for one guess");
});

test("what is no pairing message is refused without a guess", async () => {
  await using pairing = await waiting();
  for (const message of [undefined, null, 1, [], {}, { v: 2, share: "" }, { v: 1, share: 1 }, { v: 1 }])
    assert.equal((await pairing.desk.handle(message)).status, 400);
  await assert.rejects(pairing.type("12-34"), coded("BAD_INPUT"));
  await pairing.type(pairing.desk.code);
});

test("peers are sealed rows: found by key, replaced by name, gone when removed", async () => {
  await using pairing = await waiting();
  const peer = await pairing.type(pairing.desk.code);
  using file = new TestVault();
  const store = createPeerStore({ vault: file.open(), keyOf });
  store.add(peer);
  store.setReceived(peer.id, { sequence: 7, base: "b", at: 1 });
  assert.equal(store.received(peer.id).sequence, 7);
  store.add({ ...peer, id: "0".repeat(32) });
  assert.equal(store.find(peer.id), undefined);
  assert.equal(store.received(peer.id).sequence, 0);
  assert.equal(store.list().length, 1);
  assert.equal(store.remove("server").length, 1);
  assert.deepEqual(store.list(), []);
  assert.deepEqual(store.remove("server"), []);
});

test("addresses are those of one network, and of a machine", () => {
  assert.deepEqual(parseListen(), { host: "127.0.0.1", port: 4737 });
  assert.deepEqual(parseListen("192.168.1.20:9000"), { host: "192.168.1.20", port: 9000 });
  assert.deepEqual(parseListen("[::1]:9000"), { host: "::1", port: 9000 });
  assert.deepEqual(parseListen("localhost:0"), { host: "127.0.0.1", port: 0 });
  for (const bad of ["0.0.0.0", "::", "[::]:1", "example.com", "1.2.3.4:99999", ""])
    assert.throws(() => parseListen(bad), coded("BAD_INPUT"), bad);
  assert.equal(parsePeerUrl("box.lan"), "http://box.lan:4737");
  assert.equal(parsePeerUrl("http://box.lan:80/"), "http://box.lan");
  assert.equal(parsePeerUrl("https://box.lan"), "https://box.lan");
  for (const bad of ["ftp://box", "http://u:p@box", "http://box/path", ""])
    assert.throws(() => parsePeerUrl(bad), coded("BAD_INPUT"), bad);
});
