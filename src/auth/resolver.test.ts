import assert from "node:assert/strict";
import { test } from "node:test";
import { TestProfile } from "../../test/support/test-lender.ts";
import { TestVault } from "../../test/support/test-vault.ts";
import { type Cookie, parseCookie } from "../cookies/index.ts";
import { createLoginStore } from "./login-store.ts";
import { createResolver, type Identify, type Wanted } from "./resolver.ts";

const cookie = (name: string, value: string, at: number, more: Partial<Cookie> = {}): Cookie =>
  parseCookie({ name, value, domain: "amazon.com", created: at, updated: at, ...more });

/** A service that knows whose session token is whose. */
function service(accounts: Record<string, string>) {
  const checks: string[] = [];
  const identify: Identify = async (login) => {
    const token = login.cookies.find(({ name }) => name === "session_token")?.value ?? "";
    checks.push(token);
    return token in accounts ? { identifier: accounts[token]!, login } : "dead";
  };
  return { checks, identify };
}

function setUp(...profiles: TestProfile[]) {
  const vault = new TestVault();
  const clock = { time: 1000, now: () => clock.time };
  const store = createLoginStore({ vault: vault.open({ clock }), clock });
  const resolver = createResolver({ store, providers: () => profiles, clock });
  const resolve = async (more: Partial<Wanted> = {}) => resolver.resolve({ domain: "amazon.com", ...more });
  const resolved = async (more: Partial<Wanted> = {}) => {
    const found = await resolve(more);
    assert.equal(found.kind, "resolved", JSON.stringify(found));
    if (found.kind !== "resolved") throw new Error();
    return found;
  };
  const token = async (more: Partial<Wanted> = {}) =>
    (await resolved(more)).login.cookies.find(({ name }) => name === "session_token")?.value;
  return {
    vault,
    store,
    resolver,
    resolve,
    resolved,
    token,
    clock,
    [Symbol.dispose]: () => vault[Symbol.dispose](),
  };
}

test("The worked example: a cold start, a tie, a rotation by the server, a person who browsed", async () => {
  const brave = new TestProfile("brave/Default", [cookie("session_token", "first", 700)]);
  using all = setUp(brave);
  const { checks, identify } = service({ first: "joe", browsed: "joe" });

  const cold = await all.resolved({ identify });
  assert.deepEqual([cold.provider, cold.identity.identifier], ["brave/Default", "joe"]);
  assert.equal(all.store.find(cold.identity)?.cookies[0]?.value, "first", "it is in the vault");

  const tie = await all.resolved({ identify });
  assert.equal(tie.provider, "cache");
  assert.deepEqual([checks.length, brave.reads], [1, 1], "no second check, no second read");

  all.resolver.takeBack(
    cold.identity,
    [{ kind: "set", cookie: cookie("session_token", "rotated", 800) }],
    "service",
  );
  const rotated = await all.resolved({ identify });
  assert.deepEqual([rotated.provider, rotated.login.cookies[0]?.value], ["cache", "rotated"]);
  assert.equal(checks.length, 1);

  brave.jar = [cookie("session_token", "browsed", 900)];
  const browsed = await all.resolved({ identify });
  assert.deepEqual([browsed.provider, browsed.login.cookies[0]?.value], ["brave/Default", "browsed"]);
  assert.deepEqual([checks.length, brave.reads], [2, 2]);
  assert.equal(all.store.find(browsed.identity)?.cookies[0]?.value, "browsed");
  assert.deepEqual(
    browsed.considered.map(({ provider, verdict }) => [provider, verdict]),
    [
      ["brave/Default", "chosen"],
      ["cache", "older"],
      ["vault", "older"],
    ],
  );
});

test("Another account in the same browser is not adopted, and the old login stays", async () => {
  const brave = new TestProfile("brave/Default", [cookie("session_token", "of-joe", 700)]);
  using all = setUp(brave);
  const { identify } = service({ "of-joe": "joe", "of-jane": "jane" });
  await all.resolved({ identify });
  brave.jar = [cookie("session_token", "of-jane", 900)];
  const joe = await all.resolved({ identify, account: "joe" });
  assert.equal(joe.login.cookies[0]?.value, "of-joe");
  assert.ok(
    joe.considered.some(({ verdict, account }) => verdict === "another-account" && account === "jane"),
  );
  const unnamed = await all.resolve({ identify });
  assert.ok(unnamed.kind === "ambiguous");
  assert.deepEqual(unnamed.accounts, ["jane", "joe"]);
  assert.equal(all.store.find({ domain: "amazon.com", identifier: "jane" }), undefined, "nothing was stored");
  assert.equal(await all.token({ identify, account: "jane" }), "of-jane");
});

test("Two accounts in the vault and none named: refused, with the accounts", async () => {
  using all = setUp();
  for (const identifier of ["joe", "jane"]) {
    const identity = { domain: "amazon.com", identifier };
    all.store.replace(identity, { cookies: [cookie("session_token", identifier, 5)], gone: [] }, "cli");
  }
  const found = await all.resolve();
  assert.ok(found.kind === "ambiguous");
  assert.deepEqual(found.accounts, ["jane", "joe"]);
  assert.equal(await all.token({ account: "jane" }), "jane");
});

test("An analytics cookie does not make a logged-out browser win where the login's cookies are named", async () => {
  const brave = new TestProfile("brave/Default", [cookie("session_token", "good", 700)]);
  const firefox = new TestProfile("firefox/default", [cookie("_ga", "newer", 950)]);
  using all = setUp(brave, firefox);
  const { identify } = service({ good: "joe" });
  assert.equal(await all.token({ identify, names: ["session_token"] }), "good");
  firefox.jar = [cookie("_ga", "newest", 990)];
  assert.equal((await all.resolved({ identify, names: ["session_token"] })).provider, "cache");
});

test("Between browsers: every named cookie, then the newest, then the most", async () => {
  const whole = new TestProfile("brave/Default", [cookie("a", "1", 500), cookie("b", "1", 500)]);
  const half = new TestProfile("chrome/Default", [cookie("a", "2", 900)]);
  using named = setUp(half, whole);
  assert.equal((await named.resolved({ names: ["a", "b"] })).provider, "brave/Default");
  using unnamed = setUp(half, whole);
  assert.equal((await unnamed.resolved()).provider, "chrome/Default");
  const more = new TestProfile("firefox/default", [cookie("a", "3", 900), cookie("c", "3", 100)]);
  using most = setUp(half, more);
  assert.equal((await most.resolved()).provider, "firefox/default");
});

test("A browser the service does not take is passed over, and without any there is a login to be done", async () => {
  const dead = new TestProfile("brave/Default", [cookie("session_token", "stale", 900)]);
  const alive = new TestProfile("firefox/default", [cookie("session_token", "good", 700)]);
  using all = setUp(dead, alive);
  const { identify } = service({ good: "joe" });
  assert.equal((await all.resolved({ identify })).provider, "firefox/default");
  using none = setUp(dead);
  const found = await none.resolve({ identify });
  assert.equal(found.kind, "needs-login");
  assert.deepEqual(
    found.considered.map(({ verdict }) => verdict),
    ["failed-check"],
  );
});

test("A provider that failed can be excluded, and the old row stays until there is a newer one", async () => {
  const brave = new TestProfile("brave/Default", [cookie("session_token", "good", 700)]);
  using all = setUp(brave);
  const { identity } = await all.resolved();
  const found = await all.resolve({ exclude: ["cache", "vault", "brave/Default"] });
  assert.equal(found.kind, "needs-login");
  assert.ok(all.store.find(identity));
});

test("A login without a check is named after where it came from", async () => {
  using all = setUp(new TestProfile("chromium/Default", [cookie("session_token", "x", 700)]));
  assert.equal((await all.resolved()).identity.identifier, "@chromium/Default");
});

test("Expired cookies do not count, and a login the owner removed is not in use through the cache", async () => {
  const brave = new TestProfile("brave/Default", [cookie("session_token", "x", 700, { expires: 2000 })]);
  using all = setUp(brave);
  const { identity } = await all.resolved();
  all.clock.time = 3000;
  assert.equal((await all.resolve()).kind, "needs-login");
  all.clock.time = 1000;
  brave.jar = [];
  all.vault.open().removeIdentity(identity.domain, identity.identifier);
  assert.equal((await all.resolve()).kind, "needs-login");
});

test("A live browser is asked only by name, and a named provider is the only one asked", async () => {
  const live = new TestProfile("live/9222", [cookie("session_token", "live", 990)], true);
  const brave = new TestProfile("brave/Default", [cookie("session_token", "brave", 700)]);
  const work = new TestProfile("brave/Work", [cookie("session_token", "work", 800)]);
  using all = setUp(live, brave, work);
  assert.equal(await all.token({ provider: "brave:Default", account: "@brave/Default" }), "brave");
  assert.equal(live.reads, 0);
  using again = setUp(live, brave, work);
  assert.equal(await again.token({ provider: "live" }), "live");
  using newest = setUp(live, brave, work);
  assert.equal(await newest.token({ provider: "brave" }), "work");
});

test("A deletion by the service is taken back too, and an older copy elsewhere does not undo it", async () => {
  const brave = new TestProfile("brave/Default", [
    cookie("session_token", "x", 700),
    cookie("extra", "y", 700),
  ]);
  using all = setUp(brave);
  const { identity } = await all.resolved();
  const { name, domain, hostOnly, path, partitionKey } = cookie("session_token", "", 0);
  const gone = { kind: "delete" as const, name, domain, hostOnly, path, partitionKey, at: 900 };
  all.resolver.takeBack(identity, [gone], "service");
  const after = await all.resolved();
  assert.deepEqual(
    after.login.cookies.map((one) => one.name),
    ["extra"],
  );
  all.resolver.takeBack(identity, [{ kind: "set", cookie: cookie("session_token", "late", 800) }], "service");
  assert.equal((await all.resolved()).login.cookies.length, 1, "an older fact changes nothing");
});
