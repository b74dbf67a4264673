import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { coded } from "../../../test/support/test-vault.ts";
import type { Header } from "../header.ts";
import { fileKey } from "./file-key.ts";

const header = (params: Header["params"]): Header => ({
  vaultId: Buffer.alloc(16),
  provider: "file",
  params,
});

test("fileKey makes a private file and gives the same key again", async () => {
  using folder = temporaryFolder("file-key");
  const path = join(folder.path, "vault.key");
  const { kek, params } = await fileKey(path).create(Buffer.alloc(16));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(kek.length, 32);
  assert.deepEqual(params, { path });
  assert.deepEqual((await fileKey(path).open(header(params))).bytes(), kek.bytes());
});

test("fileKey never overwrites a key", async () => {
  using folder = temporaryFolder("file-key");
  const path = join(folder.path, "vault.key");
  await fileKey(path).create(Buffer.alloc(16));
  const before = readFileSync(path);
  await assert.rejects(fileKey(path).create(Buffer.alloc(16)), coded("CONFLICT"));
  assert.deepEqual(readFileSync(path), before);
});

test("fileKey finds the key of a home that was moved", async () => {
  using folder = temporaryFolder("file-key");
  const [old, now] = [join(folder.path, "old"), join(folder.path, "now")];
  mkdirSync(old);
  const { kek, params } = await fileKey(join(old, "vault.key")).create(Buffer.alloc(16));
  renameSync(old, now);
  assert.deepEqual((await fileKey(join(now, "vault.key")).open(header(params))).bytes(), kek.bytes());
});

test("fileKey refuses a key others can read, be it by group or by all", async () => {
  using folder = temporaryFolder("file-key");
  const path = join(folder.path, "vault.key");
  const { params } = await fileKey(path).create(Buffer.alloc(16));
  for (const mode of [0o644, 0o640, 0o660, 0o604, 0o602]) {
    chmodSync(path, mode);
    await assert.rejects(fileKey(path).open(header(params)), coded("KEY_FILE_EXPOSED"), mode.toString(8));
  }
  chmodSync(path, 0o600);
  await fileKey(path).open(header(params));
});

test("fileKey says that the key is missing, unreadable or no key", async () => {
  using folder = temporaryFolder("file-key");
  const path = join(folder.path, "vault.key");
  const provider = fileKey(path);
  await assert.rejects(provider.open(header({ path })), coded("VAULT_LOCKED"));
  mkdirSync(path, { mode: 0o700 });
  await assert.rejects(provider.open(header({ path })), coded("VAULT_LOCKED"));
  rmSync(path, { recursive: true });
  for (const content of ["", "not a key", Buffer.alloc(31).toString("base64"), Buffer.alloc(64)]) {
    writeFileSync(path, content, { mode: 0o600 });
    await assert.rejects(provider.open(header({ path })), coded("VAULT_DAMAGED"));
  }
  await assert.rejects(provider.open(header({})), coded("VAULT_DAMAGED"));
});

test("fileKey forgets a key by removing its file", async () => {
  using folder = temporaryFolder("file-key");
  const path = join(folder.path, "vault.key");
  const { params } = await fileKey(path).create(Buffer.alloc(16));
  await fileKey(path).forget(header(params));
  await fileKey(path).forget(header(params));
  await assert.rejects(fileKey(path).open(header(params)), coded("VAULT_LOCKED"));
});
