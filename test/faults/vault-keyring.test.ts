import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import type { Environment } from "../../src/platform/index.ts";
import { ChildScript } from "../support/child-script.ts";
import { did } from "../support/fault-form.ts";
import { noKeyring, startPrivateKeyring } from "../support/private-keyring.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function steps(env: Environment, args: string[]): Promise<readonly string[]> {
  const child = new ChildScript("vault-keyring.ts", args, { env });
  const { status, lines, stderr } = await child.ended;
  assert.equal(status, 0, stderr);
  return lines;
}

test("A vault whose key is in a real Secret Service opens, and an epoch kept there finds an older file", {
  skip: noKeyring,
}, async (t) => {
  await using keyring = await startPrivateKeyring();
  using folder = temporaryFolder("vault-keyring");
  const service = `deputy-test-${randomBytes(6).toString("hex")}`;
  const args = [join(folder.path, "vault.db"), service];
  assert.deepEqual(await steps(keyring.env, [...args, "probe", "create", "open", "find", "kernel"]), [
    "probe: works",
    "create: stored",
    "open: canary-keyring",
    "find: undefined",
    "kernel: false",
  ]);
  // In another process, so that nothing is remembered.
  assert.deepEqual(await steps(keyring.env, [...args, "open", "mark", "open"]), [
    "open: canary-keyring",
    "mark: undefined then 6",
    "open: VAULT_ROLLED_BACK",
  ]);
  assert.deepEqual(await steps(keyring.env, [...args, "store", "find", "remove", "find", "forget", "open"]), [
    "store: undefined",
    "find: [redacted]",
    "remove: undefined",
    "find: undefined",
    "forget: undefined",
    "open: VAULT_LOCKED",
  ]);
  did(t, { "older files": 1 }, { unnoticed: 0 });
});

test("A killed keyring is said to be unavailable, and nothing falls to the kernel's keyring", {
  skip: noKeyring,
}, async (t) => {
  await using keyring = await startPrivateKeyring();
  using folder = temporaryFolder("vault-keyring");
  const service = `deputy-test-${randomBytes(6).toString("hex")}`;
  const args = [join(folder.path, "vault.db"), service];
  await steps(keyring.env, [...args, "create"]);
  const everything = [...args, "probe", "open", "store", "find", "kernel"];
  const unavailable = [
    "probe: unavailable",
    "open: KEYRING_UNAVAILABLE",
    "store: KEYRING_UNAVAILABLE",
    "find: KEYRING_UNAVAILABLE",
    "kernel: false",
  ];
  await keyring.killDaemon();
  assert.deepEqual(await steps(keyring.env, everything), unavailable, "the bus is there, the service is not");
  const noBus = { ...keyring.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder.path, "no-bus")}` };
  assert.deepEqual(await steps(noBus, everything), unavailable, "there is no bus");
  const unset = { ...keyring.env, DBUS_SESSION_BUS_ADDRESS: undefined };
  assert.deepEqual(await steps(unset, everything), unavailable, "nobody says where the bus is");
  did(t, { "keyrings lost": 3 }, { "keys elsewhere": 0 });
});
