/** What happens to a call whose login the service refuses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { http1Server } from "../../test/support/http-servers.ts";
import { TestLender, TestProfile } from "../../test/support/test-lender.ts";
import { get, mustGet, Shop, sid } from "../../test/support/test-shop.ts";
import { readText } from "../http/index.ts";
import { DeputyError } from "../kernel/index.ts";
import type { Loan } from "./loan.ts";

test("A refused login is tried once more with another browser's, and the old row stays until then", async () => {
  await using shop = await Shop.open();
  await using desk = new TestLender(["shop.test"]);
  const now = Date.now();
  desk.profiles.push(
    new TestProfile("brave/Default", [sid("stale", now)]),
    new TestProfile("firefox/default", [sid(shop.signIn("joe", "fresh"), now - 5000)]),
  );
  const connection = await desk.connection({
    base_url: shop.base,
    auth: { type: "cookies", names: ["sid"] },
  });
  const used: string[] = [];
  const text = await desk.lender.use({ connection }, async (loan) => {
    used.push(loan.provider);
    assert.equal(desk.stored("shop.test", "@brave/Default", "cookies")?.cookies[0].value, "stale");
    return mustGet(loan);
  });
  assert.equal(text, "joe");
  assert.deepEqual(used, ["brave/Default", "firefox/default"]);
  const next = await desk.lender.lend({ connection });
  assert.equal(next.identity?.identifier, "@firefox/default", "what was refused is not a second account");
});

test("The retry never becomes somebody else, and there is one only", async () => {
  await using shop = await Shop.open();
  await using desk = new TestLender(["shop.test"]);
  const now = Date.now();
  desk.store("shop.test", "joe", "cookies", { cookies: [sid("stale", now)], gone: [] });
  desk.profiles.push(new TestProfile("firefox/default", [sid(shop.signIn("jane", "of-jane"), now - 5000)]));
  const check = { url: "/me", identifier: ".user.email" };
  const connection = await desk.connection({ base_url: shop.base, auth: { type: "cookies", check } });
  let runs = 0;
  const run = async (loan: Loan) => {
    runs += 1;
    return mustGet(loan);
  };
  await assert.rejects(desk.lender.use({ connection }, run), (error: DeputyError) => {
    assert.equal(error.code, "SESSION_EXPIRED");
    assert.match(error.hint ?? "", /deputy login shop/);
    return true;
  });
  assert.equal(runs, 1);
  assert.equal(
    desk.stored("shop.test", "joe", "cookies").cookies[0].value,
    "stale",
    "the old row is still there",
  );
});

test("A login that works takes the place of a newer one that was refused", async () => {
  await using shop = await Shop.open();
  await using desk = new TestLender(["shop.test"]);
  const now = Date.now();
  desk.store("shop.test", "joe", "cookies", { cookies: [sid("stale", now)], gone: [] });
  desk.profiles.push(
    new TestProfile("brave/Default", [sid("dead", now + 1000)]),
    new TestProfile("firefox/default", [sid(shop.signIn("joe", "fresh"), now - 5000)]),
  );
  const check = { url: "/me", identifier: ".user.email" };
  const connection = await desk.connection({ base_url: shop.base, auth: { type: "cookies", check } });
  assert.equal(await desk.lender.use({ connection }, mustGet), "joe");
  assert.equal(desk.stored("shop.test", "joe", "cookies").cookies[0].value, "fresh");
  const asked = shop.seen.length;
  assert.equal(await desk.lender.use({ connection }, mustGet), "joe");
  assert.equal(shop.seen.length, asked + 1, "the dead browser is not asked about again");
});

test("Nothing is done twice: after a write that succeeded there is no retry", async () => {
  await using shop = await Shop.open();
  await using desk = new TestLender(["shop.test"]);
  const now = Date.now();
  desk.profiles.push(
    new TestProfile("brave/Default", [sid("stale", now)]),
    new TestProfile("firefox/default", [sid(shop.signIn("joe", "fresh"), now - 5000)]),
  );
  const connection = await desk.connection({ base_url: shop.base, auth: { type: "cookies" } });
  let runs = 0;
  const work = desk.lender.use({ connection }, async (loan) => {
    runs += 1;
    await readText(await loan.send({ method: "POST", url: "/orders", headers: [] }));
    return mustGet(loan);
  });
  await assert.rejects(work, { code: "SESSION_EXPIRED" });
  assert.equal(runs, 1);
  assert.equal(shop.seen.filter(({ request }) => request.method === "POST").length, 1);
});

test("Only a typed failure is retried: a 401 in a text, or of another kind, is not", async () => {
  await using shop = await Shop.open();
  await using desk = new TestLender(["shop.test"]);
  desk.profiles.push(
    new TestProfile("brave/Default", [sid(shop.signIn("joe", "one"))]),
    new TestProfile("firefox/default", [sid(shop.signIn("joe", "two"), 1)]),
  );
  const connection = await desk.connection({ base_url: shop.base, auth: { type: "cookies" } });
  for (const [error, expected] of [
    [new DeputyError("SKILL_FAILED", "Order 401 not found"), 1],
    [new DeputyError("NETWORK_FAILED", "unauthorized"), 1],
    [new DeputyError("SESSION_EXPIRED", "sent to the login page"), 2],
  ] as const) {
    let runs = 0;
    const work = desk.lender.use({ connection }, async (loan) => {
      runs += 1;
      await get(loan);
      throw error;
    });
    await assert.rejects(work);
    assert.equal(runs, expected, error.message);
  }
});

test("A refused request is sent again where another process was given a newer session, at any path", async () => {
  await using site = await http1Server((request, response) => {
    response.statusCode = request.headers.cookie === "sid=newer" ? 200 : 401;
    response.end();
  });
  await using desk = new TestLender(["shop.test"]);
  const session = (value: string, at: number) => ({ ...sid(value, at), path: "/v1" });
  const hold = (value: string, at: number) =>
    desk.store("shop.test", "joe", "cookies", { cookies: [session(value, at)], gone: [] });
  hold("older", Date.now() - 5000);
  const base_url = `http://shop.test:${site.port}/v1`;
  const loan = await desk.lender.lend({
    connection: await desk.connection({ base_url, auth: { type: "cookies" } }),
  });
  hold("newer", Date.now());
  assert.equal((await get(loan, "/private")).status, 200);
  await assert.rejects(get(loan, "http://[broken"), { code: "BAD_INPUT" });
});
