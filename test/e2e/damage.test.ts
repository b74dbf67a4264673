/** What a person sees when the files under Deputy are not as it left them: a code, a hint, and nothing lost. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { TestHome } from "../support/deputy.ts";
import { unusable } from "../support/fault-form.ts";

const pattern = new TestHome();

before(async () => {
  await pattern.ok(["setup", "--yes"]);
  await pattern.set("exa.ai", "joe", "api_key", { key: "canary-one" });
  await pattern.set("exa.ai", "jane", "api_key", { key: "canary-two" });
  await pattern.stopEngine();
});
after(() => pattern[Symbol.asyncDispose]());

/** A vault with two rows and no engine: its file is whole, without a log beside it. */
function filledVault(): TestHome {
  const home = new TestHome({ bare: true });
  cpSync(pattern.home, home.home, { recursive: true });
  return home;
}

function edit(home: TestHome, sql: string): void {
  const db = new DatabaseSync(join(home.home, "vault.db"));
  db.exec(sql);
  db.close();
}

async function expectError(home: TestHome, code: string): Promise<void> {
  const ran = await home.run(["vault", "list", "--json"]);
  assert.equal(ran.status, 1, ran.stdout);
  assert.equal(ran.json().error.code, code);
  assert.ok(ran.json().error.hint);
  await home.stopEngine();
}

test("a vault of a newer version is refused and not changed", async () => {
  await using home = filledVault();
  edit(home, "UPDATE header SET format = 99");
  const before = readFileSync(join(home.home, "vault.db"));
  await expectError(home, "VAULT_NEWER");
  assert.deepEqual(readFileSync(join(home.home, "vault.db")), before);
});

test("a truncated vault is refused", async () => {
  await using home = filledVault();
  truncateSync(join(home.home, "vault.db"), 6000);
  await expectError(home, "DATABASE_CORRUPT");
});

test("a file that is no vault is refused", async () => {
  await using home = filledVault();
  writeFileSync(join(home.home, "vault.db"), "not a database ".repeat(1000));
  await expectError(home, "DATABASE_CORRUPT");
});

test("a vault without its key file says which file is missing, and works again when it is back", async () => {
  await using home = filledVault();
  const key = join(home.home, "vault.key");
  copyFileSync(key, join(home.root, "kept"));
  rmSync(key);
  await expectError(home, "VAULT_LOCKED");
  copyFileSync(join(home.root, "kept"), key);
  chmodSync(key, 0o644);
  await expectError(home, "KEY_FILE_EXPOSED");
  chmodSync(key, 0o600);
  assert.equal((await home.ok(["vault", "list", "--json"])).json().length, 2);
});

test("one damaged row costs that row: list and verify name it, the other stays", async () => {
  await using home = filledVault();
  edit(home, "UPDATE rows SET sealed = zeroblob(100) WHERE identifier = 'joe'");
  const rows = (await home.ok(["vault", "list", "--json"])).json();
  assert.deepEqual(
    rows.map((row: { identifier: string; problem?: string }) => [row.identifier, row.problem]),
    [
      ["jane", undefined],
      ["joe", "VAULT_DAMAGED"],
    ],
  );
  const verified = await home.run(["vault", "verify", "--json"]);
  assert.equal(verified.status, 1);
  assert.deepEqual(verified.json().bad, [
    { domain: "exa.ai", identifier: "joe", item_type: "api_key", code: "VAULT_DAMAGED" },
  ]);
  await home.ok(["vault", "remove", "exa.ai", "joe"]);
  assert.deepEqual((await home.ok(["vault", "verify", "--json"])).json().bad, []);
});

test("a row whose name hides something is removed by the words the list shows", async () => {
  await using home = filledVault();
  edit(home, "UPDATE rows SET identifier = 'jo' || char(8238) || 'e' || char(10) WHERE identifier = 'joe'");
  await home.run(["vault", "verify", "--accept", "--json"]);
  const { stdout } = await home.ok(["vault", "list"]);
  const shown = /^exa\.ai +(\S+) +api_key +damaged/m.exec(stdout)?.[1];
  assert.equal(shown, "jo\\u{202e}e\\u{a}");
  assert.equal((await home.run(["vault", "remove", "exa.ai", "joe"])).status, 1);
  await home.ok(["vault", "remove", "exa.ai", shown]);
  assert.deepEqual((await home.ok(["vault", "verify", "--json"])).json().bad, []);
});

test("a row removed behind Deputy's back is noticed, and the owner can accept the rest", async () => {
  await using home = filledVault();
  edit(home, "DELETE FROM rows WHERE identifier = 'joe'");
  await expectError(home, "VAULT_TAMPERED");
  const verified = await home.run(["vault", "verify", "--json"]);
  assert.equal(verified.status, 1);
  assert.equal(verified.json().problem.code, "VAULT_TAMPERED");
  assert.match(verified.json().problem.hint, /--accept/);
  await home.ok(["vault", "verify", "--accept"]);
  assert.equal((await home.ok(["vault", "list", "--json"])).json().length, 1);
});

const bwrap = unusable("bwrap", "--ro-bind", "/", "/", "true");

test("a read-only home is told as such", { skip: bwrap }, async () => {
  await using home = filledVault();
  const prefix = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", home.home, home.home, "--die-with-parent"];
  for (const args of [["vault", "list"], ["status"], ["setup", "--yes"]]) {
    const ran = await home.run([...args, "--json"], { prefix });
    assert.equal(ran.json().error.code, "READ_ONLY", args.join(" "));
    assert.ok(ran.json().error.hint);
  }
});

test("a home that cannot be made is told as such", async () => {
  await using home = new TestHome({ bare: true });
  mkdirSync(home.root, { recursive: true });
  writeFileSync(home.home, "a file in the way");
  const ran = await home.run(["status", "--json"]);
  assert.equal(ran.json().error.code, "HOME_UNUSABLE");
  rmSync(home.home);
});

test("a full disk is told as such, and what was stored before is still there", { skip: bwrap }, async () => {
  await using home = new TestHome();
  // The whole story in one sandbox: its small disk lives as long as its first process.
  const script = [
    `deputy() { "${process.execPath}" bin/deputy "$@"; }`,
    "deputy setup --yes >/dev/null || exit 10",
    `echo '{"key":"canary-small"}' | deputy vault set exa.ai joe --type api_key >/dev/null || exit 11`,
    `head -c 100000000 /dev/zero > "$DEPUTY_HOME/ballast" 2>/dev/null`,
    `head -c 1000000 /dev/zero | tr '\\0' x | sed 's/^/{"key":"/; s/$/"}/' | deputy vault set exa.ai jane --type api_key --json`,
    `rm "$DEPUTY_HOME/ballast"`,
    "deputy vault list --json || exit 12",
    "deputy vault verify >/dev/null || exit 13",
    "deputy engine stop >/dev/null",
  ].join("\n");
  mkdirSync(home.home, { recursive: true });
  const sandbox = [
    "--dev-bind",
    "/",
    "/",
    "--size",
    String(8 * 1024 * 1024),
    "--tmpfs",
    home.home,
    "--die-with-parent",
  ];
  const ran = spawnSync("bwrap", [...sandbox, "bash", "-c", script], {
    env: home.environment(),
    cwd: join(import.meta.dirname, "../.."),
    encoding: "utf8",
  });
  assert.equal(ran.status, 0, `${ran.stdout}${ran.stderr}`);
  const [failed, list] = ran.stdout.split(/\n(?=\[)/).map((text) => JSON.parse(text));
  assert.equal(failed.error.code, "DISK_FULL");
  assert.deepEqual(
    list.map((row: { identifier: string }) => row.identifier),
    ["joe"],
  );
});
