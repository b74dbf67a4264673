import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { getCookies } from "@steipete/sweet-cookie";
import { allowAll, CANARY, deletionOf, NOW, testSurface, wanted } from "../../test/contracts/surface.ts";
import { fails } from "../../test/support/fails.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Cookie } from "../cookies/index.ts";
import { Secret } from "../kernel/index.ts";
import { createSidecarSurface, deliverAll } from "./index.ts";
import { readSidecar } from "./sidecar-reader.ts";

const clock = { now: () => NOW };
const key = async () => Secret.fromBytes(Buffer.alloc(32, 7));

for (const sealed of [false, true])
  testSurface({
    name: sealed ? "sealed sidecar" : "sidecar",
    // The kind is no fact but a guess, made anew.
    kept: withoutKind,
    async make() {
      const folder = temporaryFolder("sidecar");
      const path = join(folder.path, "surfaces", "cookies-plain.db");
      return {
        surface: createSidecarSurface({ path, clock, ...(sealed ? { key } : {}) }),
        read: async () => (await readSidecar({ path, now: NOW, key })).map(withoutKind),
        [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
      };
    },
  });

test("a sidecar is private, has a rollback journal, empty encrypted values and no leftovers", async () => {
  using folder = temporaryFolder("sidecar");
  const path = join(folder.path, "surfaces", "cookies-plain.db");
  const surface = createSidecarSurface({ path, clock });
  writeLeftover(path);
  await surface.deliver([wanted({})], []);
  assert.deepEqual(readdirSync(join(path, "..")).sort(), ["cookies-plain.db", "cookies-plain.db.lock"]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(join(path, "..")).mode & 0o777, 0o700);
  const bytes = readFileSync(path);
  // https://www.sqlite.org/fileformat2.html: 1 in the version fields is a rollback journal.
  assert.deepEqual([bytes[18], bytes[19]], [1, 1]);
  assert.ok(bytes.includes(CANARY));
  await surface.deliver([], [deletionOf(wanted({}))]);
  assert.ok(!readFileSync(path).includes(CANARY), "a deleted value is not left in the file");
});

test("a sealed sidecar holds no value in clear, not even one from before, and fails loudly without its key", async () => {
  using folder = temporaryFolder("sidecar");
  const path = join(folder.path, "cookies-plain.db");
  const before = wanted({ name: "before" });
  await createSidecarSurface({ path, clock }).deliver([before], []);
  await createSidecarSurface({ path, clock, key }).deliver([wanted({})], []);
  assert.ok(!readFileSync(path).includes(CANARY));
  assert.match(readFileSync(path, "latin1"), /agc1:[A-Za-z0-9+/=]{40}/);
  const found = await readSidecar({ path, key, now: NOW });
  assert.deepEqual(found.map(({ name, value }) => [name, value]).toSorted(byName), [
    ["before", CANARY],
    ["sid", CANARY],
  ]);
  await fails(
    readSidecar({ path, key: async () => undefined, now: NOW }),
    "KEYRING_UNAVAILABLE",
    /sidecar|Cannot read/,
  );
  const other = async () => Secret.fromBytes(Buffer.alloc(32, 8));
  await fails(readSidecar({ path, key: other, now: NOW }), "WRONG_KEY", /sidecar|Cannot read/);
});

test("no sidecar is an empty list, a damaged one an error, and the next delivery mends it", async () => {
  using folder = temporaryFolder("sidecar");
  const path = join(folder.path, "cookies-plain.db");
  assert.deepEqual(await readSidecar({ path }), []);
  writeFileSync(path, "not a database at all, and longer than a page's header ".repeat(10));
  await fails(readSidecar({ path }), "DATABASE_CORRUPT", /damaged/);
  assert.equal((await createSidecarSurface({ path, clock }).deliver([wanted({})], [])).delivered, 1);
  assert.equal((await readSidecar({ path, now: NOW })).length, 1);
});

test("what has ended leaves the sidecar", async () => {
  using folder = temporaryFolder("sidecar");
  const path = join(folder.path, "cookies-plain.db");
  await createSidecarSurface({ path, clock }).deliver([wanted({ expires: NOW + 1000 })], []);
  const later = createSidecarSurface({ path, clock: { now: () => NOW + 2000 } });
  const { delivered } = await later.deliver([wanted({ name: "other", expires: null })], []);
  assert.equal(delivered, 1);
  assert.deepEqual(
    (await readSidecar({ path, now: NOW })).map(({ name, expires }) => [name, expires]),
    [["other", null]],
  );
});

test("a reader of Chrome's databases reads it as it is", async () => {
  using folder = temporaryFolder("sidecar");
  const path = join(folder.path, "cookies-plain.db");
  const expires = Date.now() + 86_400_000;
  const want = [
    wanted({ expires }),
    wanted({ name: "www", domain: "www.shop.example", hostOnly: true, expires }),
  ];
  await createSidecarSurface({ path, clock: { now: () => Date.now() } }).deliver(want, []);
  const { cookies, warnings } = await getCookies({
    url: "https://www.shop.example/",
    browsers: ["chrome"],
    chromeProfile: path,
  });
  assert.deepEqual(
    cookies.map(({ name, value, httpOnly }) => [name, value, httpOnly]).toSorted(byName),
    [
      ["sid", CANARY, true],
      ["www", CANARY, true],
    ],
    warnings.join(),
  );
});

test("24 deliveries at once leave every cookie in a whole sidecar", async () => {
  using folder = temporaryFolder("sidecar");
  const path = join(folder.path, "cookies-plain.db");
  const deliveries = await Promise.all(
    Array.from({ length: 24 }, (_, i) =>
      createSidecarSurface({ path, clock }).deliver([wanted({ name: `n${i}` }), wanted({})], []),
    ),
  );
  assert.equal(
    deliveries.reduce((sum, { delivered }) => sum + delivered, 0),
    25,
  );
  assert.equal((await readSidecar({ path, now: NOW })).length, 25);
});

test("a place that cannot be written is one surface's failure, with every cookie refused", async () => {
  using folder = temporaryFolder("sidecar");
  writeFileSync(join(folder.path, "file"), "");
  const blocked = createSidecarSurface({ path: join(folder.path, "file", "cookies-plain.db"), clock });
  const fine = createSidecarSurface({ path: join(folder.path, "cookies-plain.db"), clock });
  const surfaces = [blocked, fine];
  const done = await deliverAll({ surfaces, want: [wanted({})], gone: [], allows: allowAll });
  assert.deepEqual(
    done.map(({ delivered, refused, error }) => [delivered, refused.length, error === undefined]),
    [
      [0, 1, false],
      [1, 0, true],
    ],
  );
});

function withoutKind({ kind: _kind, ...cookie }: Cookie): Partial<Cookie> {
  return cookie;
}

function byName([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}

function writeLeftover(path: string): void {
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  writeFileSync(join(path, "..", ".cookies-plain.db.0011223344556677.tmp"), CANARY);
  assert.ok(existsSync(join(path, "..")));
}
