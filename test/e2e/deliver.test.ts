import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readSidecar } from "../../src/surfaces/sidecar-reader.ts";
import { wanted } from "../contracts/surface.ts";
import { writeChromiumProfile } from "../support/chromium-profile.ts";
import { startCookieSite } from "../support/cookie-site.ts";
import { launcher, TestHome } from "../support/deputy.ts";
import { noChromium, startChromium } from "../support/real-chromium.ts";

const CANARY = "canary-of-a-delivered-login";
const END = Date.now() + 30 * 86_400_000;
const cookie = (fields: object) => ({
  name: "sid",
  value: CANARY,
  domain: "shop.test",
  secure: true,
  expires: END,
  ...fields,
});

async function withLogin(): Promise<TestHome> {
  const home = new TestHome();
  await home.ok(["setup", "--key", "file", "--yes"]);
  await home.set("shop.test", "joe", "cookies", {
    cookies: [cookie({}), cookie({ name: "b", httpOnly: true })],
  });
  return home;
}

const config = (home: TestHome, text: string) => writeFileSync(join(home.home, "config.yaml"), text);
const sidecar = (home: TestHome) => join(home.home, "surfaces", "cookies-plain.db");

/** A watched delivery to the sidecar, round by round. */
function startWatch(home: TestHome) {
  const child = spawn(process.execPath, [launcher, "deliver", "--surface", "sidecar", "--watch", "--json"], {
    env: home.environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((done) => child.on("close", done));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    next: async () => JSON.parse(String((await lines.next()).value)).surfaces[0],
    async [Symbol.asyncDispose]() {
      child.kill("SIGINT");
      await ended;
    },
  };
}

test("nothing is delivered until a surface is named or enabled; then the counts say what happened", async () => {
  await using home = await withLogin();
  const off = await home.run(["deliver", "--json"]);
  assert.deepEqual([off.status, off.json().error.code], [1, "BAD_CONFIG"]);
  assert.ok(!existsSync(join(home.home, "surfaces")));

  const first = await home.ok(["deliver", "--surface", "sidecar", "--json"]);
  assert.deepEqual(first.json(), {
    surfaces: [
      { surface: "sidecar", target: sidecar(home), delivered: 2, unchanged: 0, deleted: 0, refused: [] },
    ],
  });
  assert.equal(statSync(sidecar(home)).mode & 0o777, 0o600);
  const found = await readSidecar({ path: sidecar(home) });
  assert.deepEqual(Object.fromEntries(found.map(({ name, value }) => [name, value])), {
    b: CANARY,
    sid: CANARY,
  });

  config(home, "surfaces: {sidecar: {enabled: true}, files: {adapters: [cookies-txt]}}");
  const both = (await home.ok(["deliver", "--json"])).json().surfaces;
  assert.deepEqual(
    both.map(({ surface, delivered, unchanged }: Record<string, unknown>) => [surface, delivered, unchanged]),
    [
      ["sidecar", 0, 2],
      ["files", 2, 0],
    ],
  );
  const doctor = (await home.run(["doctor", "--json"])).json().checks;
  const told = (wanted: string) => doctor.find(({ id }: { id: string }) => id === wanted)?.message;
  assert.match(told("surfaces"), /sidecar, files/);
  assert.match(told("surface-sidecar"), /private to you, its values in clear/);
  assert.match(told("adapter-cookies-txt"), /gets its session files/);
  assert.match(told("last-sidecar"), /: 0 delivered, 2 unchanged/);
  const { deliveries } = (await home.ok(["status", "--json"])).json();
  assert.deepEqual(
    deliveries.map(({ surface, delivered, error }: Record<string, unknown>) => [surface, delivered, error]),
    [
      ["sidecar", 0, null],
      ["files", 2, null],
    ],
  );
  const words = await home.ok(["deliver"]);
  assert.match(words.stdout, /sidecar .*: 0 delivered, 2 unchanged/);
  assert.ok(!(words.stdout + words.stderr).includes(CANARY));
});

test("a login removed from the vault is taken away where it was put", async () => {
  await using home = await withLogin();
  await home.set("other.test", "ann", "cookies", { cookies: [cookie({ domain: "other.test" })] });
  await home.ok(["deliver", "--surface", "sidecar"]);
  await home.ok(["vault", "remove", "shop.test", "joe"]);
  const done = (await home.ok(["deliver", "--surface", "sidecar", "--json"])).json().surfaces[0];
  assert.deepEqual([done.deleted, done.unchanged], [2, 1]);
  assert.deepEqual(
    (await readSidecar({ path: sidecar(home) })).map(({ domain }) => domain),
    ["other.test"],
  );
});

test("two accounts of one domain are never mixed: one must be named", async () => {
  await using home = await withLogin();
  await home.set("shop.test", "ann", "cookies", { cookies: [cookie({ value: "ann's" })] });
  await home.set("other.test", "ann", "cookies", { cookies: [cookie({ domain: "other.test" })] });
  const asked = await home.run(["deliver", "--surface", "sidecar", "--domain", "shop.test", "--json"]);
  assert.equal(asked.status, 2);
  assert.match(asked.json().error.message, /ann, joe|joe, ann/);
  const all = (await home.ok(["deliver", "--surface", "sidecar", "--json"])).json().surfaces[0];
  assert.equal(all.delivered, 1);
  assert.match(all.refused[0].reason, /several accounts/);
  await home.ok(["deliver", "--surface", "sidecar", "--domain", "www.shop.test", "--account", "ann"]);
  const found = await readSidecar({ path: sidecar(home) });
  assert.deepEqual(
    found.filter(({ domain }) => domain === "shop.test").map(({ value }) => value),
    ["ann's"],
  );
  config(home, "surfaces: {accounts: {shop.test: joe}}");
  const chosen = (await home.ok(["deliver", "--surface", "sidecar", "--json"])).json().surfaces[0];
  assert.deepEqual([chosen.delivered, chosen.refused], [2, []], "the owner said whose for good");
  config(home, "");
  await home.set("shop.test", "joe", "cookies", { cookies: [cookie({ expires: Date.now() + 50 })] });
  await sleep(100);
  const left = (await home.ok(["deliver", "--surface", "sidecar", "--json"])).json().surfaces[0];
  assert.deepEqual([left.delivered, left.refused], [1, []], "a login that ended is nobody's to choose");
});

test("the policy holds for surfaces and for deputy cookies; a broken one lets nothing move", async () => {
  await using home = await withLogin();
  await home.ok(["policy", "block", "shop.test"]);
  const blocked = (await home.ok(["deliver", "--surface", "sidecar", "--json"])).json().surfaces[0];
  assert.deepEqual([blocked.delivered, blocked.refused.length], [0, 2]);
  assert.match(blocked.refused[0].reason, /the policy blocks shop\.test/);
  const printed = await home.ok(["cookies", "--domain", "shop.test", "--account", "joe"]);
  assert.equal(printed.stdout, "");
  assert.match(printed.stderr, /policy/);
  assert.deepEqual((await home.ok(["policy", "show", "--json"])).json().block, ["shop.test"]);
  await home.ok(["policy", "allow", "shop.test"]);
  assert.equal(
    (await home.ok(["deliver", "--surface", "sidecar", "--json"])).json().surfaces[0].delivered,
    2,
  );
  writeFileSync(join(home.home, "policy.yaml"), "mode: [");
  const broken = (await home.ok(["deliver", "--surface", "sidecar", "--json"])).json().surfaces[0];
  assert.match(broken.refused[0].reason, /nothing moves/);
  assert.equal((await home.run(["doctor"])).status, 1);
});

test("an agent delivers nothing and changes no policy", async () => {
  await using home = await withLogin();
  const env = { DEPUTY_AGENT: "cursor" };
  for (const command of [
    ["deliver", "--surface", "sidecar"],
    ["policy", "allow", "shop.test"],
  ])
    assert.equal((await home.run(command, { env })).status, 4, command.join(" "));
  assert.ok(!existsSync(join(home.home, "surfaces")));
});

test("device-bound suspects stay here unless they are asked for", async () => {
  await using home = await withLogin();
  await home.set("google.com", "joe", "cookies", {
    cookies: [
      cookie({ name: "__Secure-1PSIDTS", domain: "google.com" }),
      cookie({ name: "SID", domain: "google.com" }),
    ],
  });
  const deliver = (...more: string[]) =>
    home.ok(["deliver", "--surface", "sidecar", "--domain", "google.com", "--json", ...more]);
  const { delivered, refused } = (await deliver()).json().surfaces[0];
  assert.deepEqual([delivered, refused.map(({ name }: { name: string }) => name)], [1, ["__Secure-1PSIDTS"]]);
  assert.match(refused[0].reason, /key held by the device/);
  assert.equal((await deliver("--device-bound")).json().surfaces[0].delivered, 1);
});

test("--watch delivers a changed login within a second or so", async () => {
  await using home = await withLogin();
  await using watching = startWatch(home);
  assert.equal((await watching.next()).delivered, 2);
  await home.set("shop.test", "joe", "cookies", { cookies: [cookie({ value: "changed" })] });
  const { delivered, deleted } = await watching.next();
  assert.deepEqual([delivered, deleted], [1, 1]);
  assert.deepEqual(
    (await readSidecar({ path: sidecar(home) })).map(({ value }) => value),
    ["changed"],
  );
});

test("--watch delivers what a browser logged in to since, once the vault has adopted that login, and its logout", async () => {
  await using home = new TestHome();
  await home.ok(["setup", "--key", "file", "--yes"]);
  const profile = join(home.root, ".config", "chromium", "Default");
  const inBrowser = (value: string, at: number) => {
    rmSync(join(profile, "Cookies"), { force: true });
    writeChromiumProfile(profile, [
      wanted({ domain: "shop.test", value, expires: END, created: at, updated: at }),
    ]);
  };
  inBrowser("first", Date.now() - 60_000);
  assert.equal((await home.ok(["cookies", "--domain", "shop.test"])).stdout, "sid=first\n");
  await using watching = startWatch(home);
  assert.equal((await watching.next()).delivered, 1);
  inBrowser("second", Date.now());
  assert.equal((await watching.next()).delivered, 1);
  assert.deepEqual(
    (await readSidecar({ path: sidecar(home) })).map(({ value }) => value),
    ["second"],
  );
  rmSync(join(profile, "Cookies"));
  writeChromiumProfile(profile, []);
  assert.equal((await watching.next()).deleted, 1);
  assert.deepEqual(await readSidecar({ path: sidecar(home) }), []);
});

test("a closed profile by its folder, and one whose browser runs: delivered when it exits, by whatever engine runs then", {
  skip: noChromium,
  timeout: 120_000,
}, async () => {
  await using home = await withLogin();
  const userData = join(home.root, "data");
  const deliver = (...more: string[]) => home.ok(["deliver", "--profile", userData, "--json", ...more]);
  writeChromiumProfile(join(userData, "Default"), []);
  const first = (await deliver()).json().surfaces[0];
  assert.deepEqual([first.surface, first.delivered, first.refused], ["chromium", 2, []]);
  assert.equal(readdirSync(join(home.home, "surfaces", "backups")).length, 1);

  await using site = await startCookieSite();
  {
    await using browser = await startChromium({ userData });
    await browser.visit(`${site.https("shop.test")}/echo`);
    assert.match(site.sent.get("shop.test") ?? "", new RegExp(CANARY));
    await home.set("shop.test", "joe", "cookies", { cookies: [cookie({ value: "second" })] });
    const waits = (await deliver()).json().surfaces[0];
    assert.deepEqual([waits.delivered, waits.queued], [0, 1]);
    process.kill((await home.enginePid()) ?? 0, "SIGKILL");
    await home.ok(["status"]);
  }
  for (let i = 0; i < 200 && existsSync(join(home.home, "surfaces", "waiting")); i++) await sleep(50);
  await using browser = await startChromium({ userData });
  await browser.visit(`${site.https("shop.test")}/echo`);
  assert.equal(site.sent.get("shop.test"), "sid=second");
});

test("--restart-browser has the browser quit, delivers and starts it again", {
  skip: noChromium,
  timeout: 120_000,
}, async (t) => {
  await using home = await withLogin();
  const userData = join(home.root, "data");
  mkdirSync(userData);
  const browser = spawn(
    "chromium",
    [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--password-store=basic",
      `--user-data-dir=${userData}`,
      "about:blank",
    ],
    {
      env: { ...process.env, HOME: userData, DBUS_SESSION_BUS_ADDRESS: "disabled:" },
      stdio: "ignore",
    },
  );
  const pidOf = () => {
    try {
      return Number(readlinkSync(join(userData, "SingletonLock")).split("-").at(-1));
    } catch {
      return 0;
    }
  };
  t.after(() => {
    const pid = pidOf();
    if (pid > 0) process.kill(pid, "SIGKILL");
  });
  const exited = new Promise((done) => browser.on("exit", done));
  for (let i = 0; i < 200 && !existsSync(join(userData, "Default", "Cookies")); i++) await sleep(50);
  const before = pidOf();
  const done = (await home.ok(["deliver", "--profile", userData, "--restart-browser", "--json"])).json()
    .surfaces[0];
  assert.deepEqual([done.delivered, done.refused], [2, []]);
  await exited;
  for (let i = 0; i < 200 && (pidOf() === 0 || pidOf() === before); i++) await sleep(50);
  const pid = pidOf();
  assert.ok(pid > 0 && pid !== before, "another browser runs");
  assert.ok(readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(userData));
  process.kill(pid, "SIGTERM");
  for (let i = 0; i < 200 && pidOf() !== 0; i++) await sleep(50);
  const kept = (await home.ok(["deliver", "--profile", userData, "--json"])).json().surfaces[0];
  assert.equal(kept.unchanged, 2);
});
