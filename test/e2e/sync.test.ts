/** Two homes, two engines: paired by a code, logged in and logged out together. */
import assert from "node:assert/strict";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { parseCookie } from "../../src/cookies/index.ts";
import { writeChromiumProfile } from "../support/chromium-profile.ts";
import { TestHome } from "../support/deputy.ts";
import { http1Server, type LoopbackServer } from "../support/http-servers.ts";
import { RunningDeputy } from "../support/running-deputy.ts";

const CANARY = "canary-of-the-sync-session";
let site: LoopbackServer;
let address: string;
let laptop: TestHome;
let server: TestHome;

function answer(request: IncomingMessage, response: ServerResponse): void {
  const signedIn = (request.headers.cookie ?? "").includes(`sid=${CANARY}`);
  if (request.url === "/logout") response.setHeader("set-cookie", "sid=; Path=/; Max-Age=0");
  response.statusCode = signedIn ? 200 : 401;
  response.end(signedIn ? "hello, joe" : "who are you?");
}

const url = (path: string) => `http://shop.test:${site.port}${path}`;

async function newHome(): Promise<TestHome> {
  const home = new TestHome();
  mkdirSync(home.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home.home, "config.yaml"), "resolve: {shop.test: 127.0.0.1, bank.test: 127.0.0.1}\n");
  await home.ok(["setup", "--key", "file", "--json"]);
  return home;
}

/** Pairs the laptop, a source, with the server, a sink. */
async function pair(from: TestHome, to: TestHome) {
  await using waiting = new RunningDeputy(to, [
    "pair",
    "--as",
    "sink",
    "--listen",
    address,
    "--name",
    "server",
    "--json",
  ]);
  const [, url = "", code = ""] = await waiting.says(/Waiting at (\S+)\..*\n\s+(\d{4}-\d{4})/);
  const wrong = code.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
  const args = ["pair", "--as", "source", "--peer", url, "--name", "laptop", "--json"];
  assert.equal((await from.run(args, { input: wrong })).status, 4);
  await new Promise((resolve) => setTimeout(resolve, 1_100)); // guesses must wait for one another
  const here = (await from.ok(args, { input: `${code}\n` })).json();
  assert.equal(await waiting.ended, 0);
  return { here, there: JSON.parse(waiting.stdout) };
}

before(async () => {
  site = await http1Server(answer);
  await using free = await http1Server(answer);
  address = `127.0.0.1:${free.port}`;
  [laptop, server] = [await newHome(), await newHome()];
});

after(async () => {
  await laptop?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

test("two machines are paired by a code, and both show one fingerprint", async () => {
  const { here, there } = await pair(laptop, server);
  assert.equal(here.fingerprint, there.fingerprint);
  assert.deepEqual([here.name, here.role, there.name, there.role], ["server", "sink", "laptop", "source"]);
});

const asks = async (home: TestHome) =>
  (await home.run(["curl", url("/"), "--json"])).stdout.includes("hello, joe");
const cookie = {
  name: "sid",
  value: CANARY,
  domain: "shop.test",
  hostOnly: true,
  expires: Date.now() + 3_600_000,
};

test("a login goes over, and a logout after it", async () => {
  await laptop.set("shop.test", "joe", "cookies", { cookies: [cookie] });
  const refused = await laptop.run(["source", "--once", "--json"]);
  assert.equal(refused.status, 1);
  assert.equal(refused.json().peers[0].error.code, "NETWORK_FAILED", "no sink runs yet");

  await using sink = new RunningDeputy(server, ["sink", "--listen", address]);
  await sink.says(/Listening at/);
  const first = (await laptop.ok(["source", "--once", "--json"])).json().peers[0];
  assert.deepEqual([first.peer, first.full, first.stored], ["server", true, 1]);
  assert.ok(await asks(server), "the other machine is logged in");
  const ours = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")).version;
  for (const [home, other, expected] of [
    [laptop, "server", /server, a sink, answers at http.*; last contact/],
    [server, "laptop", /laptop, a source; last contact/],
  ] as const) {
    const { checks } = (await home.run(["doctor", "--json"])).json();
    const check = checks.find(({ id }: { id: string }) => id === `peer-${other}`);
    assert.deepEqual([check.status, check.message.match(expected) !== null], ["ok", true], check.message);
    assert.ok(check.message.includes(`Deputy ${ours} there`));
    const [contact] = (await home.ok(["status", "--json"])).json().peers;
    assert.deepEqual([contact.name, contact.error, contact.version], [other, null, ours]);
    assert.ok(Math.abs(contact.ahead) < 10_000);
  }
  assert.match((await laptop.ok(["status"])).stdout, /Peer   server, a sink, last .*: well, Deputy/);

  assert.ok(await asks(laptop));
  await laptop.run(["curl", url("/logout")]);
  assert.ok(!(await asks(laptop)));
  const second = (await laptop.ok(["source", "--once", "--json"])).json().peers[0];
  assert.deepEqual([second.full, second.deleted], [false, 1]);
  assert.ok(!(await asks(server)), "the other machine is logged out");
  assert.equal(await sink.interrupt(), 0);
});

test("a watching source sends what changes, and the policy of each side holds", async () => {
  await using sink = new RunningDeputy(server, ["sink", "--listen", address]);
  await sink.says(/Listening at/);
  await using source = new RunningDeputy(laptop, ["source", "--watch"]);
  await source.says(/server: 0 sent/);
  const later = { ...cookie, updated: Date.now() + 1 };
  await laptop.set("shop.test", "joe", "cookies", { cookies: [later] });
  await source.says(/server: 1 sent/);
  assert.ok(await asks(server));

  writeFileSync(join(server.home, "policy.yaml"), "block: [bank.test]\n");
  await laptop.set("bank.test", "joe", "cookies", { cookies: "sid=canary-of-the-bank" });
  await sink.says(/laptop: 0 stored, 0 deleted, 1 refused/);
  assert.equal(await source.interrupt(), 0);
  assert.ok(!(await server.ok(["vault", "list", "--json"])).stdout.includes("bank.test"));

  writeFileSync(join(laptop.home, "policy.yaml"), "mode: [");
  await laptop.set("shop.test", "ann", "cookies", { cookies: "sid=never" });
  const closed = (await laptop.ok(["source", "--once", "--json"])).json().peers[0];
  assert.equal(closed.stored, 0);
  assert.match(closed.skipped[0].reason, /nothing moves/);
  rmSync(join(laptop.home, "policy.yaml"));
  await laptop.ok(["vault", "remove", "shop.test", "ann"]);
});

test("a browser's login goes over to a surface of the sink while the source watches, and so does its end", async () => {
  writeFileSync(
    join(server.home, "config.yaml"),
    "resolve: {shop.test: 127.0.0.1}\nsurfaces: {sidecar: {enabled: true}}\n",
  );
  const profile = join(laptop.root, ".config/chromium/Default");
  const browsing = (value: string) => parseCookie({ ...cookie, domain: "browser.test", value });
  const store = writeChromiumProfile(profile, [browsing("canary-of-the-browser")]);
  await using sink = new RunningDeputy(server, ["sink", "--listen", address]);
  await sink.says(/Listening at/);
  await using source = new RunningDeputy(laptop, ["source", "--watch"]);
  await source.says(/server: 1 sent, 0 deleted/);
  const accounts = (await server.ok(["vault", "list", "--json"])).json();
  const found = accounts.find((row: { domain: string }) => row.domain === "browser.test");
  assert.equal(found.identifier, "@laptop/chromium/Default");
  assert.deepEqual(inSidecar("browser.test"), ["canary-of-the-browser"]);

  rmSync(store); // as the browser leaves it after a logout: another file with other rows
  writeChromiumProfile(profile, [{ ...browsing("left"), name: "theme" }]);
  await source.says(/server: 1 sent, 1 deleted/);
  assert.deepEqual(inSidecar("browser.test"), ["left"]);
  rmSync(profile, { recursive: true });
  rmSync(join(server.home, "surfaces"), { recursive: true });
  writeFileSync(join(server.home, "config.yaml"), "resolve: {shop.test: 127.0.0.1}\n");
});

test("a login the vault took from a browser ends with it there; a store that cannot be read ends nothing", async () => {
  const profile = join(laptop.root, ".config/chromium/Default");
  const store = join(profile, "Cookies");
  const at = Date.now() - 60_000;
  const own = (name: string, fields: object = {}) =>
    parseCookie({ ...cookie, domain: "adopted.test", name, created: at, updated: at, ...fields });
  const browser = (...cookies: ReturnType<typeof own>[]) => {
    rmSync(store, { force: true });
    writeChromiumProfile(profile, cookies);
  };
  const held = async () => {
    const rows = (await server.ok(["vault", "list", "--json"])).json();
    const row = rows.find((one: { domain: string }) => one.domain === "adopted.test");
    const args = ["cookies", "--domain", "adopted.test", "--account", row?.identifier, "--format", "json"];
    return (await server.ok(args)).json().map(({ name }: { name: string }) => name);
  };
  browser(own("sid"), own("theme"));
  await laptop.ok(["cookies", "--domain", "adopted.test"]);
  await using sink = new RunningDeputy(server, ["sink", "--listen", address]);
  await sink.says(/Listening at/);
  const send = async () => (await laptop.ok(["source", "--once", "--json"])).json().peers[0];
  await send();
  assert.deepEqual((await held()).sort(), ["sid", "theme"]);

  writeFileSync(store, "no database, whatever it is ".repeat(100));
  assert.equal((await send()).deleted, 0);
  await laptop.ok(["engine", "stop"]);
  assert.equal((await send()).deleted, 0, "nor for an engine that never read it");

  browser(own("theme"));
  assert.equal((await send()).deleted, 1);
  assert.deepEqual(await held(), ["theme"]);
  const here = await laptop.ok(["cookies", "--domain", "adopted.test"]);
  assert.doesNotMatch(here.stdout, /sid/);

  browser(own("theme"), own("sid", { value: "canary-of-the-next-login", updated: Date.now() }));
  await send();
  assert.deepEqual((await held()).sort(), ["sid", "theme"], "and a newer login there is the vault's too");
  rmSync(profile, { recursive: true });
  await laptop.ok(["vault", "remove", "adopted.test", "@chromium/Default"]);
});

/** As any reader of Chrome-shaped databases would. */
function inSidecar(domain: string): unknown[] {
  using db = new DatabaseSync(join(server.home, "surfaces", "cookies-plain.db"), { readOnly: true });
  return db
    .prepare("SELECT value FROM cookies WHERE host_key = ?")
    .all(domain)
    .map((row) => row["value"]);
}

test("keys and tokens travel only where the owner of both machines said so", async () => {
  await laptop.set("exa.test", "joe", "api_key", { key: "canary-of-the-key" });
  const rows = ["--rows", "exa.test/joe"];
  const types = async () =>
    (await server.ok(["vault", "list", "--json"])).json().map((row: { item_type: string }) => row.item_type);
  {
    await using sink = new RunningDeputy(server, ["sink", "--listen", address]);
    await sink.says(/Listening at/);
    await laptop.ok(["source", "--once"]);
    const refused = (await laptop.ok(["source", "--once", ...rows, "--json"])).json().peers[0].refused;
    assert.match(refused[0].reason, /not told/);
    assert.ok(!(await types()).includes("api_key"));
  }
  await using sink = new RunningDeputy(server, ["sink", "--listen", address, ...rows]);
  await sink.says(/Listening at/);
  await laptop.set("exa.test", "joe", "api_key", { key: "canary-of-the-key-2" });
  await laptop.ok(["source", "--once", ...rows]);
  assert.ok((await types()).includes("api_key"));
  await laptop.ok(["vault", "remove", "exa.test", "joe"]);
  await laptop.ok(["source", "--once", ...rows]);
  assert.ok(!(await types()).includes("api_key"));
});

test("a sink and a source are installed as services that run what was asked for, and nothing is started", {
  skip: process.platform === "linux" ? false : "units are for systemd",
}, async () => {
  const unit = join(server.root, ".config/systemd/user/deputy-sink.service");
  const command = ["sink", "--listen", address, "--rows", "exa.test/joe"];
  const shown = (await server.ok([...command, "--print", "--json"])).json();
  assert.equal(shown.file, unit);
  assert.ok(!existsSync(unit));
  const done = await server.ok([...command, "--install"]);
  assert.match(done.stdout, /Nothing runs yet; to start it now and at every login:\n\s+systemctl --user/);
  assert.equal(readFileSync(unit, "utf8"), shown.text);
  assert.ok(shown.text.includes(`"sink" "--listen" "${address}" "--rows" "exa.test/joe"\n`));
  assert.ok(shown.text.includes(`Environment="DEPUTY_HOME=${server.home}"\n`));
  assert.equal((await server.ok([...command, "--install", "--json"])).json().changed, false);
  assert.equal((await server.ok(["sink", "--uninstall", "--json"])).json().changed, true);
  assert.ok(!existsSync(unit));
  const source = (await laptop.ok(["source", "--peer", "server", "--device-bound", "--print"])).stdout;
  assert.match(source, /"source" "--watch" "--peer" "server" "--device-bound"$/m);
  const env = { DEPUTY_AGENT: "cursor" };
  assert.equal((await server.run(["sink", "--install"], { env })).status, 4);
});

test("no code, key, cookie or site is in a plain file, and none of the files is for others", () => {
  for (const home of [laptop, server]) {
    for (const file of globSync("**/*", { cwd: home.home }).map((name) => join(home.home, name))) {
      const stat = statSync(file);
      if (!stat.isFile()) continue;
      const bytes = readFileSync(file);
      assert.ok(!bytes.includes("canary-of-the"), file);
      if (/peers/.test(file)) {
        assert.ok(!bytes.includes("shop.test"), file);
        assert.equal(stat.mode & 0o077, 0, file);
      }
    }
  }
});

test("a machine that was removed is known no more, on either side", async () => {
  await using sink = new RunningDeputy(server, ["sink", "--listen", address]);
  await sink.says(/Listening at/);
  assert.equal((await server.ok(["peers", "list", "--json"])).json().length, 1);
  await server.ok(["peers", "remove", "laptop"]);
  const pushed = await laptop.run(["source", "--once", "--json"]);
  assert.equal(pushed.json().peers[0].error.code, "DENIED");
  assert.equal(pushed.status, 4);
  await laptop.ok(["peers", "remove", "server"]);
  assert.equal((await laptop.run(["source", "--once"])).status, 1);
  assert.deepEqual((await laptop.ok(["peers", "list", "--json"])).json(), []);
});
