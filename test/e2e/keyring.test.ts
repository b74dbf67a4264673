/** The vault's key in a real Secret Service, through the real commands. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TestHome } from "../support/deputy.ts";
import { noKeyring, startPrivateKeyring } from "../support/private-keyring.ts";

/** What an engine needs to find the test's own keyring. */
function busOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return { DBUS_SESSION_BUS_ADDRESS: env["DBUS_SESSION_BUS_ADDRESS"]! };
}

test("setup takes the keyring where there is one, and the vault opens again after a restart", {
  skip: noKeyring,
}, async () => {
  await using keyring = await startPrivateKeyring();
  await using home = new TestHome({ env: busOf(keyring.env) });
  const made = (await home.ok(["setup", "--yes", "--json"])).json();
  assert.deepEqual([made.key, made.warnings], ["keyring", []]);
  assert.ok(!existsSync(join(home.home, "vault.key")));
  await home.set("exa.ai", "joe", "api_key", { key: "canary-keyring" });
  await home.stopEngine();
  assert.equal((await home.ok(["vault", "list", "--json"])).json().length, 1);
  const status = (await home.ok(["status", "--json"])).json();
  assert.deepEqual([status.vault.key, status.vault.rollback_detection], ["keyring", true]);
  assert.equal((await home.ok(["doctor", "--json"])).json().ok, true);
});

test("an older copy of the whole vault is noticed, and the owner can accept it", {
  skip: noKeyring,
}, async () => {
  await using keyring = await startPrivateKeyring();
  await using home = new TestHome({ env: busOf(keyring.env) });
  const vault = join(home.home, "vault.db");
  await home.ok(["setup", "--yes"]);
  await home.set("exa.ai", "joe", "api_key", { key: "canary-old" });
  await home.stopEngine();
  copyFileSync(vault, join(home.root, "older.db"));
  await home.set("exa.ai", "jane", "api_key", { key: "canary-new" });
  await home.stopEngine();
  copyFileSync(join(home.root, "older.db"), vault);
  const refused = await home.run(["vault", "list", "--json"]);
  assert.equal(refused.json().error.code, "VAULT_ROLLED_BACK");
  const found = (await home.run(["vault", "verify", "--json"])).json();
  assert.equal(found.problem.code, "VAULT_ROLLED_BACK");
  await home.ok(["vault", "verify", "--accept"]);
  assert.equal((await home.ok(["vault", "list", "--json"])).json().length, 1);
  await home.stopEngine();
  assert.equal((await home.ok(["vault", "list", "--json"])).json().length, 1, "accepted for good");
});

test("a keyring that went away locks the vault, and doctor says what to do", {
  skip: noKeyring,
}, async () => {
  const keyring = await startPrivateKeyring();
  await using home = new TestHome({ env: busOf(keyring.env) });
  try {
    await home.ok(["setup", "--yes"]);
    await home.stopEngine();
  } finally {
    await keyring[Symbol.asyncDispose]();
  }
  const listed = await home.run(["vault", "list", "--json"]);
  assert.equal(listed.json().error.code, "KEYRING_UNAVAILABLE");
  const doctor = await home.run(["doctor", "--json"]);
  assert.equal(doctor.status, 1);
  const check = doctor.json().checks.find((one: { id: string }) => one.id === "keyring");
  assert.equal(check.status, "fail");
});
