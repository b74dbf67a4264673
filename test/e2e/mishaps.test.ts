/** What people and programs do that nobody planned for. Each of these once lost data, hung or showed a stack trace. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { isRunning } from "../../src/platform/index.ts";
import { launcher, TestHome } from "../support/deputy.ts";

const passphrase = "correct horse battery";
const fd = ["--passphrase-fd", "3"];

function edit(home: TestHome, sql: string): void {
  const db = new DatabaseSync(join(home.home, "vault.db"));
  db.exec(sql);
  db.close();
}

const accounts = async (home: TestHome) =>
  (await home.ok(["vault", "list", "--json"])).json().map((row: { identifier: string }) => row.identifier);

test("a copied home that gets another key leaves the original's key alone", async () => {
  await using home = new TestHome();
  await using copy = new TestHome({ bare: true });
  await home.ok(["setup", "--yes"]);
  await home.set("exa.ai", "joe", "api_key", { key: "canary-copy" });
  await home.stopEngine();
  cpSync(home.home, copy.home, { recursive: true });
  await copy.ok(["vault", "rekey", "--key", "passphrase", ...fd], { passphrase });
  assert.ok(!existsSync(join(copy.home, "vault.key")));
  assert.deepEqual(await accounts(home), ["joe"]);
  assert.deepEqual(await accounts(copy), ["joe"]);
});

test("a vault whose file is taken away under a running engine is never written to again", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  await home.set("exa.ai", "joe", "api_key", { key: "canary-gone" });
  for (const name of readdirSync(home.home).filter((name) => name.startsWith("vault.db")))
    rmSync(join(home.home, name));
  assert.equal((await home.run(["vault", "list", "--json"])).json().error.code, "NOT_SET_UP");
  assert.equal((await home.ok(["setup", "--yes", "--json"])).json().created, true);
  await home.set("exa.ai", "jane", "api_key", { key: "canary-new" });
  await home.stopEngine();
  assert.deepEqual(await accounts(home), ["jane"], "what was acknowledged is in the new vault");
});

test("a rekey that cannot be done leaves no key behind and can be tried again", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--key", "passphrase", ...fd], { passphrase });
  await home.set("exa.ai", "joe", "api_key", { key: "canary-one" });
  await home.set("exa.ai", "jane", "api_key", { key: "canary-two" });
  await home.stopEngine();
  edit(home, "DELETE FROM rows WHERE identifier = 'joe'");
  await home.run(["vault", "unlock", ...fd], { passphrase });
  const refused = await home.run(["vault", "rekey", "--key", "file", "--json"]);
  assert.equal(refused.json().error.code, "VAULT_TAMPERED");
  assert.ok(!existsSync(join(home.home, "vault.key")));
  await home.ok(["vault", "verify", "--accept"]);
  await home.ok(["vault", "rekey", "--key", "file"]);
  await home.stopEngine();
  assert.deepEqual(await accounts(home), ["jane"]);
});

test("rekey makes new data keys: the old key and an old copy do not open what is written later", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  await home.set("exa.ai", "joe", "api_key", { key: "canary-before" });
  await home.ok(["vault", "rekey", "--key", "passphrase", ...fd], { passphrase });
  await home.stopEngine();
  const db = new DatabaseSync(join(home.home, "vault.db"));
  const rows = db.prepare("SELECT key_version FROM rows").all();
  const ring = db.prepare("SELECT key_version FROM ring").all();
  db.close();
  assert.deepEqual([rows[0]!["key_version"], ring.map((row) => row["key_version"])], [2, [2]]);
});

test("one passphrase is not tried where another is meant", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--key", "passphrase", ...fd], { passphrase });
  await home.stopEngine();
  const file = join(home.root, "x.age");
  const locked = await home.run(["vault", "export", file, ...fd, "--json"], { passphrase: "for the export" });
  assert.equal(locked.json().error.code, "VAULT_LOCKED");
  const both = await home.run(["vault", "export", file, ...fd, "--unlock-fd", "0", "--json"], {
    passphrase: "for the export",
    input: `${passphrase}\r\n`,
  });
  assert.equal(both.status, 0, both.stdout);
  const wrong = await home.run(["vault", "unlock", ...fd, "--json"], { passphrase: "not this one" });
  assert.equal(wrong.json().error.code, "WRONG_KEY", "an open vault does not make a wrong passphrase right");
});

test("a passphrase is measured in characters", async () => {
  await using home = new TestHome();
  const short = await home.run(["setup", "--key", "passphrase", ...fd, "--json"], { passphrase: "ёёёё" });
  assert.equal(short.json().error.code, "BAD_INPUT");
});

test("a damaged row can be replaced, is left out of an export and can be removed whatever its name is", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  for (const account of ["joe", "jane", "jill"])
    await home.set("exa.ai", account, "api_key", { key: `canary-${account}` });
  await home.stopEngine();
  edit(home, "UPDATE rows SET sealed = zeroblob(90) WHERE identifier IN ('joe', 'jane')");
  await home.set("exa.ai", "joe", "api_key", { key: "canary-again" });
  const file = join(home.root, "x.age");
  const exported = await home.run(["vault", "export", file, ...fd, "--json"], { passphrase });
  assert.deepEqual([exported.status, exported.json().rows, exported.json().unreadable], [1, 2, 1]);
  await home.stopEngine();
  edit(home, "UPDATE rows SET domain = char(27) || '[2J/not a host' WHERE identifier = 'jane'");
  await home.ok(["vault", "verify", "--accept", "--remove-damaged"]);
  assert.deepEqual((await accounts(home)).sort(), ["jill", "joe"]);
});

test("escape sequences in a tampered vault do not reach the terminal", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  await home.set("exa.ai", "joe", "api_key", { key: "canary-escape" });
  await home.stopEngine();
  edit(home, "UPDATE rows SET domain = char(27) || '[2Jexa.ai', item_type = char(27) || ']0;x' || char(7)");
  for (const args of [
    ["vault", "verify"],
    ["vault", "list"],
    ["vault", "remove", "exa.ai", "\u001b[2Jjoe"],
  ]) {
    const ran = await home.run(args);
    assert.ok(!`${ran.stdout}${ran.stderr}`.includes("\u001b"), args.join(" "));
  }
});

test("importing a pipe, a folder or a missing file is refused and the engine goes on", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  const pipe = join(home.root, "pipe");
  spawnSync("mkfifo", [pipe]);
  for (const [path, code] of [
    [pipe, "BAD_INPUT"],
    [home.root, "BAD_INPUT"],
    ["/dev/zero", "BAD_INPUT"],
    [join(home.root, "none"), "NOT_FOUND"],
  ] as const) {
    const ran = await home.run(["vault", "import", path, ...fd, "--json"], { passphrase });
    assert.equal(ran.json().error.code, code, path);
  }
  for (const path of [join(home.root, "no", "such", "folder.age"), home.root]) {
    const ran = await home.run(["vault", "export", path, "--force", ...fd, "--json"], { passphrase });
    assert.ok(["NOT_FOUND", "BAD_INPUT"].includes(ran.json().error.code), ran.stdout);
  }
  assert.deepEqual(await accounts(home), []);
});

test("an engine that does not answer is told as such, with exit status 5", async () => {
  await using home = new TestHome();
  const pid = (await home.ok(["engine", "start", "--json"])).json().pid;
  process.kill(pid, "SIGSTOP");
  try {
    const ran = await home.run(["status", "--json"]);
    assert.deepEqual([ran.json().error.code, ran.status], ["ENGINE_UNREACHABLE", 5]);
  } finally {
    process.kill(pid, "SIGCONT");
  }
});

test("a reader that closes early gets no stack trace", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  for (const command of ["--help", "vault list --json", "doctor"]) {
    const line = `"${process.execPath}" "${launcher}" ${command} | true; exit \${PIPESTATUS[0]}`;
    const ran = spawnSync("bash", ["-c", line], { env: home.environment(), encoding: "utf8" });
    assert.deepEqual([ran.status, ran.stderr], [0, ""], command);
  }
  const full = spawnSync("bash", ["-c", `"${process.execPath}" "${launcher}" --help > /dev/full`], {
    encoding: "utf8",
  });
  assert.equal(full.status, 1);
  assert.match(full.stderr, /^deputy: Cannot write the output \(ENOSPC\)\n$/);
});

test("doctor and status still answer where the vault is no vault", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  await home.stopEngine();
  writeFileSync(join(home.home, "vault.db"), "garbage ".repeat(1000));
  const doctor = await home.run(["doctor", "--json"]);
  assert.equal(doctor.status, 1);
  const check = doctor.json().checks.find((one: { id: string }) => one.id === "vault");
  assert.equal(check.status, "fail");
  assert.equal((await home.ok(["status", "--json"])).json().vault.problem.code, "DATABASE_CORRUPT");
  // The way out that the hint names.
  await home.stopEngine();
  rmSync(join(home.home, "vault.db"));
  assert.equal((await home.ok(["setup", "--yes", "--json"])).json().created, true);
});

test("a folder that holds other things is not closed to others, and not used", async () => {
  await using home = new TestHome({ bare: true });
  mkdirSync(home.home);
  writeFileSync(join(home.home, "thesis.txt"), "mine");
  chmodSync(home.home, 0o755);
  const ran = await home.run(["status", "--json"]);
  assert.equal(ran.json().error.code, "HOME_UNUSABLE");
  assert.equal(statSync(home.home).mode & 0o777, 0o755);
});

test("input that is not UTF-8 is refused, not altered", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  const input = Buffer.concat([Buffer.from('{"key":"'), Buffer.from([0xff, 0xfe]), Buffer.from('abc"}')]);
  const args = ["vault", "set", "exa.ai", "joe", "--type", "api_key", "--json"];
  assert.equal((await home.run(args, { input })).json().error.code, "BAD_INPUT");
  const marked = await home.ok(args, { input: '\ufeff{"key":"canary-with-a-mark"}' });
  assert.equal(marked.json().replaced, false);
});

test("a connection that was refused is not served afterwards", async () => {
  await using home = new TestHome();
  await home.ok(["engine", "start"]);
  const { connect } = await import("node:net");
  const socket = connect(join(home.home, "run", "engine.sock"));
  socket.on("error", () => {});
  const lines = [
    "junk first",
    { hello: { version: "x", via: "cli" } },
    { id: 1, method: "engine.stop", params: {} },
  ];
  socket.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  socket.resume();
  await new Promise((resolve) => socket.on("close", resolve));
  assert.equal((await home.run(["engine", "status", "--json"])).json().running, true);
});

test("every spelling of a home with a long path reaches the same engine", async () => {
  await using home = new TestHome({ under: "a-very-long-name-".repeat(8) });
  const pid = (await home.ok(["engine", "start", "--json"])).json().pid;
  const elsewhere = join(home.root, "tmp");
  mkdirSync(elsewhere);
  const again = await home.ok(["status", "--json"], { env: { TMPDIR: elsewhere } });
  assert.equal(again.json().engine.pid, pid);
});

test("engine stop returns when the process is gone, so that the home can be removed at once", async () => {
  await using home = new TestHome();
  const pid = (await home.ok(["engine", "start", "--json"])).json().pid;
  await home.stopEngine();
  assert.equal(isRunning(pid), false);
  rmSync(home.home, { recursive: true });
});
