import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { DeputyError } from "../../kernel/index.ts";
import { createJail, findProgram, type JailSpec, readEnvironment } from "../index.ts";

const jail = await createJail({ env: readEnvironment() });
const skip = jail.level === "reduced" && `no jail: ${jail.reason}`;
const PYTHON = "/usr/bin/python3";
const skipPython = skip || (!existsSync(PYTHON) && `no ${PYTHON}`);
const NODE = process.execPath;
const node: Pick<JailSpec, "read"> = { read: [NODE] };

const sh = (script: string): JailSpec["argv"] => ["/bin/sh", "-c", script];

/** An argument nobody else uses, to find a process by. */
const unique = () => `1000.${randomInt(1e9, 2e9)}`;

function processesWith(argument: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(argument);
    } catch {
      return false;
    }
  });
}

async function waitUntil(holds: () => boolean): Promise<void> {
  for (let left = 1000; !holds(); left--) {
    assert.ok(left > 0, "it never happened");
    await sleep(10);
  }
}

test("Jail runs a program with its input, output and status", { skip }, async () => {
  const { stdout, stderr, exit } = await jail.run({
    argv: sh("cat; echo said >&2; exit 3"),
    fork: true,
    input: "in",
  });
  assert.equal(stdout.toString(), "in");
  assert.equal(stderr.toString(), "said\n");
  assert.deepEqual(exit, { status: 3, signal: null, stopped: null, said: "said\n" });
});

test("Jail gives a program a nearly empty environment, or exactly the one it is told", { skip }, async () => {
  const bare = await jail.run({ argv: ["/usr/bin/env"] });
  assert.deepEqual(bare.stdout.toString().trim().split("\n").sort(), [
    "HOME=/nonexistent",
    "LANG=C.UTF-8",
    "PATH=/usr/local/bin:/usr/bin:/bin",
    "PWD=/tmp",
  ]);
  const own = await jail.run({ argv: ["/usr/bin/env"], env: { A: "1\n2", B: "" } });
  assert.equal(own.stdout.toString(), "A=1\n2\nB=\nPWD=/tmp\n");
});

test("Jail keeps variables out of every argument list on the machine", { skip }, async () => {
  const value = unique();
  const jailed = await jail.start({ argv: sh("echo up; read x"), env: { SECRET: value } });
  await once(jailed.stdout, "data");
  assert.deepEqual(processesWith(value), []);
  jailed.kill();
  await jailed.exited;
});

test("Jail reports a signal as shells do", { skip }, async () => {
  const { exit } = await jail.run({ argv: sh("kill -SEGV $$") });
  assert.deepEqual([exit.status, exit.signal, exit.stopped], [null, "SIGSEGV", null]);
});

test("Jail shows folders read-only or writable, elsewhere or in place, the inner over the outer", {
  skip,
}, async () => {
  using folder = temporaryFolder("jail");
  writeFileSync(join(folder.path, "a"), "a");
  symlinkSync(folder.path, `${folder.path}/loop`);
  const { stdout, stderr } = await jail.run({
    argv: sh("cat /in/a && echo b > /out/b && ! touch /in/c && ls /tmp/here/loop/a"),
    fork: true,
    read: [
      { from: folder.path, to: "/in" },
      { from: join(folder.path, "loop"), to: "/tmp/here" },
    ],
    write: [{ from: folder.path, to: "/out" }],
  });
  assert.match(stdout.toString(), /^a/);
  assert.match(stderr.toString(), /Read-only/);
  assert.deepEqual(readdirSync(folder.path).sort(), ["a", "b", "loop"]);
});

test("Jail starts in the folder it is told", { skip }, async () => {
  using folder = temporaryFolder("jail");
  const { stdout } = await jail.run({ argv: ["/bin/pwd"], read: [folder.path], cwd: folder.path });
  assert.equal(stdout.toString().trim(), folder.path);
});

test("Jail refuses folders that hold guarded paths, by whatever name", { skip }, async () => {
  using folder = temporaryFolder("jail");
  const home = join(folder.path, "home");
  writeFileSync(home, "");
  symlinkSync(folder.path, join(folder.path, "alias"));
  const careful = await createJail({ env: readEnvironment(), guarded: [home] });
  for (const path of [folder.path, home, join(folder.path, "alias"), dirname(folder.path), "/"])
    await assert.rejects(
      careful.run({ argv: ["/bin/true"], read: [{ from: path, to: "/in" }] }),
      (error: DeputyError) => error.code === "DENIED",
    );
  for (const to of ["/", "/tmp", "/proc/self", "/dev"])
    await assert.rejects(
      careful.run({ argv: ["/bin/true"], read: [{ from: "/usr/share", to }] }),
      (error: DeputyError) => error.code === "DENIED",
    );
});

test("Jail says which path or program is missing", { skip }, async () => {
  const missing = (spec: JailSpec) =>
    assert.rejects(jail.run(spec), (error: DeputyError) => error.code === "NOT_FOUND");
  await missing({ argv: ["/usr/bin/no-such-program"] });
  await missing({ argv: ["/bin/true"], read: ["/no/such/folder"] });
  await assert.rejects(jail.run({ argv: ["true"] }), TypeError);
  await assert.rejects(jail.run({ argv: ["/bin/true"], limits: { memoryBytes: Number.NaN } }), TypeError);
});

test("Jail gives a host two more pipes, and no other descriptor", { skip: skipPython }, async () => {
  const code = `
import os
fds = sorted(int(n) for n in os.listdir("/proc/self/fd"))
os.write(4, os.read(3, 100).upper() + repr(fds[:-1]).encode())`;
  const jailed = await jail.start({ argv: [PYTHON, "-I", "-c", code], pipes: true });
  jailed.toChild?.write("hello ");
  assert.equal(await text(jailed.fromChild!), "HELLO [0, 1, 2, 3, 4]");
  assert.equal((await jailed.exited).status, 0);
});

test("Jail keeps out a descriptor that whoever started us left open", {
  skip: skipPython || (!existsSync("/bin/bash") && "no bash"),
}, async () => {
  const list = "import os; print(sorted(int(n) for n in os.listdir('/proc/self/fd')))";
  const script = `
import { createJail, readEnvironment, runProcess } from ${JSON.stringify(join(import.meta.dirname, "../index.ts"))};
const argv = ${JSON.stringify([PYTHON, "-I", "-c", list])};
process.stdout.write((await runProcess(argv)).stdout);
const jail = await createJail({ env: readEnvironment() });
process.stdout.write((await jail.run({ argv })).stdout);`;
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "-e", script];
  // Node itself closes those below the first gap after 15.
  const leaving = ["-c", 'exec 60</etc/passwd; exec "$@"', "bash", NODE, ...args];
  const child = spawn("/bin/bash", leaving, { stdio: ["ignore", "pipe", "inherit"] });
  const [bare, jailed] = (await text(child.stdout)).trim().split("\n");
  assert.match(bare ?? "", /\b60\b/);
  assert.equal(jailed, "[0, 1, 2, 3]");
});

test("Node runs in a jail, with threads and the permission model", { skip }, async () => {
  const script = `
const { Worker } = require("node:worker_threads");
const worker = new Worker("require('node:worker_threads').parentPort.postMessage(6 * 7)", { eval: true });
worker.on("message", (n) => console.log(n));
require("node:fs").readdir("/usr", (error) => console.log(error.code));`;
  const { stdout, stderr } = await jail.run({
    argv: [NODE, "--permission", "--allow-worker", "-e", script],
    ...node,
  });
  assert.deepEqual(
    stdout.toString().trim().split("\n").sort(),
    ["42", "ERR_ACCESS_DENIED"],
    stderr.toString(),
  );
});

test("Python runs in a jail, with threads, asyncio and sqlite", { skip: skipPython }, async () => {
  const code = `
import asyncio, sqlite3, threading
out = []
t = threading.Thread(target=lambda: out.append(1)); t.start(); t.join()
asyncio.run(asyncio.sleep(0))
print(out, sqlite3.connect(":memory:").execute("select 6*7").fetchone())`;
  const { stdout, stderr } = await jail.run({ argv: [PYTHON, "-I", "-c", code] });
  assert.equal(`${stdout}${stderr}`, "[1] (42,)\n");
});

const git = findProgram("git", { PATH: "/usr/bin:/bin" });
test("git works in a jail that may start processes", {
  skip: skip || (git === undefined && "no git"),
}, async () => {
  using folder = temporaryFolder("jail");
  const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
  const run = (...args: string[]) =>
    jail.run({ argv: [git!, ...args], fork: true, write: [folder.path], cwd: folder.path, env });
  writeFileSync(join(folder.path, "a"), "a");
  await run("init", "-q");
  await run("add", "a");
  const made = await run("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first");
  assert.equal(made.exit.status, 0, made.stderr.toString());
  assert.match((await run("log", "--oneline")).stdout.toString(), /first/);
});

test("Nothing a program started outlives it", { skip }, async () => {
  const mark = unique();
  const { exit } = await jail.run({
    argv: sh(`setsid sleep ${mark} >/dev/null 2>&1 </dev/null & (sleep ${mark} >&- 2>&- &) ; exit 0`),
    fork: true,
  });
  assert.equal(exit.status, 0);
  assert.deepEqual(processesWith(mark), []);
});

test("Killing a jail ends everything in it before it says so", { skip }, async () => {
  const mark = unique();
  const jailed = await jail.start({
    argv: sh(`trap "" TERM INT HUP; setsid sleep ${mark} & sleep ${mark} & echo up; wait`),
    fork: true,
  });
  await once(jailed.stdout, "data");
  await waitUntil(() => processesWith(mark).length > 2);
  jailed.kill();
  const exit = await jailed.exited;
  assert.equal(exit.stopped, "cancelled");
  assert.deepEqual(processesWith(mark), []);
});

test("An aborted signal ends a jail, before or after its start", { skip }, async () => {
  const early = AbortSignal.abort();
  await assert.rejects(
    jail.run({ argv: ["/bin/true"], signal: early }),
    (error: DeputyError) => error.code === "CANCELLED",
  );
  const late = new AbortController();
  const jailed = await jail.start({ argv: ["/bin/sleep", unique()], signal: late.signal });
  late.abort();
  assert.equal((await jailed.exited).stopped, "cancelled");
});

test("A jail ends with the process that made it", { skip }, async () => {
  const mark = unique();
  const script = `
import { createJail, readEnvironment } from ${JSON.stringify(join(import.meta.dirname, "../index.ts"))};
const jail = await createJail({ env: readEnvironment() });
const argv = ["/bin/sh", "-c", "echo up; exec sleep ${mark}"];
const jailed = await jail.start({ argv, limits: { wallMs: Infinity } });
jailed.stdout.once("data", () => console.log("up"));`;
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "-e", script];
  const child = spawn(NODE, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  await waitUntil(() => processesWith(mark).length === 0);
});

test("Fifty jails at once neither mix nor fail", { skip }, async () => {
  const runs = await Promise.all(
    Array.from({ length: 50 }, (_, n) => jail.run({ argv: ["/bin/echo", String(n)] })),
  );
  assert.deepEqual(
    runs.map(({ stdout }) => stdout.toString().trim()),
    runs.map((_, n) => String(n)),
  );
});

test("Where there is no bubblewrap only programs that fence themselves start, and under limits", async () => {
  const reduced = await createJail({ env: { PATH: "/nonexistent" } });
  assert.equal(reduced.level, "reduced");
  assert.match(reduced.reason ?? "", /bubblewrap is not installed|sandbox/);
  await assert.rejects(
    reduced.run({ argv: [NODE, "-p", "1"] }),
    (error: DeputyError) => error.code === "UNSUPPORTED" && /bubblewrap/.test(error.hint ?? ""),
  );
  const options = { reducedOk: true, env: {} };
  const { stdout } = await reduced.run({ argv: [NODE, "-p", "JSON.stringify(process.env)"], ...options });
  assert.equal(stdout.toString().trim(), "{}");
  const stuck = await reduced.run({ argv: [NODE, "-e", "for (;;);"], ...options, limits: { wallMs: 500 } });
  assert.equal(stuck.exit.stopped, "wall");
  const hungry = "const a = []; setInterval(() => a.push(Buffer.alloc(3e7, 1)), 10)";
  const limits = { memoryBytes: 300e6, wallMs: 30_000 };
  const full = await reduced.run({ argv: [NODE, "-e", hungry], ...options, limits });
  assert.equal(full.exit.stopped, "memory");
});
