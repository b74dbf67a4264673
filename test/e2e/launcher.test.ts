/** bin/deputy on a Node that is too old: it restarts on the one that came along, or says what to install. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { launcher } from "../support/deputy.ts";
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

test("the package's public doors open: the library and its cookies", async (t) => {
  const root = join(launcher, "../..");
  if (!existsSync(join(root, "dist")))
    return t.skip("not built (npm install builds, unless scripts are off)");
  const script = `
    import { Jar } from "deputize/cookies";
    import { DeputyError, version } from "deputize";
    const jar = new Jar();
    jar.set("a=1; Path=/", "https://example.com/");
    console.log(jar.header("https://example.com/"), typeof DeputyError, version);`;
  const args = ["--input-type=module", "-e", script];
  const ran = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  assert.equal(ran.stdout, `a=1 function ${version}\n`, ran.stderr);
});

test("the launcher is plain JavaScript that Node 12 can parse", () => {
  const text = readFileSync(launcher, "utf8");
  assert.doesNotMatch(text, /\?\.|\?\?|=>|`|\bconst\b|\blet\b|\basync\b|#[a-z]+\b(?=.*\()/);
});
