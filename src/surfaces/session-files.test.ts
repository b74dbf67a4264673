import assert from "node:assert/strict";
import {
  chmodSync,
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
import { CANARY, deletionOf, NOW, testSurface, wanted } from "../../test/contracts/surface.ts";
import { fails } from "../../test/support/fails.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { cookiesFromNetscape, cookiesFromStorageState } from "../cookies/index.ts";
import { Secret } from "../kernel/index.ts";
import { parseAdapter } from "./adapter.ts";
import { type Adapter, createSessionFilesSurface, deliverAll, loadAdapters } from "./index.ts";

const bundled = loadAdapters([resolve(import.meta.dirname, "../../adapters")]);
const clock = { now: () => NOW };

function find(id: string): Adapter {
  const adapter = bundled.adapters.find((one) => one.id === id);
  assert.ok(adapter, id);
  return adapter;
}

/** A home in which the adapter's program is a script that keeps what it reads. */
function home(
  program?: string,
  script = '#!/bin/sh\ncat > "$HOME/pasted"\nprintf %s "$*" > "$HOME/args"\nenv > "$HOME/env"\n',
) {
  const folder = temporaryFolder("files");
  const bin = join(folder.path, "go", "bin");
  mkdirSync(bin, { recursive: true });
  if (program !== undefined) {
    writeFileSync(join(bin, program), script);
    chmodSync(join(bin, program), 0o755);
  }
  const env = { HOME: folder.path, PATH: "/usr/bin:/bin" };
  return {
    ...folder,
    places: { env, surfaces: join(folder.path, "surfaces") },
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}

testSurface({
  name: "cookies.txt",
  kept: ({ name, value, domain, hostOnly, path, expires, secure, httpOnly }) => ({
    name,
    value,
    domain,
    hostOnly,
    path,
    expires: expires === null ? null : Math.floor(expires / 1000) * 1000,
    secure,
    httpOnly,
  }),
  async make() {
    const folder = home();
    const file = join(folder.places.surfaces, "cookies.txt");
    return {
      surface: createSessionFilesSurface({ adapter: find("cookies-txt"), places: folder.places, clock }),
      read: async () =>
        cookiesFromNetscape(existsSync(file) ? readFileSync(file, "utf8") : "").cookies.map(
          ({ name, value, domain, hostOnly, path, expires, secure, httpOnly }) => ({
            name,
            value,
            domain,
            hostOnly,
            path,
            expires,
            secure,
            httpOnly,
          }),
        ),
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  },
});

testSurface({
  name: "storage state",
  kept: ({ name, value, domain, hostOnly, path, expires, sameSite, partitionKey }) => ({
    name,
    value,
    domain,
    hostOnly,
    path,
    expires,
    sameSite,
    partitionKey,
  }),
  async make() {
    const folder = home();
    const file = join(folder.places.surfaces, "storage-state.json");
    return {
      surface: createSessionFilesSurface({ adapter: find("storage-state"), places: folder.places, clock }),
      read: async () =>
        cookiesFromStorageState(existsSync(file) ? readFileSync(file, "utf8") : '{"cookies":[]}').cookies.map(
          ({ name, value, domain, hostOnly, path, expires, sameSite, partitionKey }) => ({
            name,
            value,
            domain,
            hostOnly,
            path,
            expires,
            sameSite,
            partitionKey,
          }),
        ),
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  },
});

/** An adapter for everybody, so that the suite's cookies meet the format and no host pattern. */
function anyHost(write: string): Adapter {
  return parseAdapter(`{id: any, name: any, hosts: ["*"], writes: [${write}]}`, "test");
}

testSurface({
  name: "session.json",
  kept: ({ name, value, domain, hostOnly, path, expires }) => ({
    name,
    value,
    domain,
    hostOnly,
    path,
    expires,
  }),
  async make() {
    const folder = home();
    const adapter = anyHost('{format: session-json, path: ~/session.json, networks: {all: ["*"]}}');
    const file = join(folder.path, "session.json");
    return {
      surface: createSessionFilesSurface({ adapter, places: folder.places, clock }),
      read: async () =>
        (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).all : []).map(
          (one: { name: string; value: string; domain: string; path: string; expires: string }) => ({
            name: one.name,
            value: one.value,
            domain: one.domain.replace(/^\./, ""),
            hostOnly: !one.domain.startsWith("."),
            path: one.path,
            expires: one.expires.startsWith("2099-12-31") ? null : Date.parse(one.expires),
          }),
        ),
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  },
});

for (const [format, headerIn] of [
  ["{format: cookies-json, path: ~/file}", (text: string) => JSON.parse(text).cookies],
  [
    "{format: config-toml, path: ~/file, key: access_token}",
    (text: string) => {
      const written = /^access_token = (.*)$/m.exec(text)?.[1] ?? "''";
      return written.startsWith("'") ? written.slice(1, -1) : JSON.parse(written);
    },
  ],
] as const)
  testSurface({
    name: /format: ([a-z-]+)/.exec(format)?.[1] ?? format,
    keepsOthers: false,
    kept: ({ name, value }) => ({ name, value }),
    async make() {
      const folder = home();
      const file = join(folder.path, "file");
      return {
        surface: createSessionFilesSurface({ adapter: anyHost(format), places: folder.places, clock }),
        async read() {
          const header: string = existsSync(file) ? headerIn(readFileSync(file, "utf8")) : "";
          return header === ""
            ? []
            : header.split("; ").map((pair) => {
                const at = pair.indexOf("=");
                return { name: pair.slice(0, at), value: pair.slice(at + 1) };
              });
        },
        [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
      };
    },
  });

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
  using folder = home("airbnb-pp-cli");
  const surface = createSessionFilesSurface({ adapter: find("airbnb-pp-cli"), places: folder.places, clock });
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
  using folder = home("ebay-pp-cli");
  const own = join(folder.path, ".config", "ebay-pp-cli");
  mkdirSync(own, { recursive: true });
  const dotfiles = join(folder.path, "dotfiles.toml");
  const text = (token: string) =>
    `# mine\nbase_url = 'https://ebay.de'\naccess_token = ${token}\n\n[other]\naccess_token = 'not this one'`;
  writeFileSync(dotfiles, text("'old'"));
  symlinkSync(dotfiles, join(own, "config.toml"));
  const surface = createSessionFilesSurface({ adapter: find("ebay-pp-cli"), places: folder.places, clock });
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
  using folder = home("airbnb-pp-cli");
  const surface = createSessionFilesSurface({ adapter: find("airbnb-pp-cli"), places: folder.places, clock });
  const want = [
    wanted({ domain: "airbnb.com" }),
    wanted({ domain: "www.airbnb.co.uk", value: "uk", updated: NOW }),
  ];
  const { delivered, refused } = await surface.deliver(want, []);
  assert.deepEqual([delivered, refused.map(({ domain }) => domain)], [1, ["airbnb.com"]]);
});

test("session.json splits cookies by network at label boundaries", async () => {
  using folder = home("table-reservation-goat-pp-cli");
  const adapter = find("table-reservation-goat-pp-cli");
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
  using folder = home("instacart-pp-cli");
  const surface = createSessionFilesSurface({
    adapter: find("instacart-pp-cli"),
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
  using folder = home("instacart-pp-cli", "#!/bin/sh\ncat >&2\nexit 3\n");
  const adapter = find("instacart-pp-cli");
  const surface = createSessionFilesSurface({ adapter, places: folder.places, clock });
  await fails(surface.deliver([wanted({ domain: "instacart.com" })], []), "PROTOCOL", /status 3/);
  using bare = home();
  const absent = createSessionFilesSurface({ adapter, places: bare.places, clock });
  await fails(absent.deliver([wanted({ domain: "instacart.com" })], []), "NOT_FOUND", /not installed/);
});

test("names that are no words, values with line ends, hosts with slashes and empty values reach no file", async () => {
  using folder = home("airbnb-pp-cli");
  const surface = createSessionFilesSurface({ adapter: find("airbnb-pp-cli"), places: folder.places, clock });
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
  using folder = home();
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
