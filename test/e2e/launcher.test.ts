/** bin/deputy on a Node that is too old: it restarts on the one that came along, or says what to install. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { launcher, TestHome } from "../support/deputy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Makes this Node say that it is an older one. */
function pretending(folder: string): string {
  const script = join(folder, "older.cjs");
  const lie = "Object.defineProperty(process.versions, 'node', { value: '18.20.0' });";
  // Only the first process lies: the one it starts is what is tested.
  writeFileSync(script, `if (!process.env.SECOND) { ${lie} process.env.SECOND = "1"; }`);
  return script;
}

test("on an older Node the launcher restarts on the Node that came with Deputy and passes its status on", () => {
  using folder = temporaryFolder("launcher");
  const env = { PATH: process.env["PATH"], HOME: folder.path };
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ["-r", pretending(folder.path), launcher, ...args], {
      env,
      encoding: "utf8",
    });
  const { version } = JSON.parse(readFileSync(join(launcher, "../../package.json"), "utf8"));
  const good = run("--version");
  assert.deepEqual([good.stdout.trim(), good.status], [version, 0], good.stderr);
  assert.equal(run("vualt").status, 2);
});

test("a descriptor that holds a passphrase reaches the Node that came with Deputy", async () => {
  await using home = new TestHome();
  const file = join(home.root, "passphrase.txt");
  writeFileSync(file, "correct horse battery\n");
  const fd = openSync(file, "r");
  const words = ["setup", "--key", "passphrase", "--passphrase-fd", "5", "--yes", "--json"];
  const ran = spawnSync(process.execPath, ["-r", pretending(home.root), launcher, ...words], {
    env: home.environment(),
    stdio: ["ignore", "pipe", "pipe", "ignore", "ignore", fd],
    encoding: "utf8",
  });
  closeSync(fd);
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  assert.equal(JSON.parse(ran.stdout).key, "passphrase");
});

test("without that Node the launcher says in one sentence what to install", () => {
  using folder = temporaryFolder("launcher");
  mkdirSync(join(folder.path, "bin"));
  const alone = join(folder.path, "bin", "deputy");
  copyFileSync(launcher, alone);
  copyFileSync(join(launcher, "../package.json"), join(folder.path, "bin", "package.json"));
  const ran = spawnSync(process.execPath, ["-r", pretending(folder.path), alone, "--version"], {
    encoding: "utf8",
  });
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /^Deputy needs Node 26 or newer and this is v[\d.]+: install it .*\.\n$/);
});

test("where npm left a part out because of an older Node, the launcher says how to get it", () => {
  using folder = temporaryFolder("launcher");
  const modules = join(folder.path, "node_modules");
  for (const name of ["bin", "node_modules/wreq-js"]) mkdirSync(join(folder.path, name), { recursive: true });
  for (const name of ["deputy", "package.json"])
    copyFileSync(join(launcher, "..", name), join(folder.path, "bin", name));
  writeFileSync(join(modules, "wreq-js", "package.json"), "{}");
  const { optionalDependencies } = JSON.parse(readFileSync(join(launcher, "../../package.json"), "utf8"));
  for (const name of Object.keys(optionalDependencies)) {
    const real = join(launcher, "../../node_modules", name);
    if (existsSync(real)) symlinkSync(real, join(modules, name));
  }
  const args = ["-r", pretending(folder.path), join(folder.path, "bin", "deputy"), "--version"];
  const ran = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /^npm left out a part of Deputy, .*\n  PATH="\/.*:\$PATH" npm install\n$/);
});

test("the launcher is plain JavaScript that Node 12 can parse", () => {
  const text = readFileSync(launcher, "utf8");
  assert.doesNotMatch(text, /\?\.|\?\?|=>|`|\bconst\b|\blet\b|\basync\b|#[a-z]+\b(?=.*\()/);
});
