import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { CANARY, deletionOf, NOW, wanted } from "../../test/contracts/surface.ts";
import { adapterHome, bundled, findAdapter } from "../../test/support/adapter-home.ts";
import { fails } from "../../test/support/fails.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { Secret } from "../kernel/index.ts";
import { parseAdapter } from "./adapter.ts";
import { createSessionFilesSurface, deliverAll, loadAdapters } from "./index.ts";

const clock = { now: () => NOW };

test("every bundled adapter is sound", () => {
  assert.deepEqual(bundled.problems, []);
  assert.deepEqual(
    bundled.adapters.map(({ id }) => id),
    [
      "airbnb-pp-cli",
      "cookies-txt",
      "ebay-pp-cli",
      "instacart-pp-cli",
      "pagliacci-pp-cli",
      "storage-state",
      "table-reservation-goat-pp-cli",
    ],
  );
  assert.ok(bundled.adapters.every(({ seal }) => !seal));
});

test("a fresh config.toml and cookies.json carry the Cookie header, private to the owner", async () => {
  using folder = adapterHome("airbnb-pp-cli");
  const surface = createSessionFilesSurface({
    adapter: findAdapter("airbnb-pp-cli"),
    places: folder.places,
    clock,
  });
  const want = [
    wanted({ domain: "airbnb.com" }),
    wanted({ name: "b", value: "2", domain: "www.airbnb.com", created: NOW }),
  ];
  const first = await surface.deliver(want, []);
  assert.deepEqual([first.delivered, first.unchanged, first.refused], [2, 0, []]);
  const own = join(folder.path, ".config", "airbnb-pp-cli");
  assert.equal(
    readFileSync(join(own, "config.toml"), "utf8"),
    `base_url = 'https://www.airbnb.com'\nauth_header = ''\naccess_token = 'sid=${CANARY}; b=2'\nrefresh_token = ''\n` +
      "token_expiry = 0001-01-01T00:00:00Z\nclient_id = ''\nclient_secret = ''\n",
  );
  assert.equal(readFileSync(join(own, "cookies.json"), "utf8"), `{\n  "cookies": "sid=${CANARY}; b=2"\n}\n`);
  assert.equal(statSync(own).mode & 0o777, 0o700);
  for (const file of readdirSync(own)) assert.equal(statSync(join(own, file)).mode & 0o777, 0o600);
  assert.equal((await surface.deliver(want, [])).unchanged, 2);
});

test("an existing config.toml keeps all but its token, through a link too", async () => {
  using folder = adapterHome("ebay-pp-cli");
  const own = join(folder.path, ".config", "ebay-pp-cli");
  mkdirSync(own, { recursive: true });
  const dotfiles = join(folder.path, "dotfiles.toml");
  const text = (token: string) =>
    `# mine\nbase_url = 'https://ebay.de'\naccess_token = ${token}\n\n[other]\naccess_token = 'not this one'`;
  writeFileSync(dotfiles, text("'old'"));
  symlinkSync(dotfiles, join(own, "config.toml"));
  const surface = createSessionFilesSurface({
    adapter: findAdapter("ebay-pp-cli"),
    places: folder.places,
    clock,
  });
  await surface.deliver([wanted({ domain: "ebay.de", value: "new" })], []);
  assert.equal(readFileSync(dotfiles, "utf8"), text("'sid=new'"));
  await surface.deliver([wanted({ domain: "ebay.de", value: `it's "quoted"` })], []);
  assert.equal(readFileSync(dotfiles, "utf8"), text(String.raw`"sid=it's \"quoted\""`));
  const gone = await surface.deliver([], [deletionOf(wanted({ domain: "ebay.de" }))]);
  assert.equal(gone.deleted, 1);
  assert.equal(readFileSync(dotfiles, "utf8"), text("''"));
  writeFileSync(dotfiles, "[table]\nx = 1");
  await surface.deliver([wanted({ domain: "ebay.de", value: "new" })], []);
  assert.equal(readFileSync(dotfiles, "utf8"), "access_token = 'sid=new'\n[table]\nx = 1\n");
});

test("one header holds one site's cookies, the newest login's", async () => {
  using folder = adapterHome("airbnb-pp-cli");
  const surface = createSessionFilesSurface({
    adapter: findAdapter("airbnb-pp-cli"),
    places: folder.places,
    clock,
  });
  const want = [
    wanted({ domain: "airbnb.com" }),
    wanted({ domain: "www.airbnb.co.uk", value: "uk", updated: NOW }),
  ];
  const { delivered, refused } = await surface.deliver(want, []);
  assert.deepEqual([delivered, refused.map(({ domain }) => domain)], [1, ["airbnb.com"]]);
});

test("session.json splits cookies by network at label boundaries", async () => {
  using folder = adapterHome("table-reservation-goat-pp-cli");
  const adapter = findAdapter("table-reservation-goat-pp-cli");
  const surface = createSessionFilesSurface({ adapter, places: folder.places, clock });
  const want = [
    wanted({ name: "ot", domain: "opentable.com", value: "1" }),
    wanted({ name: "tock", domain: "www.exploretock.com", hostOnly: true, value: "2", expires: null }),
  ];
  const stranger = wanted({ domain: "xopentable.com" });
  const [delivery] = await deliverAll({
    surfaces: [surface],
    want: [...want, stranger],
    gone: [],
    allows: () => ({ ok: true }),
  });
  assert.deepEqual([delivery?.delivered, delivery?.refused], [2, []]);
  const file = join(folder.path, ".config", adapter.id, "session.json");
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), {
    version: 1,
    updated_at: new Date(NOW).toISOString(),
    opentable_cookies: [
      {
        name: "ot",
        value: "1",
        domain: ".opentable.com",
        path: "/",
        expires: new Date(NOW + 86_400_000).toISOString(),
      },
    ],
    tock_cookies: [
      { name: "tock", value: "2", domain: "www.exploretock.com", path: "/", expires: "2099-12-31T23:59:59Z" },
    ],
  });
  assert.equal((await surface.deliver(want, [])).unchanged, 2);
  assert.equal((await surface.deliver([], [deletionOf(want[0]!)])).deleted, 1);
  const { opentable_cookies, tock_cookies } = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual([opentable_cookies.length, tock_cookies.length], [0, 1]);
});

test("a command gets the header on its standard input, and nothing on its command line or in its environment", async () => {
  using folder = adapterHome("instacart-pp-cli");
  const surface = createSessionFilesSurface({
    adapter: findAdapter("instacart-pp-cli"),
    places: folder.places,
    clock,
  });
  const want = [wanted({ domain: "instacart.com" })];
  assert.equal((await surface.deliver(want, [])).delivered, 1);
  const read = (file: string) => readFileSync(join(folder.path, file), "utf8");
  assert.deepEqual([read("pasted"), read("args")], [`sid=${CANARY}`, "auth paste"]);
  assert.ok(!read("env").includes(CANARY));
  assert.equal((await surface.deliver(want, [])).unchanged, 1);

  const session = join(folder.path, ".config/instacart-pp-cli/session.json");
  mkdirSync(join(session, ".."), { recursive: true });
  writeFileSync(session, "what the program made of it");
  const gone = { ...deletionOf(want[0]!), at: Date.now() - 60_000 };
  assert.equal(
    (await surface.deliver([], [gone])).deleted,
    0,
    "a session newer than the logout is the owner's",
  );
  assert.equal((await surface.deliver([], [{ ...gone, at: Date.now() + 1000 }])).deleted, 1);
  assert.ok(!existsSync(session));
});

test("a command that fails says so without what it printed; one that is missing is not installed", async () => {
  using folder = adapterHome("instacart-pp-cli", "#!/bin/sh\ncat >&2\nexit 3\n");
  const adapter = findAdapter("instacart-pp-cli");
  const surface = createSessionFilesSurface({ adapter, places: folder.places, clock });
  await fails(surface.deliver([wanted({ domain: "instacart.com" })], []), "PROTOCOL", /status 3/);
  using bare = adapterHome();
  const absent = createSessionFilesSurface({ adapter, places: bare.places, clock });
  await fails(absent.deliver([wanted({ domain: "instacart.com" })], []), "NOT_FOUND", /not installed/);
});

test("names that are no words, values with line ends, hosts with slashes and empty values reach no file", async () => {
  using folder = adapterHome("airbnb-pp-cli");
  const surface = createSessionFilesSurface({
    adapter: findAdapter("airbnb-pp-cli"),
    places: folder.places,
    clock,
  });
  const bad = [
    wanted({ name: "a b" }),
    wanted({ name: "" }),
    wanted({ name: "x=y" }),
    wanted({ name: "n", value: "1\nLD_PRELOAD=/evil" }),
    wanted({ name: "n", value: "" }),
    wanted({ name: "n", domain: "../../etc" }),
    wanted({ name: "n", domain: "a..b" }),
    wanted({ name: "n", path: "/\u0000" }),
    wanted({ name: "n", partitionKey: { topLevelSite: "https://a.example", crossSiteAncestor: true } }),
    wanted({ name: "n", expires: NOW - 1 }),
  ];
  const { delivered, refused } = await surface.deliver(bad, []);
  assert.deepEqual([delivered, refused.length], [0, bad.length]);
  assert.ok(!existsSync(join(folder.path, ".config")));
});

test("an adapter that seals writes no value in clear and knows its own again", async () => {
  using folder = adapterHome();
  const adapter = parseAdapter(
    `{id: own, name: mine, hosts: [example.com], seal: true,
      writes: [{format: cookies-json, path: ~/c.json}, {format: session-json, path: ~/s.json, networks: {all: ["*"]}}]}`,
    "here",
  );
  const key = async () => Secret.fromBytes(Buffer.alloc(32, 3));
  const surface = createSessionFilesSurface({ adapter, places: folder.places, clock, key });
  assert.equal((await surface.deliver([wanted({})], [])).delivered, 1);
  for (const file of ["c.json", "s.json"]) {
    const text = readFileSync(join(folder.path, file), "utf8");
    assert.ok(text.includes("agc1:") && !text.includes(CANARY));
  }
  assert.equal((await surface.deliver([wanted({})], [])).unchanged, 1);
});

test("the owner's adapter replaces a bundled one; a broken one costs only itself", () => {
  using folder = temporaryFolder("adapters");
  writeFileSync(
    join(folder.path, "a.yaml"),
    "{id: cookies-txt, name: mine, hosts: [a.example], writes: [{format: netscape, path: ~/x}]}",
  );
  writeFileSync(join(folder.path, "b.yaml"), "{id: b, name: b, hosts: ['exa*mple.com'], writes: []}");
  mkdirSync(join(folder.path, "c.yaml"));
  const { adapters, problems } = loadAdapters([resolve(import.meta.dirname, "../../adapters"), folder.path]);
  assert.equal(adapters.find(({ id }) => id === "cookies-txt")?.name, "mine");
  assert.equal(problems.length, 2);
  assert.match(problems[0]?.message ?? "", /b\.yaml: something is wrong with hosts\.0 \(it is not a host\)/);
  assert.match(problems[1]?.message ?? "", /c\.yaml: it cannot be read/);
});
