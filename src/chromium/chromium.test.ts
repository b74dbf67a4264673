import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createCipheriv, createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { cookie } from "../../test/contracts/cookie-reader.ts";
import { PUBLIC_KEYS, writeChromiumProfile } from "../../test/support/chromium-profile.ts";
import { DeputyError, Secret } from "../kernel/index.ts";
import { findProgram, ForeignDatabase, readEnvironment } from "../platform/index.ts";
import {
  createChromiumStore,
  deriveSealingKey,
  fromWebKitTime,
  readCookies,
  selectRows,
  toWebKitTime,
} from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "deputy-chromium-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const text = (value: string) => Secret.fromText(value);
const open = (path: string) => ForeignDatabase.inPlace(path);
const openssl = findProgram("openssl", readEnvironment());

test("sealing keys are those of Chromium's public password and of known passwords", () => {
  // PBKDF2-HMAC-SHA1("peanuts", "saltysalt", 1, 16) is v10_key in components/os_crypt/sync/os_crypt_linux.cc.
  assert.equal(deriveSealingKey("peanuts", 1).toString("hex"), "fd621fe5a2b402539dfa147ca9272778");
  assert.equal(deriveSealingKey("", 1).toString("hex"), "d0d0ec9c7d77d43ac54187fa4818d17f"); // kEmptyKey
});

test("a sealed value is opened by another implementation of the same cipher", {
  skip: openssl === undefined && "no openssl",
}, () => {
  const store = createChromiumStore({ version: 23, keys: PUBLIC_KEYS });
  const sealed = store.seal(text("canary"), "example.com").subarray(3);
  const key = ["-K", "fd621fe5a2b402539dfa147ca9272778", "-iv", "20".repeat(16)];
  const plain = execFileSync("openssl", ["enc", "-d", "-aes-128-cbc", ...key], { input: sealed });
  assert.equal(plain.toString(), "canary");
});

test("what a real Chromium 156 sealed is opened", () => {
  // The row of `Set-Cookie: a=1` from https://www.site.test, taken from a profile with the public password.
  const sealed = Buffer.from(
    "763130E63C63535587E525DC372EB80776333FE3004FC10BFD8E80A6DEFCE1E1D4660C7EA244045F0E8989222B8DF104FB0B4D",
    "hex",
  );
  const opened = createChromiumStore({ version: 24, keys: PUBLIC_KEYS }).open(sealed, "www.site.test");
  assert.equal(opened.kind === "opened" && opened.value.reveal(), "1");
});

test("seal and open are inverse, in every version and for every key there is", () => {
  const v11 = deriveSealingKey("secret of the keyring", 1);
  for (const version of [10, 18, 23, 24, 25])
    for (const keys of [PUBLIC_KEYS, { ...PUBLIC_KEYS, v11 }])
      for (const value of [
        "",
        "x",
        "a".repeat(15),
        "b".repeat(16),
        "c".repeat(4096),
        "h\u00e9llo \u{1f36a}",
      ]) {
        const store = createChromiumStore({ version, keys });
        const sealed = store.seal(text(value), ".example.com");
        assert.equal(sealed.toString("latin1", 0, 3), "v11" in keys ? "v11" : "v10");
        const opened = store.open(sealed, ".example.com");
        assert.equal(opened.kind === "opened" && opened.value.reveal(), value);
      }
});

test("many values are sealed as each alone would be, by any implementation, and each only proves its own", () => {
  const store = createChromiumStore({ version: 24, keys: PUBLIC_KEYS });
  const rows = Array.from({ length: 300 }, (_, i) => ({
    hostKey: `.site${i % 7}.example`,
    value: `${i} h\u00e9llo `.repeat(i % 40),
  }));
  const sealed = store.sealAll(rows);
  for (const [i, { hostKey, value }] of rows.entries()) {
    const cipher = createCipheriv("aes-128-cbc", PUBLIC_KEYS.v10!, Buffer.alloc(16, " "));
    const head = createHash("sha256").update(hostKey).digest();
    const alone = [Buffer.from("v10"), cipher.update(head), cipher.update(value), cipher.final()];
    assert.deepEqual(sealed[i], Buffer.concat(alone));
  }
  const meant = rows.map(({ hostKey, value }, i) => ({ hostKey, cookie: { value }, sealed: sealed[i]! }));
  const butOne = (change: Partial<(typeof meant)[number]>) =>
    meant.map((row, i) => (i === 150 ? { ...row, ...change } : row));
  const bytes = sealed[150]!;
  assert.equal(store.allOpenTo(meant), true);
  assert.equal(store.allOpenTo([]), true);
  for (const change of [
    { cookie: { value: "another" } },
    { hostKey: ".evil.example" },
    { sealed: Buffer.concat([Buffer.from("v11"), bytes.subarray(3)]) },
    { sealed: bytes.subarray(0, -1) },
    { sealed: bytes.subarray(0, 3) },
    { sealed: Buffer.alloc(0) },
    { sealed: Buffer.from(bytes.map((byte, i) => (i === 40 ? byte ^ 1 : byte))) },
  ])
    assert.equal(store.allOpenTo(butOne(change)), false, JSON.stringify(change));
});

test("a value stays closed for another host, another key, an app-bound seal and an unknown one", () => {
  const keys = { v10: deriveSealingKey("one", 1) };
  const store = createChromiumStore({ version: 24, keys });
  const sealed = store.seal(text("canary"), "example.com");
  const problem = (bytes: Buffer, other = store, host = "example.com") => {
    const opened = other.open(bytes, host);
    return opened.kind === "closed" ? opened.problem : opened.kind;
  };
  assert.equal(problem(sealed), "opened");
  assert.equal(problem(sealed, store, "evil.example"), "WRONG_HOST");
  assert.equal(problem(Buffer.concat([Buffer.from("v20"), sealed.subarray(3)])), "APP_BOUND");
  assert.equal(problem(Buffer.concat([Buffer.from("v12"), sealed.subarray(3)])), "UNKNOWN_SEAL");
  assert.equal(problem(Buffer.concat([Buffer.from("v11"), sealed.subarray(3)])), "NO_KEY");
  assert.equal(problem(Buffer.from("v10")), "WRONG_KEY");
  assert.equal(problem(sealed.subarray(0, 20)), "WRONG_KEY");
  const other = createChromiumStore({ version: 24, keys: { v10: deriveSealingKey("two", 1) } });
  assert.match(problem(sealed, other), /^WRONG_(KEY|HOST)$/);
});

test("a value sealed by mistake with the key of an empty password is opened, as Chromium does", () => {
  const mistaken = createChromiumStore({ version: 24, keys: { v10: deriveSealingKey("", 1) } });
  const sealed = mistaken.seal(text("canary"), "example.com");
  const opened = createChromiumStore({ version: 24, keys: PUBLIC_KEYS }).open(sealed, "example.com");
  assert.equal(opened.kind, "opened");
});

test("a value of bytes that are no text costs its row, and is not changed into text", () => {
  const profile = join(folder, "bytes");
  const path = writeChromiumProfile(profile, [cookie({ name: "raw" }), cookie({ name: "text" })]);
  const store = createChromiumStore({ version: 24, keys: PUBLIC_KEYS });
  {
    using db = new DatabaseSync(path);
    const sealed = store.seal(Secret.fromBytes(Buffer.from([0x61, 0xe9, 0xff])), "www.example.com");
    db.prepare("UPDATE cookies SET encrypted_value = ? WHERE name = 'raw'").run(sealed);
  }
  using db = open(path);
  const { cookies, problems } = readCookies(selectRows(db)?.rows ?? [], store);
  assert.deepEqual(
    [cookies.map(({ name }) => name), problems.map(({ code }) => code)],
    [["text"], ["NOT_TEXT"]],
  );
});

test("sealing without a key is refused", () => {
  const coded = (error: unknown) => error instanceof DeputyError && error.code === "KEYRING_UNAVAILABLE";
  assert.throws(() => createChromiumStore({ version: 24, keys: {} }).seal(text("x"), "example.com"), coded);
});

test("times survive the way to 1601 and back", () => {
  for (const time of [0, 1_800_000_000_000, 253_402_300_799_000, -11_644_473_600_000])
    assert.equal(fromWebKitTime(toWebKitTime(time)), time);
  assert.equal(fromWebKitTime(13_439_247_258_219_062n), 1_794_773_658_219);
});

test("a store with the columns of years ago is read, what it does not know taken as it was then", () => {
  const path = join(folder, "ancient");
  {
    using db = new DatabaseSync(path);
    // Version 4, of 2012: names before they got their `is_`, values in clear.
    db.exec(`CREATE TABLE meta (key, value); INSERT INTO meta VALUES ('version', '4');
      CREATE TABLE cookies (creation_utc INTEGER NOT NULL UNIQUE PRIMARY KEY, host_key TEXT NOT NULL,
        name TEXT NOT NULL, value TEXT NOT NULL, path TEXT NOT NULL, expires_utc INTEGER NOT NULL,
        secure INTEGER NOT NULL, httponly INTEGER NOT NULL, last_access_utc INTEGER NOT NULL);
      INSERT INTO cookies VALUES (13439247258219062, '.example.com', 'n', 'v', '/', 13439347258219062, 1, 0, 0)`);
  }
  using db = open(path);
  const selected = selectRows(db);
  assert.equal(selected?.version, 4);
  const { cookies, problems } = readCookies(
    selected?.rows ?? [],
    createChromiumStore({ version: 4, keys: {} }),
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(cookies, [
    cookie({
      name: "n",
      value: "v",
      domain: "example.com",
      hostOnly: false,
      secure: true,
      sourceScheme: "unset",
      sourcePort: -1,
      created: 1_794_773_658_219,
      updated: 1_794_773_658_219,
      expires: 1_794_873_658_219,
    }),
  ]);
});

test("selectRows asks for exact hosts by index, with and without one", () => {
  const profile = join(folder, "indexed");
  const cookies = ["a.test", "b.test", "x_y.test"].map((domain) => cookie({ domain }));
  const path = writeChromiumProfile(profile, cookies);
  const hosts = (filter: object) => {
    using db = open(path);
    return selectRows(db, filter)?.rows.map(({ hostKey }) => hostKey);
  };
  assert.deepEqual(hosts({ hostKeys: ["a.test", ".a.test"] }), ["a.test"]);
  assert.deepEqual(hosts({ under: "x_y.test" }), ["x_y.test"]);
  assert.deepEqual(hosts({ under: "test" })?.length, 3);
  {
    using db = new DatabaseSync(path);
    db.exec("DROP INDEX cookies_unique_index");
  }
  assert.deepEqual(hosts({ hostKeys: ["b.test"] }), ["b.test"]);
});
