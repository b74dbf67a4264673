/** The commands as a person or a script meets them. */
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TestHome } from "../support/deputy.ts";

test("setup makes a vault with a key file where there is no keyring, and warns", async () => {
  await using home = new TestHome({ bare: true });
  const made = (await home.ok(["setup", "--yes", "--json"])).json();
  assert.equal(made.created, true);
  assert.equal(made.key, "file");
  assert.match(made.warnings[0], /who can read your files/);
  const again = (await home.ok(["setup", "--yes", "--json"])).json();
  assert.equal(again.created, false);
  for (const name of readdirSync(home.home, { recursive: true, encoding: "utf8" })) {
    const stat = statSync(join(home.home, name));
    assert.equal(stat.mode & 0o077, 0, `${name} can be read by others`);
  }
});

test("vault set, list, rename and remove go round", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  await home.ok(["vault", "set", "https://api.exa.ai/v1", "joe@example.com", "--type", "api_key"], {
    input: JSON.stringify({ key: "canary-round-0123456789" }),
  });
  await home.ok(["vault", "set", ".exa.ai", "joe@example.com", "--type", "cookies", "--json"], {
    input: JSON.stringify({ cookies: "a=1; b=2" }),
  });
  const [cookies, key] = (await home.ok(["vault", "list", "--json"])).json().toReversed();
  assert.deepEqual(Object.keys(key).sort(), [
    "domain",
    "identifier",
    "item_type",
    "label",
    "last_verified",
    "masked",
    "obtained_at",
    "source",
    "updated_at",
  ]);
  assert.deepEqual(
    [key.domain, key.identifier, key.item_type, key.masked],
    ["exa.ai", "joe@example.com", "api_key", "…6789"],
  );
  assert.equal(cookies.masked, "2 cookies");
  assert.equal(
    (await home.ok(["vault", "rename", "exa.ai", "joe@example.com", "joe", "--json"])).json().renamed,
    2,
  );
  assert.equal(
    (await home.ok(["vault", "remove", "exa.ai", "joe", "--type", "api_key", "--json"])).json().removed,
    1,
  );
  assert.equal((await home.ok(["vault", "list", "--json"])).json().length, 1);
  assert.equal((await home.ok(["vault", "remove", "exa.ai", "joe", "--json"])).json().removed, 1);
  assert.deepEqual((await home.ok(["vault", "list", "--json"])).json(), []);
});

test("vault rotate, verify, export and import go round, and the second home has the logins", async () => {
  await using home = new TestHome();
  await using other = new TestHome();
  await home.ok(["setup", "--yes"]);
  await home.set("exa.ai", "joe", "api_key", { key: "canary-export-0123456789" });
  assert.equal((await home.ok(["vault", "rotate", "--json"])).json().resealed, 1);
  assert.deepEqual((await home.ok(["vault", "verify", "--json"])).json(), { rows: 1, bad: [] });
  const file = join(home.root, "logins.age");
  const passphrase = "correct horse battery";
  const fd = ["--passphrase-fd", "3"];
  await home.ok(["vault", "export", file, ...fd], { passphrase });
  assert.equal(
    (await home.run(["vault", "export", file, ...fd], { passphrase })).status,
    1,
    "an export is not overwritten",
  );
  await other.ok(["setup", "--yes"]);
  const wrong = await other.run(["vault", "import", file, ...fd, "--json"], { passphrase: "something else" });
  assert.equal(wrong.json().error.code, "WRONG_KEY");
  assert.equal(
    (await other.ok(["vault", "import", file, ...fd, "--json"], { passphrase })).json().imported,
    1,
  );
  assert.equal((await other.ok(["vault", "list", "--json"])).json()[0].masked, "…6789");
});

test("a vault with a passphrase is locked after the engine stops, and says how to unlock it", async () => {
  await using home = new TestHome();
  const passphrase = "correct horse battery";
  const fd = ["--passphrase-fd", "3", "--json"];
  await home.ok(["setup", "--key", "passphrase", ...fd], { passphrase });
  await home.set("exa.ai", "joe", "api_key", { key: "canary-locked" });
  await home.ok(["engine", "stop"]);
  const locked = await home.run(["vault", "list", "--json"]);
  assert.equal(locked.status, 1);
  assert.equal(locked.json().error.code, "VAULT_LOCKED");
  assert.match(locked.json().error.hint, /deputy vault unlock/);
  assert.equal(
    (await home.run(["vault", "unlock", ...fd], { passphrase: "wrong wrong" })).json().error.code,
    "WRONG_KEY",
  );
  assert.equal((await home.ok(["vault", "list", ...fd], { passphrase })).json().length, 1);
  assert.equal((await home.ok(["vault", "list", "--json"])).json().length, 1, "it stays unlocked");
});

test("vault rekey moves the key from a file to a passphrase and back", async () => {
  await using home = new TestHome();
  const passphrase = "correct horse battery";
  await home.ok(["setup", "--yes"]);
  await home.set("exa.ai", "joe", "api_key", { key: "canary-rekey" });
  await home.ok(["vault", "rekey", "--key", "passphrase", "--passphrase-fd", "3"], { passphrase });
  assert.deepEqual(
    readdirSync(home.home).filter((name) => name === "vault.key"),
    [],
    "the old key is forgotten",
  );
  await home.ok(["engine", "stop"]);
  const unlock = { passphrase };
  assert.equal((await home.ok(["vault", "list", "--json", "--passphrase-fd", "3"], unlock)).json().length, 1);
  await home.ok(["vault", "rekey", "--key", "file"]);
  await home.ok(["engine", "stop"]);
  assert.equal((await home.ok(["vault", "list", "--json"])).json().length, 1);
  assert.deepEqual((await home.ok(["vault", "verify", "--json"])).json(), { rows: 1, bad: [] });
});

test("bad input gets a coded error, a hint and the right exit status, and nothing is lost", async (t) => {
  await using home = new TestHome();
  const before = await home.run(["vault", "list", "--json"]);
  assert.equal(before.json().error.code, "NOT_SET_UP");
  await home.ok(["setup", "--yes"]);
  await home.set("exa.ai", "joe", "api_key", { key: "canary-kept" });
  const set = (...more: string[]) => ["vault", "set", ...more];
  const cases: { name: string; args: string[]; input?: string; code: string; status: number }[] = [
    { name: "unknown command", args: ["vualt"], code: "BAD_USAGE", status: 2 },
    { name: "a command without its word", args: ["vault"], code: "BAD_USAGE", status: 2 },
    { name: "unknown option", args: ["status", "--shiny"], code: "BAD_USAGE", status: 2 },
    { name: "missing argument", args: set("exa.ai"), code: "BAD_USAGE", status: 2 },
    { name: "too many arguments", args: ["status", "now"], code: "BAD_USAGE", status: 2 },
    { name: "no type", args: set("exa.ai", "joe"), code: "BAD_USAGE", status: 2 },
    { name: "unknown key kind", args: ["vault", "rekey", "--key", "paper"], code: "BAD_USAGE", status: 2 },
    {
      name: "a descriptor that is no number",
      args: ["vault", "unlock", "--passphrase-fd", "x"],
      code: "BAD_USAGE",
      status: 2,
    },
    {
      name: "a descriptor that is closed",
      args: ["vault", "unlock", "--passphrase-fd", "99"],
      code: "BAD_USAGE",
      status: 2,
    },
    {
      name: "no passphrase and no terminal",
      args: ["vault", "export", "x.age"],
      code: "BAD_USAGE",
      status: 2,
    },
    {
      name: "empty standard input",
      args: set("exa.ai", "joe", "--type", "api_key"),
      code: "BAD_INPUT",
      status: 2,
    },
    {
      name: "malformed JSON",
      args: set("exa.ai", "joe", "--type", "api_key"),
      input: '{"key": canary}',
      code: "BAD_INPUT",
      status: 2,
    },
    {
      name: "JSON of the wrong form",
      args: set("exa.ai", "joe", "--type", "api_key"),
      input: '["canary"]',
      code: "BAD_INPUT",
      status: 2,
    },
    {
      name: "a key that is no text",
      args: set("exa.ai", "joe", "--type", "api_key"),
      input: '{"key": 5}',
      code: "BAD_INPUT",
      status: 2,
    },
    {
      name: "a token without a token",
      args: set("exa.ai", "joe", "--type", "oauth"),
      input: '{"scope": "x"}',
      code: "BAD_INPUT",
      status: 2,
    },
    {
      name: "no cookies",
      args: set("exa.ai", "joe", "--type", "cookies"),
      input: '{"cookies": ""}',
      code: "BAD_INPUT",
      status: 2,
    },
    {
      name: "a stranger's cookie",
      args: set("exa.ai", "joe", "--type", "cookies"),
      input: '{"cookies": [{"name": "a", "value": "canary", "domain": "evil.com"}]}',
      code: "BAD_INPUT",
      status: 2,
    },
    {
      name: "a type with a slash",
      args: set("exa.ai", "joe", "--type", "a/b"),
      input: "{}",
      code: "BAD_INPUT",
      status: 2,
    },
    {
      name: "a domain with a slash",
      args: set("exa.ai/x", "joe", "--type", "api_key"),
      input: '{"key": "canary"}',
      code: "BAD_INPUT",
      status: 2,
    },
    {
      name: "an empty domain",
      args: set(".", "joe", "--type", "api_key"),
      input: '{"key": "canary"}',
      code: "BAD_INPUT",
      status: 2,
    },
    {
      name: "an account of spaces",
      args: set("exa.ai", "  ", "--type", "api_key"),
      input: '{"key": "canary"}',
      code: "BAD_INPUT",
      status: 2,
    },
    {
      name: "a value of 5 MB",
      args: set("exa.ai", "joe", "--type", "api_key"),
      input: JSON.stringify({ key: "c".repeat(5e6) }),
      code: "TOO_LARGE",
      status: 1,
    },
    {
      name: "a value of 10 MB",
      args: set("exa.ai", "joe", "--type", "api_key"),
      input: JSON.stringify({ key: "c".repeat(1e7) }),
      code: "TOO_LARGE",
      status: 1,
    },
    {
      name: "removing what is not there",
      args: ["vault", "remove", "exa.ai", "jane"],
      code: "NOT_FOUND",
      status: 1,
    },
    {
      name: "renaming what is not there",
      args: ["vault", "rename", "exa.ai", "jane", "joe2"],
      code: "NOT_FOUND",
      status: 1,
    },
    {
      name: "importing what is not there",
      args: ["vault", "import", "/no/such/file", "--passphrase-fd", "3"],
      code: "NOT_FOUND",
      status: 1,
    },
  ];
  for (const { name, args, input, code, status } of cases) {
    await t.test(name, async () => {
      const options = { passphrase: "correct horse", ...(input === undefined ? {} : { input }) };
      const ran = await home.run([...args, "--json"], options);
      const { error } = ran.json();
      assert.deepEqual([error.code, ran.status], [code, status], ran.stdout);
      assert.ok(code === "NOT_FOUND" || error.hint, "there is a hint");
      assert.ok(!`${ran.stdout}${ran.stderr}`.includes("canary"), "the error does not quote what was given");
    });
  }
  const words = await home.run(["vualt"]);
  assert.match(words.stderr, /^deputy: unknown command 'vualt'\n {2}Did you mean vault\?\n$/);
  assert.equal((await home.ok(["vault", "list", "--json"])).json().length, 1);
});

test("help is shown for all commands, for those of a word and for one", async () => {
  await using home = new TestHome();
  assert.match(
    (await home.ok(["--help"])).stdout,
    /\n {2}setup [^]+\n {2}vault [^]+\n {2}demo [^]+deputy setup\n$/,
  );
  assert.match((await home.ok(["vault", "--help"])).stdout, /\n {2}rekey /);
  assert.match((await home.ok(["vault", "set", "--help"])).stdout, /Example:\n {2}.*deputy /);
});

test("doctor names what is weak and exits 0 while nothing fails", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--yes"]);
  const found = (await home.ok(["doctor", "--json"])).json();
  assert.equal(found.ok, true);
  const vault = found.checks.find((check: { id: string }) => check.id === "vault");
  assert.equal(vault.status, "warn");
  assert.match(vault.message, /key is a file/);
});
