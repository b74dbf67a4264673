/** The engine process: one per user, cleaned up after a crash, private. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "../../src/platform/index.ts";
import { TestHome } from "../support/deputy.ts";

const linux = process.platform === "linux" ? false : "reads /proc, which is Linux's";

async function gone(pid: number): Promise<boolean> {
  for (let i = 0; i < 200; i++) {
    if (!isRunning(pid)) return true;
    await sleep(50);
  }
  return false;
}

test("eight commands at once start one engine", async () => {
  await using home = new TestHome();
  const ran = await Promise.all(Array.from({ length: 8 }, () => home.ok(["status", "--json"])));
  const pids = new Set(ran.map((one) => one.json().engine.pid));
  assert.equal(pids.size, 1);
});

test("an engine that was killed is cleaned up by the next command, and nothing acknowledged is lost", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  for (let round = 0; round < 3; round++) {
    await home.set("exa.ai", `account-${round}`, "api_key", { key: `canary-${round}` });
    const pid = (await home.enginePid())!;
    process.kill(pid, "SIGKILL");
    assert.ok(await gone(pid));
    assert.ok(existsSync(join(home.home, "run", "engine.sock")), "it left its socket behind");
    assert.equal((await home.ok(["vault", "list", "--json"])).json().length, round + 1);
    assert.notEqual(await home.enginePid(), pid);
  }
});

test("engine stop ends it and leaves no socket; status then says so with exit status 5", async () => {
  await using home = new TestHome();
  const pid = (await home.ok(["engine", "start", "--json"])).json().pid;
  assert.equal((await home.ok(["engine", "status", "--json"])).json().pid, pid);
  assert.equal((await home.ok(["engine", "stop", "--json"])).json().stopped, true);
  assert.ok(await gone(pid));
  assert.ok(!existsSync(join(home.home, "run", "engine.sock")));
  const status = await home.run(["engine", "status", "--json"]);
  assert.deepEqual([status.json(), status.status], [{ running: false }, 5]);
  assert.equal((await home.ok(["engine", "stop", "--json"])).json().stopped, false);
});

test("an idle engine ends by itself", async () => {
  await using home = new TestHome();
  mkdirSync(home.home, { recursive: true });
  writeFileSync(join(home.home, "config.yaml"), "engine: { idle_minutes: 0.01 }\n");
  const pid = (await home.ok(["engine", "start", "--json"])).json().pid;
  assert.ok(await gone(pid));
});

test("an engine whose home was removed ends by itself", async () => {
  await using home = new TestHome();
  const pid = (await home.ok(["engine", "start", "--json"])).json().pid;
  rmSync(home.home, { recursive: true, force: true, maxRetries: 5 });
  assert.ok(await gone(pid));
});

test("a home whose path is too long for a socket works all the same", async () => {
  await using home = new TestHome({ under: "a-very-long-name-".repeat(8) });
  await home.ok(["setup", "--yes"]);
  assert.equal((await home.ok(["status", "--json"])).json().vault.state, "open");
});

test("socket and folders are private, and strangers' bytes are refused with a code", async () => {
  await using home = new TestHome();
  await home.ok(["engine", "start"]);
  const socket = join(home.home, "run", "engine.sock");
  assert.equal(statSync(socket).mode & 0o777, 0o600);
  assert.equal(statSync(join(home.home, "run")).mode & 0o777, 0o700);
  /** Until the engine ends the connection, or has answered with so many lines. */
  const say = (bytes: string, lines = Number.POSITIVE_INFINITY) =>
    new Promise<string>((resolve, reject) => {
      let answer = "";
      const client = connect(socket, () => client.write(bytes));
      client.on("data", (chunk) => {
        answer += chunk;
        if (answer.split("\n").length > lines) client.destroy();
      });
      client.on("close", () => resolve(answer));
      client.on("error", reject);
      setTimeout(() => client.destroy(), 5000).unref();
    });
  const hello = `${JSON.stringify({ hello: { version: "x", via: "cli" } })}\n`;
  for (const bytes of [
    "GET / HTTP/1.1\r\n\r\n",
    `${JSON.stringify({ id: 1, method: "status" })}\n`,
    `${JSON.stringify({ hello: { version: 1 } })}\n`,
    `${hello}[]\n`,
    `${hello}${JSON.stringify({ id: "1", method: "status" })}\n`,
  ]) {
    const last = JSON.parse((await say(bytes)).trim().split("\n").at(-1)!);
    assert.equal(last.error.code, "PROTOCOL", bytes);
  }
  const call = async (message: object) => {
    const answer = say(`${hello}${JSON.stringify(message)}\n`, 2);
    return (await answer)
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => JSON.parse(line))[0];
  };
  assert.equal((await call({ id: 1, method: "toString" })).error.code, "NOT_FOUND");
  assert.equal((await call({ id: 1, method: "vault.set", params: { domain: 5 } })).error.code, "BAD_INPUT");
  const forged = { id: 1, method: "status", params: { caller: "owner" } };
  assert.equal((await call(forged)).error.code, "BAD_INPUT", "no input may name a caller");
  assert.equal((await home.ok(["status", "--json"])).json().engine.running, true);
});

test("a call can be cancelled and the engine goes on", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  const socket = connect(join(home.home, "run", "engine.sock"));
  const lines: string[] = [];
  socket.on("data", (chunk) => lines.push(...chunk.toString().trim().split("\n")));
  const send = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
  send({ hello: { version: "x", via: "cli" } });
  send({ id: 1, method: "vault.rotate", params: {} });
  send({ id: 1, cancel: true });
  send({ id: 2, method: "engine.status", params: {} });
  for (let i = 0; i < 100 && lines.length < 3; i++) await sleep(50);
  socket.destroy();
  const answers = lines.map((line) => JSON.parse(line));
  assert.ok(answers.some((answer) => answer.id === 2 && answer.result.running === true));
  const rotated = answers.find((answer) => answer.id === 1);
  assert.ok(rotated.error?.code === "CANCELLED" || rotated.result, "cancelled, or done before it was heard");
  assert.deepEqual((await home.ok(["vault", "verify", "--json"])).json(), { rows: 0, bad: [] });
});

test("the engine inherits nothing that could redirect logins or load code", { skip: linux }, async () => {
  await using home = new TestHome();
  const hostile = {
    HTTP_PROXY: "http://evil",
    NODE_OPTIONS: "",
    LD_LIBRARY_PATH: "/evil",
    DEPUTY_RESOLVE: "a=1.2.3.4",
  };
  const pid = (await home.ok(["status", "--json"], { env: hostile })).json().engine.pid;
  const inherited = readFileSync(`/proc/${pid}/environ`, "utf8");
  for (const name of Object.keys(hostile)) assert.ok(!inherited.includes(`${name}=`), name);
  assert.match(readFileSync(`/proc/${pid}/limits`, "utf8"), /Max core file size\s+1\s+1/);
  assert.ok(readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--disable-sigusr1"));
  await home.ok(["engine", "stop"]);
  await home.ok(["engine", "start"], { env: hostile });
  const found = (await home.ok(["doctor", "--json"])).json();
  const shown = found.checks.find((check: { id: string }) => check.id === "overrides");
  assert.match(shown.message, /a is 1\.2\.3\.4/);
});

const asOther = process.getuid?.() === 0 && !linux ? false : "needs root, to become another user";

test("another process of the same user cannot read the engine's memory", { skip: asOther }, async (t) => {
  const nobody = 65534;
  await using home = new TestHome({ uid: nobody });
  rmSync(home.home, { recursive: true });
  const started = await home.run(["status", "--json"]);
  if (started.status !== 0) return t.skip("the source tree cannot be read by another user here");
  const { pid, hardening } = started.json().engine;
  assert.deepEqual(hardening, { noCoreFiles: true, notDumpable: true });
  const look = (file: string) =>
    new Promise<number | null>((resolve) => {
      const child = spawn("cat", [file], { uid: nobody, gid: nobody, stdio: "ignore" });
      child.on("close", resolve);
    });
  assert.notEqual(await look(`/proc/${pid}/environ`), 0);
  assert.notEqual(await look(`/proc/${pid}/maps`), 0);
});

test("a home somebody else has closed is told as one that cannot be written", {
  skip: asOther,
}, async (t) => {
  await using home = new TestHome({ uid: 65534 });
  const closed = join(home.root, "closed");
  mkdirSync(closed, { mode: 0o700 });
  const env = { HOME: closed, DEPUTY_HOME: "" };
  const helped = await home.run(["--version"], { env });
  if (helped.status !== 0) return t.skip("the source tree cannot be read by another user here");
  for (const args of [["status"], ["doctor"], ["engine", "status"]]) {
    const ran = await home.run([...args, "--json"], { env });
    const { code, message, hint } = ran.json().error;
    assert.deepEqual([ran.status, code], [1, "READ_ONLY"], args.join(" "));
    assert.match(message, /^Cannot prepare .*closed\/\.deputy: /);
    assert.match(hint, /Set DEPUTY_HOME/);
  }
  return undefined;
});

test("a config that cannot be used is told by doctor, and the defaults are in force", async () => {
  await using home = new TestHome();
  mkdirSync(home.home, { recursive: true });
  for (const text of ["engine: {idle_minutes: soon}\n", "shiny: true\n", "engine: [\n"]) {
    writeFileSync(join(home.home, "config.yaml"), text);
    const found = await home.run(["doctor", "--json"]);
    assert.equal(found.status, 1);
    const check = found.json().checks.find((one: { id: string }) => one.id === "config");
    assert.equal(check.status, "fail");
    assert.ok(check.hint);
    await home.ok(["engine", "stop"]);
  }
});
