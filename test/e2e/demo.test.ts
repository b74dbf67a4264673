/** The demonstration: whole, on a machine that has nothing, and cut short. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { launcher } from "../support/deputy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const TITLES = [
  "A login you already have is found",
  "A skill acts as you",
  "The site changes the login with every answer",
  "A second account stays separate",
  "A hostile skill tries to steal the login",
  "Two agents browse, each in a session of its own",
  "The login goes where you need it",
  "Your agent uses it over MCP",
  "What is left",
];

interface Demo {
  readonly child: ChildProcess;
  readonly shown: () => string;
  readonly ended: Promise<number | null>;
}

/** In an empty home; `bare`: as on a machine with nothing but Node and the plainest of programs. */
function start(folder: string, args: string[] = [], { bare = false } = {}): Demo {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  for (const name of ["cat", "env", "ls", "sh", "true"]) symlinkSync(`/bin/${name}`, join(bin, name));
  const home = join(folder, "home");
  const tmp = join(folder, "tmp");
  for (const path of [home, tmp]) mkdirSync(path);
  const child = spawn(process.execPath, [launcher, "demo", ...args], {
    env: { PATH: bare ? bin : process.env["PATH"], HOME: home, TMPDIR: tmp, CLAUDECODE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let shown = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (shown += text));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, shown: () => shown, ended };
}

async function until(demo: Demo, words: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    demo.child.stdout?.on("data", () => {
      if (demo.shown().includes(words)) resolve();
    });
    demo.child.on("close", () => reject(new Error(`it ended before: ${words}\n${demo.shown()}`)));
  });
}

/** Files and processes that should have gone: whoever was started there has the folder in its environment or arguments. */
function left(folder: string): string[] {
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "latin1");
    } catch {
      return ""; // gone meanwhile
    }
  };
  const pids = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  const processes = pids
    .filter((pid) => `${read(pid, "environ")}${read(pid, "cmdline")}`.includes(folder))
    .map((pid) => read(pid, "cmdline").replaceAll("\0", " "));
  return [...processes, ...readdirSync(join(folder, "tmp")), ...readdirSync(join(folder, "home"))];
}

/** The site's tokens are 32 hexadecimal digits; so are handles, which are worth nothing. */
function tokensIn(text: string): string[] {
  return text.replace(/deputy-handle-[0-9a-f]+/g, "").match(/[0-9a-f]{32}/g) ?? [];
}

const skip = process.platform === "win32" ? "it is shown on systems with a shell" : false;

describe("deputy demo", { skip, concurrency: true }, () => {
  test("every claim holds, in plain text where there is no terminal, and nothing is left", async () => {
    using folder = temporaryFolder("demo");
    const demo = start(folder.path);
    const status = await demo.ended;
    const shown = demo.shown();
    assert.equal(status, 0, shown);
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    assert.doesNotMatch(shown, /[\x00-\x08\x0b-\x1f]/, "no escape codes, no carriage returns");
    TITLES.forEach((title, i) => assert.ok(shown.includes(`\n${i + 1}. ${title}\n`), title));
    assert.match(shown, /\n(\d+) of \1 claims held, in \d+ seconds\.\n/);
    assert.ok(!shown.includes("✗") && shown.split("\n").length < 130, shown);
    assert.deepEqual(tokensIn(shown), []);
    assert.deepEqual(left(folder.path), []);
  });

  test("with nothing but Node it shows what it can, and says what it left out and why", async () => {
    using folder = temporaryFolder("demo");
    const demo = start(folder.path, ["--json"], { bare: true });
    const status = await demo.ended;
    assert.equal(status, 0, demo.shown());
    const shown = JSON.parse(demo.shown());
    assert.deepEqual([shown.ok, shown.interrupted, shown.held], [true, null, shown.claims]);
    assert.deepEqual(
      shown.chapters.map(({ title }: { title: string }) => title),
      TITLES,
    );
    for (const { title, claims } of shown.chapters)
      assert.equal(claims.length > 0, title !== TITLES[5], `${title} claims something`);
    const skipped = shown.skipped.map(({ what }: { what: string }) => what);
    assert.deepEqual(skipped, [
      "signing in with a real browser",
      ...(process.platform === "linux" ? ["the jail around a skill's code"] : []),
      "browser sessions for agents",
    ]);
    assert.deepEqual(tokensIn(demo.shown()), []);
    assert.deepEqual(left(folder.path), []);
  });

  test("Ctrl-C, said twice and while an engine is starting, leaves nothing behind", async () => {
    using folder = temporaryFolder("demo");
    const demo = start(folder.path, [], { bare: true });
    await until(demo, "deputy setup");
    demo.child.kill("SIGINT");
    demo.child.kill("SIGINT");
    assert.equal(await demo.ended, 130);
    assert.match(demo.shown(), /It was interrupted before its end/);
    assert.deepEqual(left(folder.path), []);
  });

  test("a reader that goes away ends it, with everything it started", async () => {
    using folder = temporaryFolder("demo");
    const demo = start(folder.path, [], { bare: true });
    await until(demo, "deputy login");
    demo.child.stdout?.destroy();
    assert.equal(await demo.ended, 141);
    assert.deepEqual(left(folder.path), []);
  });
});
