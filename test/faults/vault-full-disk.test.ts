import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ChildScript } from "../support/child-script.ts";
import { did, unusable } from "../support/fault-form.ts";
import { key, put, TestVault } from "../support/test-vault.ts";

test("A full disk gives DISK_FULL, keeps the old row, and writes again once there is room", {
  skip: unusable("bwrap", "--ro-bind", "/", "/", "true"),
}, async (t) => {
  using vault = new TestVault();
  put(vault.open(), key(), "old");
  vault.close();
  const small = join(vault.folder, "small");
  mkdirSync(small);
  const before = ["bwrap", "--dev-bind", "/", "/", "--size", "1048576", "--tmpfs", small];
  const child = new ChildScript("vault-full-disk.ts", [vault.path, small], { before });
  const { lines, stderr } = await child.ended;
  assert.deepEqual(
    lines.filter((line) => !line.startsWith("open while full")),
    [
      "put while full: DISK_FULL",
      "read after that: old",
      "key file while full: DISK_FULL",
      "file while full: DISK_FULL",
      "read with room again: old",
      "verify: clean",
      "put with room again: stored",
    ],
    stderr,
  );
  // SQLite needs a page for its index of the log: with not one byte left it may not open, but says why.
  assert.match(lines.find((line) => line.startsWith("open while full"))!, /: (done|DISK_FULL)$/);
  did(t, { "full disks": 1 }, { lost: 0 });
});

test("A read-only folder gives READ_ONLY and the vault in it stays as it was", {
  skip: unusable("bwrap", "--ro-bind", "/", "/", "true"),
}, async (t) => {
  using vault = new TestVault();
  put(vault.open(), key(), "old");
  vault.close();
  const bytes = readFileSync(vault.path);
  const before = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", vault.folder, vault.folder];
  const child = new ChildScript("vault-read-only.ts", [vault.folder], { before });
  const { lines, stderr } = await child.ended;
  assert.deepEqual(
    lines,
    ["header: READ_ONLY", "open: READ_ONLY", "create: READ_ONLY", "key file: READ_ONLY"],
    stderr,
  );
  assert.deepEqual(readFileSync(vault.path), bytes);
  did(t, { "read-only folders": 1 }, { lost: 0 });
});
