import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { coded } from "../../../test/support/test-vault.ts";
import { type Caller, DeputyError } from "../../kernel/index.ts";
import { ActivityLog } from "./activity-log.ts";
import type { LogSeal, SealedHead } from "./log-seal.ts";

const CURSOR: Caller = { kind: "agent", agent: "cursor", version: "1.2", instance: "instance_1", via: "mcp" };
const OWNER: Caller = { kind: "owner", agent: "owner", instance: "instance_2", via: "cli" };
const JOE = { domain: "exa.ai", account: "joe" };

/** A vault's row in memory: what is in it outlives the log's object. */
function memorySeal(): LogSeal & { sealed: SealedHead | undefined; writes: boolean[]; fails: boolean } {
  return {
    sealed: undefined,
    writes: [],
    fails: false,
    read() {
      return this.sealed;
    },
    write(head, { durable }) {
      if (this.fails) throw new DeputyError("DISK_FULL", "no room");
      this.sealed = head;
      this.writes.push(durable);
    },
  };
}

function setUp(options: { keep?: number } = {}) {
  const folder = temporaryFolder("activity-log");
  const path = join(folder.path, "activity.db");
  const seal = memorySeal();
  let now = Date.UTC(2030, 0, 1);
  let locked = false;
  const open = () =>
    new ActivityLog({
      path,
      clock: { now: () => now++ },
      seal: async () => {
        if (locked) throw new DeputyError("VAULT_LOCKED", "locked");
        return seal;
      },
      ...options,
    });
  return {
    path,
    seal,
    open,
    lock: (is: boolean) => {
      locked = is;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const call = (log: ActivityLog, caller = CURSOR, subject = "exa") =>
  log.begin({ caller, subject, operation: "search", identity: JOE });

test("a row says who, what, as whom, where to and what came of it", async () => {
  using home = setUp();
  await using log = home.open();
  const entry = log.begin({ caller: CURSOR, subject: "exa", operation: "search", identity: null });
  entry.use({ domain: "exa.ai", account: null });
  entry.use(JOE);
  entry.use({ domain: "exa.ai", account: "another" });
  entry.contact("api.exa.ai", "POST");
  entry.contact("cdn.exa.ai", "GET");
  entry.answered(302);
  entry.answered(200);
  entry.received(10);
  entry.received(32);
  await entry.end("ok");
  const [row] = log.latest(10);
  const { durationUs, hash, ...rest } = row!;
  assert.ok(durationUs >= 0);
  assert.equal(hash.length, 32);
  assert.deepEqual(rest, {
    id: 1,
    at: Date.UTC(2030, 0, 1),
    agent: "cursor",
    kind: "agent",
    instance: "instance_1",
    via: "mcp",
    subject: "exa",
    operation: "search",
    ...JOE,
    hosts: ["api.exa.ai", "cdn.exa.ai"],
    methods: ["POST", "GET"],
    status: 200,
    bytes: 42,
    outcome: "ok",
    code: null,
  });
});

test("what could not be a name is not written down as one", async () => {
  using home = setUp();
  await using log = home.open();
  for (const operation of ["x".repeat(200), "a\nb", "sk-live?key=1", ""])
    await log.begin({ caller: CURSOR, subject: "exa", operation, identity: null }).end("failed", "NOT_FOUND");
  assert.deepEqual(new Set(log.latest(10).map((row) => row.operation)), new Set(["(not a name)"]));
});

test("a row and the head are there before its call may be answered, and calls that end together share a write", async () => {
  using home = setUp();
  await using log = home.open();
  await call(log).end("ok");
  assert.equal(home.seal.sealed?.head.id, 1);
  const before = home.seal.writes.length;
  await Promise.all(Array.from({ length: 50 }, () => call(log).end("ok")));
  assert.equal(home.seal.sealed?.head.id, 51);
  assert.ok(home.seal.writes.length - before <= 2);
  assert.deepEqual(await log.verify(), { rows: 51, lost: 0 });
});

test("a call that ends just as the last write ends is not left waiting", { timeout: 60_000 }, async () => {
  using home = setUp();
  await using log = home.open();
  for (let turns = 0; turns < 40; turns++) {
    const first = call(log).end("ok");
    const second = first.then(async () => {
      for (let i = 0; i < turns % 8; i++) await Promise.resolve();
      return call(log).end("ok");
    });
    await Promise.all([first, second]);
  }
  assert.deepEqual(await log.verify(), { rows: 80, lost: 0 });
});

test("where the head cannot be sealed the call is not answered, and the chain goes on when it can", async () => {
  using home = setUp();
  await using log = home.open();
  await call(log).end("ok");
  home.seal.fails = true;
  await assert.rejects(call(log).end("ok"), coded("DISK_FULL"));
  home.seal.fails = false;
  await call(log).end("ok");
  assert.deepEqual(await log.verify(), { rows: 3, lost: 0 });
});

test("what is refused while the vault is locked is written down when it opens", async () => {
  using home = setUp();
  await using log = home.open();
  home.lock(true);
  for (let i = 0; i < 300; i++) await call(log, CURSOR, "@vault").end("denied", "DENIED");
  await assert.rejects(log.verify(), coded("VAULT_LOCKED"));
  home.lock(false);
  await call(log, OWNER).end("ok");
  const rows = log.latest(1000);
  assert.equal(rows.length, 257);
  assert.equal(rows.at(-1)?.agent, "owner");
  assert.deepEqual(await log.verify(), { rows: 257, lost: 0 });
});

test("the newest that match come oldest first, and followers see each row once", async () => {
  using home = setUp();
  await using log = home.open();
  const seen: number[] = [];
  using _following = log.subscribe(({ id }) => seen.push(id));
  for (let i = 0; i < 10; i++) await call(log, i % 2 ? CURSOR : OWNER, i % 3 ? "exa" : "@curl").end("ok");
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const ids = (...asked: Parameters<ActivityLog["latest"]>) => log.latest(...asked).map(({ id }) => id);
  assert.deepEqual(ids(3), [8, 9, 10]);
  assert.deepEqual(ids(10, { agent: "cursor" }), [2, 4, 6, 8, 10]);
  assert.deepEqual(ids(2, { agent: "owner", subject: "exa" }), [5, 9]);
  assert.deepEqual(ids(0), []);
});

test("rows that were written and not sealed when the engine was killed are taken up, not called tampering", async () => {
  using home = setUp();
  const killed = home.open();
  await call(killed).end("ok");
  const { sealed } = home.seal;
  await call(killed).end("ok");
  await call(killed).end("ok");
  home.seal.sealed = sealed;
  await using log = home.open();
  assert.deepEqual(await log.verify(), { rows: 3, lost: 0 });
  await call(log).end("ok");
  assert.equal(log.latest(1)[0]?.id, 4);
  assert.deepEqual(await log.verify(), { rows: 4, lost: 0 });
  await killed[Symbol.asyncDispose]();
});

test("what a power cut took is told apart from what somebody took", async () => {
  for (const [rebooted, durable, expected] of [
    [true, 3, { rows: 3, lost: 2 }],
    [true, 5, { id: 4, what: "end-missing" }],
    [false, 3, { id: 4, what: "end-missing" }],
  ] as const) {
    using home = setUp();
    const before = home.open();
    for (let i = 0; i < 5; i++) await call(before).end("ok");
    await before[Symbol.asyncDispose]();
    const { DatabaseSync } = await import("node:sqlite");
    using db = new DatabaseSync(home.path);
    db.exec("DELETE FROM entries WHERE id > 3");
    const sealed = home.seal.sealed!;
    home.seal.sealed = { ...sealed, durable, boot: rebooted ? "another" : sealed.boot };
    await using log = home.open();
    const found = await log.verify();
    assert.deepEqual(found.finding ?? found, expected);
    await call(log).end("ok");
    const later = await log.verify();
    if ("lost" in expected) assert.deepEqual(later, { rows: 4, lost: 2 });
    else assert.notEqual(later.finding, undefined);
  }
});

test("old rows are pruned behind a sealed anchor, and cannot be put back", async () => {
  using home = setUp({ keep: 20 });
  for (let start = 0; start < 5; start++) {
    await using log = home.open();
    for (let i = 0; i < 10; i++) await call(log).end("ok");
  }
  await using log = home.open();
  const ids = log.latest(1000).map(({ id }) => id);
  assert.ok(ids.length >= 20 && ids.length <= 32, String(ids.length));
  assert.equal(ids.at(-1), 50);
  assert.deepEqual(await log.verify(), { rows: ids.length, lost: 0 });
  const { DatabaseSync } = await import("node:sqlite");
  using db = new DatabaseSync(home.path);
  db.exec(`CREATE TABLE t AS SELECT * FROM entries WHERE id = 50; UPDATE t SET id = 2;
    INSERT INTO entries SELECT * FROM t; DROP TABLE t`);
  assert.deepEqual((await log.verify()).finding, { id: 2, what: "put-back" });
});

test("pruning that was cut short is finished at the next start", async () => {
  using home = setUp();
  const before = home.open();
  for (let i = 0; i < 10; i++) await call(before).end("ok");
  const anchor = { id: 4, hash: before.latest(10)[3]!.hash };
  await before[Symbol.asyncDispose]();
  home.seal.sealed = { ...home.seal.sealed!, anchor, pruning: true };
  await using log = home.open();
  assert.deepEqual(await log.verify(), { rows: 6, lost: 0 });
  assert.equal(home.seal.sealed.pruning, false);
});

test("the owner can begin anew: the old file stays, under another name", async () => {
  using home = setUp();
  await using log = home.open();
  await call(log).end("ok");
  const { DatabaseSync } = await import("node:sqlite");
  {
    using db = new DatabaseSync(home.path);
    db.exec("UPDATE entries SET agent = 'x'");
  }
  assert.equal((await log.verify()).finding?.what, "changed");
  assert.ok(existsSync(await log.restart()));
  await call(log).end("ok");
  assert.deepEqual(await log.verify(), { rows: 1, lost: 0 });
});

test("files put aside in one second are kept apart", async () => {
  using home = setUp();
  await using log = home.open();
  const aside = new Set<string>();
  for (let times = 0; times < 3; times++) {
    await call(log).end("ok");
    aside.add(await log.restart());
  }
  assert.deepEqual([aside.size, [...aside].filter((path) => existsSync(path)).length], [3, 3]);
});

test("a new vault finds the old one's log and puts it aside", async () => {
  using home = setUp();
  const before = home.open();
  await call(before).end("ok");
  await before[Symbol.asyncDispose]();
  home.seal.sealed = undefined;
  await using log = home.open();
  await call(log).end("ok");
  assert.deepEqual(await log.verify(), { rows: 1, lost: 0 });
  const files = readdirSync(dirname(home.path)).filter((name) => name.endsWith(".db"));
  assert.equal(files.length, 2);
});

test("agents are known by kind and name, their connections counted once each", async () => {
  using home = setUp();
  const before = home.open();
  before.seen(CURSOR);
  before.seen(CURSOR);
  before.seen({ ...CURSOR, instance: "instance_9", version: "1.3" });
  before.seen(OWNER);
  await before[Symbol.asyncDispose]();
  await using log = home.open();
  log.seen({ ...CURSOR, instance: "instance_10" });
  const [first, second] = log.agents();
  const at = Date.UTC(2030, 0, 1);
  const known = { name: "cursor", kind: "agent", version: "1.2", via: "mcp", instances: 3 };
  assert.deepEqual(first, { ...known, firstSeen: at, lastSeen: at + 4 });
  assert.deepEqual([second?.name, second?.kind, second?.instances], ["owner", "owner", 1]);
});
