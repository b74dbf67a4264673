import assert from "node:assert/strict";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { NOW, testSurface, wanted } from "../../test/contracts/surface.ts";
import { PUBLIC_KEYS, writeChromiumProfile } from "../../test/support/chromium-profile.ts";
import { fails } from "../../test/support/fails.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { CHROMIUM_SCHEMA, deriveSealingKey, type FoundKeys, type SealingKeys } from "../chromium/index.ts";
import { createBrowsers } from "../browsers/index.ts";
import type { Cookie } from "../cookies/index.ts";
import { readEnvironment } from "../platform/index.ts";
import { createChromiumProfileSurface } from "./index.ts";

const clock = { now: () => NOW };

function surfaceOn(folder: string, keys: SealingKeys = PUBLIC_KEYS, sessionDays?: number) {
  const keysFor = async (): Promise<FoundKeys> => ({ keys, problems: [] });
  const profile = join(folder, "Default");
  return createChromiumProfileSurface({
    profile,
    keysFor,
    clock,
    backups: join(folder, "backups"),
    sessionDays,
  });
}

async function readBack(folder: string): Promise<Cookie[]> {
  using browsers = createBrowsers({ env: readEnvironment(), platform: "linux", clock });
  const { cookies, warnings } = await browsers.read(browsers.find({ profile: join(folder, "Default") }));
  assert.deepEqual(
    warnings.filter(({ code }) => code !== "DEVICE_BOUND"),
    [],
  );
  return cookies;
}

testSurface({
  name: "closed Chromium profile",
  rounds: 25,
  async make() {
    const folder = temporaryFolder("profile");
    writeChromiumProfile(join(folder.path, "Default"), []);
    return {
      surface: surfaceOn(folder.path),
      read: () => readBack(folder.path),
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  },
});

test("a profile keeps every cookie that is not meant, in every known version, and a backup of what was", async () => {
  for (const version of [18, 20, 21, 23, 24]) {
    using folder = temporaryFolder("profile");
    const others = Array.from({ length: 40 }, (_, i) =>
      wanted({ name: `n${i}`, domain: `site${i % 7}.example` }),
    );
    writeChromiumProfile(join(folder.path, "Default"), others, { version });
    const want = [wanted({ name: "new" }), wanted({ name: "n1", domain: "site1.example", value: "changed" })];
    const delivery = await surfaceOn(folder.path).deliver(want, []);
    assert.deepEqual([delivery.delivered, delivery.refused], [2, []]);
    const found = await readBack(folder.path);
    assert.equal(found.length, 41);
    assert.equal(found.find(({ name }) => name === "n1")?.value, "changed");
    const [backup = ""] = readdirSync(join(folder.path, "backups"));
    assert.equal(readdirSync(join(folder.path, "backups", backup)).length, 1);
  }
});

test("a bounded number of backups is kept, and none where nothing changed", async () => {
  using folder = temporaryFolder("profile");
  writeChromiumProfile(join(folder.path, "Default"), []);
  for (let i = 0; i < 6; i++) {
    const later = { now: () => NOW + i * 1000 };
    const profile = join(folder.path, "Default");
    const keysFor = async (): Promise<FoundKeys> => ({ keys: PUBLIC_KEYS, problems: [] });
    const backups = join(folder.path, "backups");
    const surface = createChromiumProfileSurface({ profile, keysFor, clock: later, backups });
    await surface.deliver([wanted({ value: `v${i}` })], []);
    await surface.deliver([wanted({ value: `v${i}` })], []);
  }
  const [own = ""] = readdirSync(join(folder.path, "backups"));
  assert.equal(readdirSync(join(folder.path, "backups", own)).length, 3);
});

test("an unknown version, a strange column, another key and a missing store are refused, and nothing changes", async () => {
  using folder = temporaryFolder("profile");
  const path = writeChromiumProfile(join(folder.path, "Default"), [wanted({ name: "old" })]);
  const withVersion = (version: string) => {
    using db = new DatabaseSync(path);
    db.prepare("UPDATE meta SET value = ? WHERE key = 'version'").run(version);
  };
  for (const version of ["17", "25", "x"]) {
    withVersion(version);
    await fails(surfaceOn(folder.path).deliver([wanted({})], []), "UNSUPPORTED", /version/);
  }
  withVersion("24");
  const other = { v10: deriveSealingKey("other", 1) };
  await fails(surfaceOn(folder.path, other).deliver([wanted({})], []), "WRONG_KEY", /another key/);
  await fails(surfaceOn(folder.path, {}).deliver([wanted({})], []), "KEYRING_UNAVAILABLE", /key/);
  assert.deepEqual(
    (await readBack(folder.path)).map(({ name }) => name),
    ["old"],
  );
  {
    using db = new DatabaseSync(path);
    const [, table = ""] = CHROMIUM_SCHEMA.split(";");
    db.exec(`DROP TABLE cookies; ${table.replace("name TEXT", "strange TEXT NOT NULL, name TEXT")}`);
  }
  await fails(surfaceOn(folder.path).deliver([wanted({})], []), "UNSUPPORTED", /form/);
  await fails(
    surfaceOn(join(folder.path, "none")).deliver([wanted({})], []),
    "BROWSER_NOT_FOUND",
    /no cookie store/,
  );
});

test("rows of the keyring's key stay with it: new ones are sealed the same way", async () => {
  using folder = temporaryFolder("profile");
  const keys = { ...PUBLIC_KEYS, v11: deriveSealingKey("of the keyring", 1) };
  const path = writeChromiumProfile(join(folder.path, "Default"), [wanted({ name: "old" })], { keys });
  const asked: string[] = [];
  const surface = createChromiumProfileSurface({
    profile: join(folder.path, "Default"),
    keysFor: async (prefixes) => {
      asked.push(...prefixes);
      return { keys, problems: [] };
    },
    clock,
    backups: join(folder.path, "backups"),
  });
  assert.equal((await surface.deliver([wanted({})], [])).delivered, 1);
  assert.deepEqual(asked, ["v11"]);
  using db = new DatabaseSync(path);
  const prefixes = db.prepare("SELECT DISTINCT substr(encrypted_value, 1, 3) AS p FROM cookies").all();
  assert.deepEqual(
    prefixes.map(({ p }) => Buffer.from(p as Uint8Array).toString()),
    ["v11"],
  );
});

test("session cookies are refused, or kept for some days where the owner wants that", async () => {
  using folder = temporaryFolder("profile");
  writeChromiumProfile(join(folder.path, "Default"), []);
  const session = wanted({ expires: null, kind: "session" });
  const { refused } = await surfaceOn(folder.path).deliver([session], []);
  assert.match(refused[0]?.reason ?? "", /ends with the session/);
  const kept = surfaceOn(folder.path, PUBLIC_KEYS, 7);
  assert.equal((await kept.deliver([session], [])).delivered, 1);
  assert.equal((await kept.deliver([session], [])).unchanged, 1);
  const [found] = await readBack(folder.path);
  assert.ok(Number(found?.expires) > NOW + 5 * 86_400_000 && Number(found?.expires) <= NOW + 7 * 86_400_000);
});

test("two rows of one cookie, from two ports, become the one that was delivered", async () => {
  using folder = temporaryFolder("profile");
  const rows = [wanted({ sourcePort: 8443, value: "old" }), wanted({ sourcePort: 9443, value: "older" })];
  writeChromiumProfile(join(folder.path, "Default"), rows);
  await surfaceOn(folder.path).deliver([wanted({})], []);
  assert.deepEqual(
    (await readBack(folder.path)).map(({ value, sourcePort }) => [value, sourcePort]),
    [[wanted({}).value, 443]],
  );
});

test("a browser on another computer is respected, the remains of a crashed one are not", async () => {
  using folder = temporaryFolder("profile");
  writeChromiumProfile(join(folder.path, "Default"), []);
  const lock = join(folder.path, "SingletonLock");
  symlinkSync("another-computer-4711", lock);
  const away = await surfaceOn(folder.path).deliver([wanted({})], []);
  assert.deepEqual([away.delivered, away.queued], [0, 1]);
  assert.match(away.refused[0]?.reason ?? "", /another-computer/);
  using crashed = temporaryFolder("profile");
  writeChromiumProfile(join(crashed.path, "Default"), []);
  symlinkSync(`${hostname()}-999999999`, join(crashed.path, "SingletonLock"));
  symlinkSync("/nowhere/SingletonSocket", join(crashed.path, "SingletonSocket"));
  writeFileSync(join(crashed.path, "Local State"), "{}");
  assert.equal((await surfaceOn(crashed.path).deliver([wanted({})], [])).delivered, 1);
  assert.ok(!readdirSync(crashed.path).some((name) => name.startsWith("Singleton")));
});

test("a file another program has locked is a running browser", async () => {
  using folder = temporaryFolder("profile");
  const path = writeChromiumProfile(join(folder.path, "Default"), []);
  using other = new DatabaseSync(path);
  other.exec("BEGIN; SELECT count(*) FROM cookies");
  const delivery = await surfaceOn(folder.path).deliver([wanted({})], []);
  assert.deepEqual([delivery.delivered, delivery.queued], [0, 1]);
  other.exec("COMMIT");
  assert.equal((await surfaceOn(folder.path).deliver([wanted({})], [])).delivered, 1);
});

test("deliveries at once to one profile take turns", async () => {
  using folder = temporaryFolder("profile");
  writeChromiumProfile(join(folder.path, "Default"), []);
  const all = await Promise.all(
    Array.from({ length: 12 }, (_, i) => surfaceOn(folder.path).deliver([wanted({ name: `n${i}` })], [])),
  );
  assert.deepEqual(
    all.map(({ delivered }) => delivered),
    Array(12).fill(1),
  );
  assert.equal((await readBack(folder.path)).length, 12);
});
