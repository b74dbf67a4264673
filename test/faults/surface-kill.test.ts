import assert from "node:assert/strict";
import { existsSync, lstatSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createBrowsers } from "../../src/browsers/index.ts";
import { type Cookie, cookiesFromStorageState } from "../../src/cookies/index.ts";
import { readEnvironment } from "../../src/platform/index.ts";
import { readSidecar } from "../../src/surfaces/sidecar-reader.ts";
import { writeChromiumProfile } from "../support/chromium-profile.ts";
import { ChildScript } from "../support/child-script.ts";
import { did, Rounds, seed, seededRandom } from "../support/fault-form.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const COUNT = 300;

const kinds: Record<
  string,
  { prepare?: (folder: string) => void; read: (folder: string) => Promise<Cookie[]> }
> = {
  sidecar: { read: (folder) => readSidecar({ path: join(folder, "cookies-plain.db") }) },
  files: {
    async read(folder) {
      const path = join(folder, "storage-state.json");
      return existsSync(path) ? cookiesFromStorageState(readFileSync(path, "utf8")).cookies : [];
    },
  },
  profile: {
    prepare: (folder) => void writeChromiumProfile(join(folder, "data", "Default"), []),
    async read(folder) {
      const path = join(folder, "data", "Default");
      using browsers = createBrowsers({ env: readEnvironment(), platform: "linux" });
      const before = await browsers.read(browsers.find({ profile: path }));
      assert.deepEqual(before.warnings, []);
      // As a browser would open it: what was unfinished is rolled back, and all is sound.
      using db = new DatabaseSync(join(path, "Cookies"));
      assert.equal(db.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
      assert.equal(db.prepare("SELECT count(*) AS n FROM cookies").get()?.["n"], before.cookies.length);
      return before.cookies;
    },
  },
};

for (const [kind, { prepare, read }] of Object.entries(kinds))
  test(`${kind}: killed at random points in the midst of writing, it holds the old or the new`, async (t) => {
    t.diagnostic(`seed ${seed}`);
    const random = seededRandom(seed);
    using folder = temporaryFolder("kill");
    prepare?.(folder.path);
    const seen = new Set<string>();
    const kills = new Rounds({ short: 4, long: 200, share: 1 / 3 });
    for (const _ of kills) {
      const child = new ChildScript("surface-writer.ts", [kind, folder.path]);
      await child.said(1 + Math.floor(random() * 6));
      await sleep(random() * 40);
      const { signal, stderr, lines } = await child.kill();
      assert.equal(signal, "SIGKILL", stderr);
      const cookies = await read(folder.path);
      const sets = new Set(cookies.map(({ value }) => value[0] ?? ""));
      const isEmpty = cookies.length === 0 && seen.size === 0 && lines.length < 2;
      assert.ok(
        isEmpty || (cookies.length === COUNT && sets.size === 1),
        `${cookies.length} ${[...sets].join()} after ${lines.length} begun`,
      );
      for (const set of sets) seen.add(set);
    }
    // A killed writer's socket goes with the next one that takes the profile.
    const socket = join(folder.path, "data", "SingletonSocket");
    if (lstatSync(socket, { throwIfNoEntry: false }) !== undefined)
      rmSync(dirname(readlinkSync(socket)), { recursive: true, force: true });
    t.diagnostic(`found ${[...seen].sort().join(" and ")}`);
    did(t, { kills: kills.count }, { "half written": 0 });
  });
