import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
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
  assert.deepEqual(params, {}, "a home that is copied finds its own key");
  assert.deepEqual((await fileKey(path).open(header(params))).bytes(), kek.bytes());
});

test("fileKey that could not be written leaves no file, which would pass for a key at the next try", {
  skip: process.platform === "win32" && "limits are set by a POSIX shell",
}, () => {
  using folder = temporaryFolder("file-key");
  const path = join(folder.path, "vault.key");
  const script = `
    import { fileKey } from ${JSON.stringify(join(import.meta.dirname, "file-key.ts"))};
    await fileKey(${JSON.stringify(path)}).create(Buffer.alloc(16)).catch(() => console.log("failed"));`;
  const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "-e", script];
  const noRoom = 'trap "" XFSZ; ulimit -f 0; exec "$@"';
  const said = execFileSync("/bin/sh", ["-c", noRoom, "sh", process.execPath, ...flags], {
    encoding: "utf8",
  });
  assert.deepEqual([said, existsSync(path)], ["failed\n", false]);
});

test("fileKey in a place the owner named never overwrites a file", async () => {
  using folder = temporaryFolder("file-key");
  const [beside, named] = [join(folder.path, "vault.key"), join(folder.path, "named.key")];
  const { params } = await fileKey(beside, named).create(Buffer.alloc(16));
  assert.deepEqual(params, { path: named });
  const before = readFileSync(named);
  await assert.rejects(fileKey(beside, named).create(Buffer.alloc(16)), coded("CONFLICT"));
  assert.deepEqual(readFileSync(named), before);
});

test("fileKey serves again where its vault was moved away, and undo leaves what it did not make", async () => {
  using folder = temporaryFolder("file-key");
  const path = join(folder.path, "vault.key");
  const first = await fileKey(path).create(Buffer.alloc(16));
  const again = await fileKey(path).create(Buffer.alloc(16, 1));
  assert.deepEqual(again.kek.bytes(), first.kek.bytes());
  await again.undo();
  assert.ok(existsSync(path));
  await first.undo();
  assert.ok(!existsSync(path));
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
  await assert.rejects(provider.open(header({ path: 7 })), coded("VAULT_DAMAGED"));
});

test("fileKey retires its own file and leaves the owner's, saying so", async () => {
  using folder = temporaryFolder("file-key");
  const [beside, named] = [join(folder.path, "vault.key"), join(folder.path, "named.key")];
  const own = await fileKey(beside).create(Buffer.alloc(16));
  assert.equal(await fileKey(beside).retire(header(own.params)), undefined);
  assert.ok(!existsSync(beside));
  const other = await fileKey(beside, named).create(Buffer.alloc(16));
  assert.match((await fileKey(beside).retire(header(other.params))) ?? "", /still there/);
  assert.ok(existsSync(named));
});
