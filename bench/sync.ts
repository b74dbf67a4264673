/**
 * What a push costs from a source's vault to a sink's, both with real vaults and over loopback HTTP: first contact with
 * 5,000 cookies and with 10, and one changed cookie in 5,000 with its bytes on the wire. The ancestor took 81 ms and
 * 5 ms for the first two and sent everything each time; those are the targets, for the best of all rounds, and 10 ms and
 * 4 KB for one changed. Beside them a floor: as many bytes sealed, carried and committed by nothing but Node.
 */
import { createCipheriv, randomBytes } from "node:crypto";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createLoginStore } from "../src/auth/index.ts";
import { type Cookie, parseCookie } from "../src/cookies/index.ts";
import { Secret } from "../src/kernel/index.ts";
import {
  addressUrl,
  createPeerStore,
  createSink,
  PairingDesk,
  pairWith,
  type Peer,
  push,
  SentStore,
  type SourceLogin,
  SyncServer,
} from "../src/sync/index.ts";
import { Vault } from "../src/vault/index.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { inTurns, type Turns } from "./support/in-turns.ts";
import { report } from "./support/report.ts";

const ACCOUNTS = 25;

const clock = { now: () => Date.now() };
const keyOf = (itemType: string) => ({ domain: "@deputy", identifier: "owner", itemType });
using scratch = temporaryFolder("bench");
const folder = scratch.path;

function newVault(name: string): Vault {
  const [path, kek] = [join(folder, name), Secret.fromBytes(randomBytes(32))];
  Vault.create(path, { provider: "file", params: {} }, kek);
  return Vault.open({ path, kek, clock });
}

function cookiesOf(domain: string, count: number): Cookie[] {
  const expires = Date.now() + 86_400_000;
  return Array.from({ length: count }, (_, i) =>
    parseCookie({
      name: `cookie-${i}`,
      value: randomBytes(24).toString("hex"),
      domain,
      expires,
      secure: true,
    }),
  );
}

async function machines(name: string, count: number) {
  const [source, target] = [newVault(`${name}-source.db`), newVault(`${name}-sink.db`)];
  const server = await SyncServer.listen({ host: "127.0.0.1", port: 0 });
  const peers = createPeerStore({ vault: target, keyOf });
  let paired = "";
  const keep = async (peer: Peer) => {
    paired = peer.id;
    peers.add(peer);
  };
  server.desk = new PairingDesk({ self: { name: "sink", role: "sink", url: null }, clock, keep });
  const self = { name: "source", role: "source", url: null } as const;
  const peer = await pairWith({ url: addressUrl(server.address), code: server.desk.code, self, clock });
  const [own, theirs] = [
    createLoginStore({ vault: source, clock }),
    createLoginStore({ vault: target, clock }),
  ];
  server.sink = createSink({
    peers: async () => peers,
    clock,
    allows: async () => () => ({ ok: true }),
    receive: async (received) => theirs.mergeAll(received, "peer:source", { durable: false }),
    receiveRow: async () => ({ ok: false, reason: "none here" }),
    deliver: async () => [],
  });
  const accounts = Math.min(ACCOUNTS, count / 5);
  for (let i = 0; i < accounts; i++) {
    const domain = `site-${i}.example`;
    const cookies = cookiesOf(domain, count / accounts);
    own.replace({ domain, identifier: "joe" }, { cookies, gone: [] }, "bench");
  }
  const logins = (): SourceLogin[] =>
    source.glance().map(({ key, version }) => ({
      domain: key.domain,
      identifier: key.identifier,
      stamp: String(version),
      read: async () => ({ cookies: own.find(key)?.cookies ?? [], rows: new Map() }),
    }));
  const sent = new SentStore(join(folder, `${name}-sent.db`), clock);
  const pushNow = () => push({ peer, sent, logins: logins(), allows: () => ({ ok: true }), clock });
  const forget = () => {
    sent.forget(peer.id);
    peers.setReceived(paired, { sequence: 0, base: null, at: 0 });
    for (const { key } of target.list()) if (key.domain !== "@deputy") target.remove(key);
  };
  const change = (round: number) => {
    const domain = `site-${round % accounts}.example`;
    const [cookie] = own.find({ domain, identifier: "joe" })!.cookies;
    const changed = { ...cookie!, value: randomBytes(24).toString("hex"), updated: Date.now() };
    own.merge({ domain, identifier: "joe" }, [{ kind: "set", cookie: changed }], "bench");
  };
  return { pushNow, forget, change, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Seals so many bytes, carries them over HTTP and commits them: what nobody can do without. */
async function startFloor(bytes: number) {
  const db = new DatabaseSync(join(folder, `floor-${bytes}.db`));
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (b BLOB)");
  const insert = db.prepare("INSERT INTO t VALUES (?)");
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    insert.run(Buffer.concat(chunks));
    outgoing.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const message = randomBytes(bytes);
  const carry = () =>
    new Promise<void>((resolve) => {
      const cipher = createCipheriv("aes-256-gcm", randomBytes(32), randomBytes(12));
      const body = Buffer.concat([cipher.update(message), cipher.final()]);
      const outgoing = request({ port, host: "127.0.0.1", method: "POST" }, (answer) => {
        answer.resume().on("end", resolve);
      });
      outgoing.end(body);
    });
  const dispose = () => {
    server.closeAllConnections();
    server.close();
    db.close();
  };
  return { carry, [Symbol.dispose]: dispose };
}

/** Answers with the bytes of one push. */
async function measure(
  what: string,
  machine: Awaited<ReturnType<typeof machines>>,
  before: () => void,
  limit: number,
  turns: Turns,
): Promise<number> {
  before();
  const { bytes } = await machine.pushNow();
  using floor = await startFloor(bytes);
  const push = async () => void (await machine.pushNow());
  const times = await inTurns({ push: { before, run: push }, floor: floor.carry }, turns);
  report({
    what,
    unit: "ms",
    ours: times.push,
    beside: { what: `${bytes.toLocaleString("en")} bytes sealed, sent, committed`, samples: times.floor },
    target: { kind: "at most", value: limit, by: "least" },
  });
  return bytes;
}

await using all = await machines("all", 5_000);
await using few = await machines("few", 10);
/** As an engine pushes that has run for a while: its code is compiled. */
const often = { rounds: 200, warmUp: 30, seconds: 6 };
await measure("first contact, 5,000 cookies", all, all.forget, 81, { rounds: 25, warmUp: 5 });
await measure("first contact, 10 cookies", few, few.forget, 5, often);
let round = 0;
const bytes = await measure("one changed of 5,000", all, () => all.change(round++), 10, often);
report({
  what: "one changed of 5,000, on the wire",
  unit: "bytes",
  ours: bytes,
  target: { kind: "at most", value: 4096 },
});
