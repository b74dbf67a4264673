import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { ProfileLock } from "./index.ts";

/** Nobody takes a folder in which something has just changed. */
const settle = (path: string) => utimesSync(path, 1, 1);

test("A link that leads out of the folder for sockets has nothing removed there", {
  skip: process.platform === "win32" && "Windows has no such links",
}, async () => {
  using folder = temporaryFolder("lock");
  const [userData, precious] = [join(folder.path, "data"), join(folder.path, "precious")];
  for (const path of [userData, precious]) mkdirSync(path);
  writeFileSync(join(precious, "file"), "");
  // As a hostile profile would have it: it begins like a folder of ours, and goes elsewhere.
  const away = `${folder.path}/../${basename(folder.path)}/precious`;
  assert.ok(away.startsWith(join(tmpdir(), "deputy-")));
  symlinkSync(`${away}/SingletonSocket`, join(userData, "SingletonSocket"));
  settle(userData);
  const lock = await ProfileLock.take(userData);
  assert.ok(lock instanceof ProfileLock);
  await lock[Symbol.asyncDispose]();
  assert.deepEqual(readdirSync(precious), ["file"]);
});

test("A lock that cannot be taken leaves no folder and nothing that listens", {
  skip: process.platform === "win32" && "Windows has no such links",
}, async () => {
  using folder = temporaryFolder("lock");
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder.path;
  try {
    const notAFolder = join(folder.path, "file");
    writeFileSync(notAFolder, "");
    settle(notAFolder);
    await assert.rejects(ProfileLock.take(notAFolder), { code: "NOT_FOUND" });
    assert.deepEqual(readdirSync(folder.path), ["file"]);
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
});
