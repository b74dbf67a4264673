/**
 * Delivering 5,000 cookies to the sidecar and to a closed Chromium profile, beside a bare SQLite insert of as many rows
 * that checks, seals and keeps nothing. Targets, for the best of all rounds, are what the ancestor did on such a machine:
 * sidecar 51 ms, profile 47 ms.
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CHROMIUM_SCHEMA, toWebKitTime } from "../src/chromium/index.ts";
import type { Cookie } from "../src/cookies/index.ts";
import { createChromiumProfileSurface, createSidecarSurface } from "../src/surfaces/index.ts";
import { PUBLIC_KEYS, writeChromiumProfile } from "../test/support/chromium-profile.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { profileCookies } from "./support/profile-cookies.ts";
import { inTurns } from "./support/in-turns.ts";
import { report } from "./support/report.ts";

const COOKIES = 5000;
const now = Date.now();
const clock = { now: () => Date.now() };
using scratch = temporaryFolder("bench");
const folder = scratch.path;

const want = profileCookies(COOKIES, 500).map((one): Cookie => ({ ...one, kind: "portable" }));
const other = (at: number, value: string): Cookie => ({ ...want[at]!, value });
const changed = [...want.slice(1), other(0, "changed")];

function bareInsert(path: string): void {
  rmSync(path, { force: true });
  using db = new DatabaseSync(path);
  db.exec(`${CHROMIUM_SCHEMA} BEGIN`);
  const insert = db.prepare(`INSERT INTO cookies VALUES (${Array(20).fill("?").join(",")})`);
  for (const one of want) {
    const [created, updated] = [toWebKitTime(one.created), toWebKitTime(one.updated)];
    const expires = toWebKitTime(one.expires ?? 0);
    const flags = [Number(one.secure), Number(one.httpOnly), updated, 1, 1, 1, 1, 2, 443, updated, 1, 1];
    insert.run(created, `.${one.domain}`, "", one.name, one.value, Buffer.alloc(0), "/", expires, ...flags);
  }
  db.exec("COMMIT");
}

const empty = writeChromiumProfile(join(folder, "empty"), []);
/** A profile nobody has just used, as it usually is. */
function freshProfile(): string {
  const userData = mkdtempSync(join(folder, "data-"));
  mkdirSync(join(userData, "Default"));
  const store = join(userData, "Default", "Cookies");
  copyFileSync(empty, store);
  for (const path of [store, userData]) utimesSync(path, now / 1000 - 60, now / 1000 - 60);
  return join(userData, "Default");
}

function surfaceOf(profile: string) {
  const keysFor = async () => ({ keys: PUBLIC_KEYS, problems: [] });
  return createChromiumProfileSurface({ profile, keysFor, clock, backups: join(folder, "backups") });
}

let [path, profile] = ["", ""];
const toSidecar = async (cookies: readonly Cookie[], delivered: number) => {
  const done = await createSidecarSurface({ path, clock }).deliver(cookies, []);
  assert.deepEqual([done.delivered, done.unchanged], [delivered, cookies.length - delivered]);
};
const times = await inTurns(
  {
    bare: () => bareInsert(join(folder, "bare.db")),
    sidecar: {
      before: () => (path = join(mkdtempSync(join(folder, "sidecar-")), "cookies-plain.db")),
      run: () => toSidecar(want, COOKIES),
    },
    sidecarChanged: () => toSidecar(changed, 1),
    sidecarOne: () => toSidecar([other(1, "again")], 1),
    profile: {
      before: () => (profile = freshProfile()),
      run: async () => {
        assert.equal((await surfaceOf(profile).deliver(want, [])).delivered, COOKIES);
      },
    },
  },
  { rounds: 25, warmUp: 3, seconds: 12 },
);

const floor = { unit: "ms", beside: { what: "bare inserts of all", samples: times.bare } };
const best = (value: number) => ({ kind: "at most", value, by: "least" }) as const;
report({ what: "sidecar, 5,000 new cookies", ...floor, ours: times.sidecar, target: best(51) });
report({ what: "sidecar, one changed of 5,000", ...floor, ours: times.sidecarChanged });
report({ what: "sidecar, one handed over", ...floor, ours: times.sidecarOne });
report({ what: "Chromium profile, 5,000 new cookies", ...floor, ours: times.profile, target: best(47) });
