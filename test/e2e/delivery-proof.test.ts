/**
 * The whole way with real parts: a browser logs in on one machine, and on another a browser that starts later, one that
 * runs, readers that know nothing of Deputy and other programs' session files are logged in; and logged out with it.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { getCookies } from "@steipete/sweet-cookie";
import { TestHome } from "../support/deputy.ts";
import { missing } from "../support/fault-form.ts";
import { http1Server } from "../support/http-servers.ts";
import { type LoginSite, startLoginSite } from "../support/login-site.ts";
import { type NetworkNamespace, openNetworkNamespace } from "../support/network-namespace.ts";
import { noChromium, type RealChromium, startChromium } from "../support/real-chromium.ts";
import { RunningDeputy } from "../support/running-deputy.ts";

const CANARY = "canary-of-the-proof";
const SHOP = "shop.test";
const BNB = "www.airbnb.com";
const TABLE = "www.opentable.com";
const CART = "www.instacart.com";
const HOSTS = [SHOP, BNB, TABLE, CART];

const namespace = noChromium === false ? openNetworkNamespace() : noChromium;
const [apart, whyNot]: [NetworkNamespace | undefined, string | false] =
  typeof namespace === "string" ? [undefined, namespace] : [namespace, false];
const skip = noChromium;
const options = { skip, timeout: 240_000 };

let site: LoginSite;
let laptop: TestHome;
let server: TestHome;
let running: RealChromium;
let sink: RunningDeputy;

/** Where a browser of the laptop keeps its profiles, and where the server's two browsers do. */
const browserOfLaptop = () => join(laptop.root, ".config/chromium");
const closed = () => join(server.root, "closed");
const profile = () => join(closed(), "Default");
const sidecar = () => join(server.home, "surfaces", "cookies-plain.db");
const inHome = (file: string) => join(server.root, ".config", file);
const onLaptop = (args: readonly string[], input?: string) =>
  laptop.ok(args, { ...(input === undefined ? {} : { input }), prefix: [...(apart?.prefix ?? [])] });

/** A visit of each, in a browser that ends with it, so that its store is written. */
async function inBrowser(userData: string, ...urls: string[]): Promise<string[]> {
  await using browser = await startChromium({ userData });
  for (const url of urls) await browser.visit(url);
  return (await browser.cookies()).map(({ name, domain }) => `${domain} ${name}`).sort();
}

const loggedIn = async (browser: RealChromium, host: string) => {
  await browser.visit(site.url(host));
  return site.seen.get(host);
};

async function startRunning(userData: string): Promise<RealChromium> {
  const browser = await startChromium({ userData, args: ["--remote-debugging-port=0"] });
  for (let i = 0; i < 200 && !existsSync(join(userData, "DevToolsActivePort")); i++) await sleep(50);
  return browser;
}

before(async () => {
  if (skip !== false) return;
  site = await startLoginSite(CANARY);
  [laptop, server] = [new TestHome(), new TestHome()];
  await using free = await http1Server(() => {});
  const address = `${apart?.here ?? "127.0.0.1"}:${free.port}`;
  await free[Symbol.asyncDispose]();
  const live = join(server.root, "live");
  [running] = await Promise.all([
    startRunning(live),
    inBrowser(closed(), site.url("other.test", "/login"), site.url("another.test", "/login")),
    onLaptop(["setup", "--key", "file", "--json"]),
    server.ok(["setup", "--key", "file", "--json"]),
  ]);
  const [port = ""] = readFileSync(join(live, "DevToolsActivePort"), "utf8").split("\n");
  const bin = join(server.root, "go/bin");
  mkdirSync(bin, { recursive: true });
  const keep =
    '#!/bin/sh\nmkdir -p "$HOME/.config/instacart-pp-cli"\ncat > "$HOME/.config/instacart-pp-cli/session.json"\n';
  for (const name of ["airbnb-pp-cli", "table-reservation-goat-pp-cli", "instacart-pp-cli"])
    writeFileSync(join(bin, name), keep, { mode: 0o755 });
  writeFileSync(
    join(server.home, "config.yaml"),
    `surfaces:
  chromium: { enabled: true, profile: ${closed()} }
  sidecar: { enabled: true }
  files: { adapters: [airbnb-pp-cli, table-reservation-goat-pp-cli, instacart-pp-cli, cookies-txt] }
  live: { enabled: true, endpoint: "http://127.0.0.1:${port}" }
`,
  );
  sink = new RunningDeputy(server, ["sink", "--listen", address]);
  await sink.says(/Listening at/);
  await using waiting = new RunningDeputy(server, [
    "pair",
    "--as",
    "sink",
    "--listen",
    address,
    "--name",
    "server",
  ]);
  const [, code = ""] = await waiting.says(/(\d{4}-\d{4})/);
  await onLaptop(["pair", "--as", "source", "--peer", address, "--name", "laptop"], code);
  await waiting.ended;
});

after(async () => {
  await sink?.[Symbol.asyncDispose]();
  await running?.[Symbol.asyncDispose]();
  await laptop?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
  apart?.[Symbol.dispose]();
});

test("the two machines have a network each, and reach one another only over a wire between them", {
  skip: whyNot,
}, async () => {
  const networkOf = (pid: number) => readlinkSync(`/proc/${pid}/ns/net`);
  const pid = Number((await onLaptop(["engine", "status", "--json"])).json().pid);
  assert.notEqual(networkOf(pid), networkOf((await server.enginePid()) ?? 0));
});

test("a login in the laptop's browser reaches every surface of the server", options, async () => {
  assert.equal(await loggedIn(running, SHOP), false);
  await inBrowser(browserOfLaptop(), ...HOSTS.map((host) => site.url(host, "/login")));
  const sent = (await onLaptop(["source", "--once", "--json"])).json().peers[0];
  assert.deepEqual([sent.error, sent.refused, sent.full], [undefined, [], true]);
  assert.deepEqual(
    sent.surfaces.map(({ surface, error }: Record<string, unknown>) => [surface, error]),
    [
      ["chromium", undefined],
      ["sidecar", undefined],
      ["files", undefined],
      ["files", undefined],
      ["files", undefined],
      ["files", undefined],
      ["live", undefined],
    ],
  );
});

test("a running browser is logged in at once", options, async () => {
  for (const host of [SHOP, BNB]) assert.equal(await loggedIn(running, host), true, host);
});

test(
  "readers that know nothing of Deputy find the login in the sidecar and in the profile",
  options,
  async () => {
    for (const chromeProfile of [sidecar(), join(profile(), "Cookies")]) {
      const { cookies } = await getCookies({ url: site.url(SHOP), browsers: ["chrome"], chromeProfile });
      const found = cookies.map(({ name, value }) => `${name}=${value}`).sort();
      assert.deepEqual(found, [`sid=${site.sessions.get(SHOP)}`, "theme=dark"], chromeProfile);
    }
  },
);

const noDownloader = missing("yt-dlp");
/** Chromium prefixes values with a hash of their host since 2024, and yt-dlp knows since then. */
const version = noDownloader === false ? spawnSync("yt-dlp", ["--version"], { encoding: "utf8" }).stdout : "";

function downloaderReads(folder: string): string {
  const out = join(server.root, "out.txt");
  const args = [
    "--ignore-config",
    "--cookies-from-browser",
    `chromium+basictext:${folder}`,
    "--cookies",
    out,
  ];
  spawnSync("yt-dlp", [...args, "--simulate", "http://127.0.0.1:1/"], {
    env: { ...process.env, HOME: server.root },
  });
  return readFileSync(out, "utf8");
}

test("yt-dlp reads the sidecar", { skip: skip || noDownloader }, () => {
  const folder = join(server.root, "as-profile");
  mkdirSync(folder);
  symlinkSync(sidecar(), join(folder, "Cookies"));
  assert.ok(downloaderReads(folder).includes(`\tsid\t${site.sessions.get(SHOP)}`));
});

test("yt-dlp reads the profile", {
  skip:
    skip ||
    noDownloader ||
    (version < "2024.12" && `yt-dlp ${version.trim()} is older than the Chromium whose stores it is to read`),
}, () => {
  assert.ok(downloaderReads(profile()).includes(`\tsid\t${site.sessions.get(SHOP)}`));
});

test("other programs find their session files as they know them", options, () => {
  const header = `sid=${site.sessions.get(BNB)}; theme=dark`;
  const toml = readFileSync(inHome("airbnb-pp-cli/config.toml"), "utf8");
  assert.match(toml, /^base_url = 'https:\/\/www\.airbnb\.com'$/m);
  assert.ok(toml.includes(`\naccess_token = '${header}'\n`), toml);
  assert.deepEqual(JSON.parse(readFileSync(inHome("airbnb-pp-cli/cookies.json"), "utf8")), {
    cookies: header,
  });
  const session = JSON.parse(readFileSync(inHome("table-reservation-goat-pp-cli/session.json"), "utf8"));
  assert.deepEqual(Object.keys(session), ["version", "updated_at", "opentable_cookies", "tock_cookies"]);
  assert.deepEqual([session.version, session.tock_cookies], [1, []]);
  const [sid] = session.opentable_cookies;
  assert.deepEqual(
    [sid.name, sid.value, sid.domain, sid.path],
    ["sid", site.sessions.get(TABLE), TABLE, "/"],
  );
  assert.match(sid.expires, /^\d{4}-\d\d-\d\dT/);
  assert.equal(
    readFileSync(inHome("instacart-pp-cli/session.json"), "utf8"),
    `sid=${site.sessions.get(CART)}; theme=dark`,
  );
});

test("a browser that starts afterwards is logged in, and has all it had", options, async () => {
  await using browser = await startChromium({ userData: closed() });
  for (const host of HOSTS) assert.equal(await loggedIn(browser, host), true, host);
  for (const host of ["other.test", "another.test"]) assert.equal(await loggedIn(browser, host), true, host);
});

test("a logout in the laptop's browser logs out all of them", options, async () => {
  await inBrowser(browserOfLaptop(), ...HOSTS.map((host) => site.url(host, "/logout")));
  const sent = (await onLaptop(["source", "--once", "--json"])).json().peers[0];
  assert.deepEqual([sent.error, sent.full, sent.deleted], [undefined, false, HOSTS.length]);
  for (const host of [SHOP, BNB]) assert.equal(await loggedIn(running, host), false, host);
  for (const file of [sidecar(), join(server.home, "surfaces", "cookies.txt"), join(profile(), "Cookies")])
    for (const [host, sid] of site.sessions)
      if (HOSTS.includes(host)) assert.ok(!readFileSync(file).includes(sid), `${host} in ${file}`);
  const { cookies } = await getCookies({
    url: site.url(SHOP),
    browsers: ["chrome"],
    chromeProfile: join(profile(), "Cookies"),
  });
  assert.deepEqual(
    cookies.map(({ name }) => name),
    ["theme"],
  );
  assert.match(readFileSync(inHome("airbnb-pp-cli/config.toml"), "utf8"), /^access_token = 'theme=dark'$/m);
  const session = JSON.parse(readFileSync(inHome("table-reservation-goat-pp-cli/session.json"), "utf8"));
  assert.deepEqual(
    session.opentable_cookies.map(({ name }: { name: string }) => name),
    ["theme"],
  );
  assert.equal(readFileSync(inHome("instacart-pp-cli/session.json"), "utf8"), "theme=dark");

  await using browser = await startChromium({ userData: closed() });
  for (const host of HOSTS) assert.equal(await loggedIn(browser, host), false, host);
  for (const host of ["other.test", "another.test"]) assert.equal(await loggedIn(browser, host), true, host);
});
