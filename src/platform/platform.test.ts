import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DeputyError } from "../kernel/index.ts";
import {
  Database,
  engineEnvironment,
  FileLock,
  ForeignWriter,
  homePaths,
  peerOf,
  prepareHome,
  runProcess,
  writeFileAtomic,
} from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "deputy-platform-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const coded = (code: string) => (error: unknown) => error instanceof DeputyError && error.code === code;

test("writeFileAtomic replaces a file, keeps it private and leaves no temporary file", () => {
  const path = join(folder, "atomic.txt");
  writeFileAtomic(path, "one");
  writeFileAtomic(path, "two");
  assert.equal(readFileSync(path, "utf8"), "two");
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith(".tmp")),
    [],
  );
});

test("writeFileAtomic that fails leaves the old file and no temporary one", () => {
  const target = join(folder, "a-folder");
  prepareHome(homePaths({ DEPUTY_HOME: target }));
  assert.throws(() => writeFileAtomic(target, "over a folder"));
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith(".tmp")),
    [],
  );
});

test("Database rolls a failed transaction back", () => {
  using db = new Database({ path: join(folder, "tx.db") });
  db.exec("CREATE TABLE t (x INTEGER PRIMARY KEY)");
  assert.throws(() =>
    db.transaction(() => {
      db.run("INSERT INTO t VALUES (1)");
      throw new Error("stop");
    }),
  );
  assert.equal(db.get("SELECT count(*) AS n FROM t")?.["n"], 0);
  db.transaction(() => db.run("INSERT INTO t VALUES (2)"));
  assert.equal(db.get("SELECT count(*) AS n FROM t")?.["n"], 1);
});

test("Database says that a file is not a database", () => {
  const path = join(folder, "garbage.db");
  writeFileSync(path, Buffer.alloc(4096, 7));
  assert.throws(() => new Database({ path }), coded("DATABASE_CORRUPT"));
});

test("ForeignWriter tells a full disk and a read-only file from a damaged one", () => {
  using writer = ForeignWriter.inPlace(join(folder, "foreign.db"));
  writer.exec("CREATE TABLE t (x); PRAGMA max_page_count = 3");
  assert.throws(() => writer.run("INSERT INTO t VALUES (zeroblob(100000))"), coded("DISK_FULL"));
  writer.exec("PRAGMA query_only = ON");
  assert.throws(() => writer.run("INSERT INTO t VALUES (1)"), coded("READ_ONLY"));
  assert.throws(() => writer.run("INSERT INTO nothing VALUES (1)"), coded("DATABASE_CORRUPT"));
});

test("FileLock is held by one holder at a time", () => {
  const path = join(folder, "lock");
  const first = FileLock.tryTake(path);
  assert.ok(first);
  assert.equal(FileLock.tryTake(path), undefined);
  first[Symbol.dispose]();
  const second = FileLock.tryTake(path);
  assert.ok(second);
  second[Symbol.dispose]();
});

test("prepareHome makes private folders and refuses a file in their place", () => {
  const paths = homePaths({ DEPUTY_HOME: join(folder, "home") });
  prepareHome(paths);
  assert.equal(statSync(paths.home).mode & 0o777, 0o700);
  writeFileSync(join(folder, "in-the-way"), "");
  assert.throws(
    () => prepareHome(homePaths({ DEPUTY_HOME: join(folder, "in-the-way") })),
    coded("HOME_UNUSABLE"),
  );
});

test("prepareHome makes every folder on the way, and ends where none can be made", () => {
  const deep = homePaths({ DEPUTY_HOME: join(folder, "one", "two", "three") });
  prepareHome(deep);
  for (const path of [join(folder, "one"), deep.home, deep.run])
    assert.equal(statSync(path).mode & 0o777, 0o700, path);
  const below = homePaths({ DEPUTY_HOME: join(folder, "in-the-way", "two", "three") });
  assert.throws(() => prepareHome(below), coded("HOME_UNUSABLE"));
  if (process.platform !== "linux") return;
  for (const home of ["/proc/deputy", "/proc/deputy/two/three"])
    assert.throws(() => prepareHome(homePaths({ DEPUTY_HOME: home })), {
      code: "READ_ONLY",
      message: `Cannot prepare ${home}: no folder can be made there`,
    });
});

test("homePaths falls back to a short socket path where the home's is too long", () => {
  const paths = homePaths({ DEPUTY_HOME: join(folder, "x".repeat(120)) });
  assert.ok(paths.socket.length <= 103, paths.socket);
});

test("engineEnvironment drops what could redirect credentials or load code", () => {
  const hostile = {
    PATH: "/bin",
    NODE_OPTIONS: "-r x",
    HTTP_PROXY: "p",
    LD_PRELOAD: "l",
    DEPUTY_RESOLVE: "a=b",
  };
  assert.deepEqual(engineEnvironment(hostile, false), { PATH: "/bin" });
  assert.deepEqual(engineEnvironment(hostile, true), { PATH: "/bin", DEPUTY_RESOLVE: "a=b" });
});

test("runProcess gives status and output, and stops what runs too long or prints too much", async () => {
  const done = await runProcess([process.execPath, "-e", "process.stdin.pipe(process.stdout)"], {
    input: "hello",
  });
  assert.equal(done.status, 0);
  assert.equal(done.stdout.toString(), "hello");
  await assert.rejects(
    runProcess([process.execPath, "-e", "setInterval(()=>{},1000)"], { timeoutMs: 200 }),
    coded("TIMEOUT"),
  );
  await assert.rejects(
    runProcess([process.execPath, "-e", "process.stdout.write('x'.repeat(1e6))"], { maxOutput: 1000 }),
    coded("TOO_LARGE"),
  );
  await assert.rejects(runProcess(["no-such-program-here"]), coded("NOT_FOUND"));
});

test("runProcess says so where the system has no descriptor left for a program", {
  skip: process.platform === "win32" && "limits are set by a POSIX shell",
}, async () => {
  const script = `
    import { openSync } from "node:fs";
    import { runProcess } from ${JSON.stringify(join(import.meta.dirname, "index.ts"))};
    try { for (;;) openSync("/dev/null"); } catch {}
    console.log(await runProcess(["/bin/true"]).catch((error) => error.code));`;
  const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "-e", script];
  const few = 'ulimit -n 100; exec "$@"';
  const { stdout, stderr } = await runProcess(["/bin/sh", "-c", few, "sh", process.execPath, ...flags]);
  assert.equal(`${stdout}${stderr}`, "ENGINE_BUSY\n");
});

test("peerOf names the user and the process at the other end", {
  skip: process.platform === "win32",
}, async () => {
  const path = join(folder, "peer.sock");
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const server = createServer(resolve).listen(path);
  const client = connect(path);
  const accepted = await promise;
  const peer = peerOf(accepted);
  assert.equal(peer?.uid, process.getuid?.());
  if (process.platform === "linux") assert.equal(peer?.pid, process.pid);
  client.destroy();
  accepted.destroy();
  server.close();
});
