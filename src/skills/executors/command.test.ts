import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fails } from "../../../test/support/fails.ts";
import { unusable } from "../../../test/support/fault-form.ts";
import { http1Server } from "../../../test/support/http-servers.ts";
import { noJail, TestSkill } from "../../../test/support/test-skill.ts";

const KEY = "canary-key-c0ffee12";
const skip = noJail;
const skipJq = noJail || unusable("jq", "--version");
const skipGit = noJail || unusable("git", "--version");

interface CommandForm {
  readonly binary: string;
  readonly timeout?: number;
  readonly [key: string]: unknown;
}

async function load(commands: Record<string, CommandForm>, connections: object = {}) {
  const operations = Object.entries(commands).map(([name, { timeout = 30, ...command }]) => [
    name,
    { params: { a: "json" }, timeout, command },
  ]);
  const skill = await TestSkill.load(
    { connections, operations: Object.fromEntries(operations) },
    { files: { "data.json": '{"n": 41}', "tool.sh": "#!/bin/sh\necho hi\n" }, names: ["shop.test"] },
  );
  skill.allow = (need) => need.kind !== "network";
  return skill;
}

test("command hands arguments over as they are, and reads JSON or text", { skip: skipJq }, async () => {
  const add = ["-c", ".n + ($x | tonumber)", "--arg", "x", ".params.a", "./data.json"];
  await using skill = await load({
    json: { binary: "jq", args: [`"${add[0]}"`, `"${add[1]}"`, ...add.slice(2)] },
    stdin: { binary: "jq", args: ['".b"'], stdin: ".params.a" },
    text: { binary: "printf", args: ["%s\\n", ".params.a", 7, true] },
    raw: { binary: "echo", args: ["1"], response: { raw: true } },
    none: { binary: "true" },
    mapped: {
      binary: "jq",
      args: ['"."'],
      stdin: ".params.a",
      response: { root: "list", mapping: { id: ".k" } },
    },
    folder: { binary: "pwd" },
  });
  const run = (name: string, a: unknown = null) => skill.run(name, { params: { a } });
  assert.equal(await run("json", "1"), 42);
  assert.deepEqual(await run("stdin", { b: ["ü"] }), ["ü"]);
  const shell = "$(touch /tmp/x); `id` && *";
  assert.equal(await run("text", shell), `${shell}\n7\ntrue`);
  assert.equal(await run("raw"), "1\n");
  assert.equal(await run("none"), null);
  assert.deepEqual(await run("mapped", { list: [{ k: 1 }, { k: 2 }] }), [{ id: 1 }, { id: 2 }]);
  assert.equal(await run("folder"), skill.skill.folder);
});

test("command runs git on a declared folder, and git's own shell gets no further", {
  skip: skipGit,
}, async () => {
  const there = { working_dir: "~/repo", read: ["~/repo"] };
  const reach = "alias.x=!cat ../.deputy/vault.db /etc/passwd; ls ..; touch ../made";
  const author = ["-c", "user.name=a", "-c", "user.email=a@b.test"];
  await using skill = await load({
    log: { binary: "git", args: ["log", "--format=%s"], ...there },
    commit: {
      binary: "git",
      args: [...author, "commit", "--allow-empty", "-m", ".params.a"],
      working_dir: "~/repo",
      write: ["~/repo"],
    },
    alias: { binary: "git", args: ["-c", reach, "x"], ...there },
    outside: { binary: "git", args: ["log"], ...there, working_dir: "~/other" },
  });
  const repo = join(skill.home, "repo");
  mkdirSync(repo);
  mkdirSync(join(skill.home, "other"));
  writeFileSync(join(skill.home, ".deputy/vault.db"), "canary-of-the-vault");
  execFileSync("git", ["init", "-q", repo]);
  execFileSync("git", ["-C", repo, ...author, "commit", "-q", "--allow-empty", "-m", "first"]);
  assert.equal(await skill.run("log"), "first");
  await skill.run("commit", { params: { a: "second; rm -rf" } });
  assert.equal(await skill.run("log"), "second; rm -rf\nfirst");
  assert.equal(
    await skill.run("alias"),
    "repo",
    "neither file was there, nor anything else beside the folder",
  );
  assert.ok(!existsSync(join(skill.home, "made")));
  await fails(skill.run("outside"), "DENIED", /working_dir is in none of the folders/);
});

test("command refuses interpreters, what is not allowed and what is not there", { skip }, async () => {
  const refused = "sh bash node perl env xargs awk /bin/sh ~/bin/git ./tool.sh".split(" ");
  const commands: Record<string, CommandForm> = {
    find: { binary: "find", args: ["./", "-exec", "id", ";"] },
    plain: { binary: "find", args: ["./", "-name", "*.json"] },
    absent: { binary: "no-such-program-here" },
    ls: { binary: "ls" },
    path: { binary: "~/bin/ls" },
    own: { binary: "python3", args: ["-c", "print(6 * 7)"] },
    given: { binary: "python3", args: ["-c", ".params.code"] },
    other: { binary: "python3", args: ["-m", "http.server"] },
  };
  for (const [at, binary] of refused.entries()) commands[`r${at}`] = { binary, args: ["-c", "id"] };
  await using skill = await load(commands);
  mkdirSync(join(skill.home, "bin"));
  symlinkSync("/bin/sh", join(skill.home, "bin/git"));
  writeFileSync(join(skill.home, "bin/ls"), "#!/bin/sh\necho mine\n", { mode: 0o755 });
  for (const [at, binary] of refused.entries()) {
    const error = await skill.run(`r${at}`).catch((reason: unknown) => reason);
    assert.ok(error instanceof Error && "code" in error && "hint" in error, binary);
    // A program that is not installed here cannot be refused for what it is.
    if (error.code === "NOT_FOUND") continue;
    assert.match(error.message, /runs code, and commands may not/, binary);
    assert.match(String(error.hint), /typescript.*python/);
  }
  await fails(skill.run("find"), "DENIED", /find runs code/);
  for (const other of ["given", "other"])
    await fails(skill.run(other, { params: { code: "print(1)" } }), "DENIED", /python3 runs code/);
  assert.equal(await skill.run("own"), 42);
  assert.equal(await skill.run("plain"), "./data.json");
  await fails(skill.run("absent"), "NOT_FOUND", /no-such-program-here is not installed/);
  skill.allow = (need) => need.kind === "binary" && need.name === "ls";
  assert.match(String(await skill.run("ls")), /data\.json/);
  await fails(skill.run("path"), "DENIED", /nobody allowed it to read .*bin\/ls/);
  await fails(skill.run("plain"), "DENIED", /nobody allowed it to start find/);
  await fails(skill.run("own"), "DENIED", /nobody allowed it to start python3/);
});

test("command sees the declared paths, read-only unless declared otherwise", { skip }, async () => {
  await using skill = await load({
    read: { binary: "cat", args: [".params.a"], read: ["~/given"] },
    change: { binary: "cp", args: ["./data.json", ".params.a"], read: ["~/given"], write: ["~/mine"] },
    home: { binary: "cat", args: ["x"], read: ["~/.deputy"] },
    all: { binary: "ls", write: ["~"] },
    none: { binary: "ls", read: ["~/nope"] },
  });
  for (const name of ["given", "mine", "other"]) {
    mkdirSync(join(skill.home, name));
    writeFileSync(join(skill.home, name, "file"), `in ${name}`);
  }
  const run = (name: string, file: string) => skill.run(name, { params: { a: join(skill.home, file) } });
  assert.equal(await run("read", "given/file"), "in given");
  await fails(run("read", "other/file"), "SKILL_FAILED", /No such file/);
  await run("change", "mine/new");
  assert.equal(readFileSync(join(skill.home, "mine/new"), "utf8"), '{"n": 41}');
  await fails(run("change", "given/new"), "SKILL_FAILED", /Read-only file system/);
  await fails(skill.run("change", { params: { a: "./new" } }), "SKILL_FAILED", /Read-only file system/);
  for (const name of ["home", "all"]) await fails(skill.run(name), "DENIED", /Deputy's own files/);
  await fails(skill.run("none"), "NOT_FOUND", /nope/);
  skill.allow = (need) => need.kind === "binary";
  await fails(run("read", "given/file"), "DENIED", /nobody allowed it to read .*given/);
});

test("command's secrets go by stdin only, and come back masked", { skip }, async () => {
  const auth = { type: "api_key", header: { k: ".auth.key" } };
  const connections = { api: { base_url: "http://shop.test/", auth } };
  await using skill = await load(
    {
      echo: { binary: "cat", stdin: '"key=" + .auth.key' },
      coded: { binary: "base64", args: ["-w0"], stdin: ".auth.key" },
      failing: { binary: "tee", args: ["/dev/stderr", "/nope/x"], stdin: ".auth.key" },
      line: { binary: "cat", args: ["/proc/self/cmdline", "/proc/self/environ"], stdin: ".auth.key" },
    },
    connections,
  );
  skill.lender.store("shop.test", "ann", "api_key", { key: KEY });
  assert.equal(await skill.run("echo"), "key=[redacted]");
  const coded = Buffer.from(KEY).toString("base64").slice(0, 12);
  assert.ok(!String(await skill.run("coded")).includes(coded));
  await fails(skill.run("failing"), "SKILL_FAILED", /tee ended with status 1/);
  assert.doesNotMatch(String(await skill.run("line")), /canary/);
  await assert.rejects(load({ leak: { binary: "echo", args: [".auth.key"] } }, connections), /auth/);
});

test("command has no network unless that is allowed", {
  skip: skip || unusable("curl", "--version"),
}, async () => {
  await using server = await http1Server((_, response) => void response.end("reached"));
  const args = ["-s", "--max-time", "5", `http://127.0.0.1:${server.port}/`];
  await using skill = await load({ fetch: { binary: "curl", args } });
  await fails(skill.run("fetch"), "SKILL_FAILED", /curl ended with status 7/);
  assert.equal(server.connections(), 0);
  skill.allow = (need) => need.kind !== "network" || need.binary === "curl";
  assert.equal(await skill.run("fetch"), "reached");
});

test("commands that never end are ended: by time, by what they print, by the caller", { skip }, async () => {
  await using skill = await load({
    sleep: { binary: "sleep", args: ["1000"], timeout: 0.5 },
    patient: { binary: "sleep", args: ["1000"], timeout: 60 },
    yes: { binary: "yes", timeout: 60 },
    fails: { binary: "ls", args: ["/nope"] },
    expected: { binary: "ls", args: ["/nope"], statuses: [0, 2] },
  });
  await fails(skill.run("sleep"), "TIMEOUT", /shop sleep took longer than 0\.5 s/);
  const cancelled = skill.run("patient", { signal: AbortSignal.timeout(300) });
  await fails(cancelled, "CANCELLED", /shop patient was cancelled/);
  await fails(skill.run("yes"), "TOO_LARGE", /yes printed more than it may/);
  await fails(skill.run("fails"), "SKILL_FAILED", /shop fails: ls ended with status 2: .*nope/);
  assert.equal(await skill.run("expected"), null);
});
