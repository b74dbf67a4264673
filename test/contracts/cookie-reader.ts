/**
 * What every reader of a browser's cookies must do, whatever the store. A reader runs it with a way to make a store
 * of given cookies.
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import type { CookieReader } from "../../src/browsers/index.ts";
import type { Cookie, Unlabelled } from "../../src/cookies/index.ts";
import { DeputyError } from "../../src/kernel/index.ts";

export const NOW = 1_800_000_000_000;

export interface MadeStore extends AsyncDisposable {
  readonly reader: CookieReader;
  /** The file that holds the cookies; absent for a browser that runs. */
  readonly file?: string;
}

export interface ReaderContract {
  readonly name: string;
  readonly skip?: string | false;
  readonly make: (cookies: readonly Unlabelled[]) => Promise<MadeStore>;
  /** What a record looks like after a store that cannot keep all of it. */
  readonly kept: (cookie: Unlabelled) => Partial<Cookie>;
  /** How many cookies a test may ask for. */
  readonly most?: number;
  /** False for a browser that runs: what is said of files does not concern it. */
  readonly hasFile?: boolean;
}

const CANARY = "canary-value-4711";

/** Like `cookie({ name: "a" })`: what is not said is plain. */
export function cookie(fields: Partial<Unlabelled>): Unlabelled {
  return {
    name: "plain",
    value: CANARY,
    domain: "www.example.com",
    hostOnly: true,
    path: "/",
    expires: NOW + 86_400_000,
    secure: false,
    httpOnly: false,
    sameSite: "unset",
    partitionKey: null,
    sourceScheme: "secure",
    sourcePort: 443,
    priority: "medium",
    created: NOW - 1000,
    updated: NOW - 1000,
    ...fields,
  };
}

const KINDS = [
  cookie({ name: "plain", created: NOW - 9000, updated: NOW - 8000 }),
  cookie({ name: "guarded", secure: true, httpOnly: true, sameSite: "lax", created: NOW - 8000 }),
  cookie({ name: "strict", sameSite: "strict", path: "/deep", created: NOW - 7000 }),
  cookie({ name: "domain", domain: "example.com", hostOnly: false, created: NOW - 6000 }),
  cookie({ name: "low", priority: "low", sourceScheme: "nonsecure", sourcePort: 80, created: NOW - 5000 }),
  cookie({ name: "high", priority: "high", sourceScheme: "secure", sourcePort: 8443, created: NOW - 4500 }),
  cookie({
    name: "__Host-part",
    secure: true,
    sameSite: "none",
    partitionKey: { topLevelSite: "https://top.example", crossSiteAncestor: true },
    created: NOW - 4000,
  }),
  cookie({ name: "text", value: "h\u00e9llo \u4e16\u754c", created: NOW - 3000 }),
  cookie({ name: "empty", value: "", created: NOW - 2000 }),
  cookie({ name: "session", expires: null, created: NOW - 1500, updated: NOW - 1500 }),
];

export function testCookieReader(contract: ReaderContract): void {
  const { make, kept, most = 10_000 } = contract;
  const on = (sentence: string, work: () => Promise<void>) =>
    test(`${contract.name} ${sentence}`, { skip: contract.skip ?? false, timeout: 120_000 }, work);

  on("gives every cookie with all the store keeps, and a label", async () => {
    await using store = await make(KINDS);
    const { cookies, warnings } = await store.reader.read();
    assert.deepEqual(warnings, []);
    const byName = (name: string) => cookies.find((one) => one.name === name);
    assert.equal(cookies.length, KINDS.length);
    for (const one of KINDS) {
      const expected = kept(one);
      const read: Record<string, unknown> = { ...byName(one.name) };
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, read[key]])), expected);
    }
    assert.equal(byName("session")?.kind, "session");
    assert.equal(byName("plain")?.kind, "portable");
  });

  on("gives a host its own and its parents' domain cookies, never a sibling's or a child's", async () => {
    const at = (domain: string, hostOnly: boolean) =>
      cookie({ name: `${hostOnly ? "" : "."}${domain}`, domain, hostOnly });
    await using store = await make([
      at("www.example.com", true),
      at("www.example.com", false),
      at("example.com", true),
      at("example.com", false),
      at("api.example.com", true),
      at("deep.www.example.com", true),
      at("notexample.com", true),
      at("wwwXexample.com", true),
      at("127.0.0.1", true),
    ]);
    const names = async (query: object) =>
      (await store.reader.read(query)).cookies.map(({ name }) => name).toSorted();
    assert.deepEqual(await names({ host: "www.example.com" }), [
      ".example.com",
      ".www.example.com",
      "www.example.com",
    ]);
    assert.deepEqual(await names({ host: "WWW.Example.com." }), await names({ host: "www.example.com" }));
    assert.deepEqual(await names({ host: "example.com" }), [".example.com", "example.com"]);
    assert.deepEqual(await names({ host: "sub.example.com" }), [".example.com"]);
    assert.deepEqual(await names({ host: "127.0.0.1" }), ["127.0.0.1"]);
    assert.deepEqual(await names({ host: "nowhere.test" }), []);
    assert.equal((await names({ under: "example.com" })).length, 6);
    assert.deepEqual(await names({ under: "www.example.com" }), [
      ".www.example.com",
      "deep.www.example.com",
      "www.example.com",
    ]);
  });

  on("leaves out what has expired", async () => {
    await using store = await make([cookie({ name: "old", expires: NOW - 1 }), cookie({ name: "new" })]);
    const { cookies } = await store.reader.read();
    assert.deepEqual(
      cookies.map(({ name }) => name),
      ["new"],
    );
  });

  on("refuses a host that is none", async () => {
    await using store = await make([]);
    const coded = (error: unknown) => error instanceof DeputyError && error.code === "BAD_INPUT";
    for (const host of ["", ".", "a b", "ex%41mple.com/x"])
      await assert.rejects(store.reader.read({ host }), coded);
  });

  on("says of an empty store that it is empty", async () => {
    await using store = await make([]);
    assert.deepEqual(await store.reader.read(), { cookies: [], warnings: [] });
    const summary = await store.reader.summary();
    assert.deepEqual([summary.cookies, summary.readable], [0, true]);
  });

  on("reads thousands of cookies", async () => {
    const many = Array.from({ length: most }, (_, i) =>
      cookie({ name: `n${i}`, domain: `host${i % 100}.test` }),
    );
    await using store = await make(many);
    const { cookies, warnings } = await store.reader.read();
    assert.deepEqual([cookies.length, warnings], [most, []]);
    assert.equal((await store.reader.read({ host: "host7.test" })).cookies.length, most / 100);
    const summary = await store.reader.summary();
    assert.equal(summary.cookies, most);
    const hosts = Array.from({ length: 100 }, (_, i) => ({
      host: `host${i}.test`,
      cookies: most / 100,
      logins: 0,
    }));
    assert.deepEqual(new Set(summary.hosts), new Set(hosts));
  });

  if (contract.hasFile === false) return;
  const onFile = (sentence: string, work: (store: { reader: CookieReader; file: string }) => Promise<void>) =>
    on(sentence, async () => {
      await using store = await make(KINDS);
      const { reader, file } = store;
      assert.ok(file !== undefined);
      await work({ reader, file });
    });

  onFile("gives cookies in the order they were made", async ({ reader }) => {
    const times = (await reader.read()).cookies.map(({ created }) => created);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  });

  onFile("keeps its stamp until the store changes", async ({ reader, file }) => {
    const stamp = await reader.stamp();
    await reader.read();
    assert.equal(await reader.stamp(), stamp);
    utimesSync(file, 5, 5);
    assert.notEqual(await reader.stamp(), stamp);
  });

  onFile("leaves the profile as it was", async ({ reader, file }) => {
    const look = () => [
      readdirSync(dirname(file)),
      readFileSync(file).toString("base64"),
      statSync(file).mtimeMs,
    ];
    const before = look();
    await reader.read();
    await reader.summary();
    assert.deepEqual(look(), before);
  });

  onFile("says that a store is missing, a folder, or something else altogether", async ({ reader, file }) => {
    const codes = async () => (await reader.read()).warnings.map(({ code }) => code);
    for (const name of readdirSync(dirname(file))) rmSync(`${dirname(file)}/${name}`, { recursive: true });
    assert.deepEqual(await codes(), ["STORE_MISSING"]);
    assert.equal((await reader.summary()).readable, true);
    mkdirSync(file);
    assert.deepEqual(await codes(), ["STORE_DENIED"]);
    assert.equal((await reader.summary()).readable, false);
    rmSync(file, { recursive: true });
    for (const bytes of [
      Buffer.alloc(50_000, 7),
      Buffer.from("hello"),
      Buffer.from("cook\xff\xff\xff\xff", "latin1"),
    ]) {
      writeFileSync(file, bytes);
      assert.deepEqual(await codes(), ["STORE_DAMAGED"]);
      assert.equal((await reader.summary()).readable, false);
    }
  });

  onFile("survives a store cut short anywhere", async ({ reader, file }) => {
    const whole = readFileSync(file);
    for (let i = 0; i < 60; i++) {
      writeFileSync(file, whole);
      truncateSync(file, Math.floor((whole.length * i) / 60));
      settle(file);
      assertHarmless(await reader.read());
      await reader.summary();
    }
  });

  onFile("survives damage anywhere, and tells no value", async ({ reader, file }) => {
    const whole = readFileSync(file);
    const random = generator(42);
    for (let round = 0; round < 150; round++) {
      const damaged = Buffer.from(whole);
      for (let i = 0; i < 1 + (round % 20); i++)
        damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
      writeFileSync(file, damaged);
      settle(file);
      const started = performance.now();
      assertHarmless(await reader.read());
      assertHarmless(await reader.read({ under: "example.com" }));
      assert.ok(performance.now() - started < 10_000, `round ${round} took too long`);
    }
  });

  onFile("says that it may not read the file", async ({ reader, file }) => {
    if (process.getuid?.() === 0 || process.platform === "win32") return; // Root may read everything.
    chmodSync(file, 0);
    assert.deepEqual(
      (await reader.read()).warnings.map(({ code }) => code),
      ["STORE_DENIED"],
    );
  });
}

/** Whatever the damage: a list, warnings with codes, and no value but in a cookie. */
function assertHarmless({ cookies, warnings }: Awaited<ReturnType<CookieReader["read"]>>): void {
  assert.ok(Array.isArray(cookies));
  for (const warning of warnings) {
    assert.match(warning.code, /^[A-Z_]+$/);
    assert.ok(!JSON.stringify(warning).includes(CANARY), warning.message);
  }
}

/** Readers wait for a file that was written a moment ago; tests have no time for that. */
export function settle(file: string): void {
  utimesSync(file, 1_700_000_000, 1_700_000_000);
}

/** mulberry32: the same damage every time. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
