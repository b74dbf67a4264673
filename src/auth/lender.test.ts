import assert from "node:assert/strict";
import { test } from "node:test";
import { http1Server } from "../../test/support/http-servers.ts";
import { TestLender, TestProfile } from "../../test/support/test-lender.ts";
import { get, Shop, sid } from "../../test/support/test-shop.ts";
import { parseCookie } from "../cookies/index.ts";
import { readText } from "../http/index.ts";
import type { DeputyError } from "../kernel/index.ts";

const KEY = "canary-key-5f2b0c41";

test("A key goes where its connection's templates say: header, query and body", async () => {
  await using shop = await Shop.open();
  await using desk = new TestLender(["shop.test"]);
  desk.store("shop.test", "joe", "api_key", { key: KEY, org: "acme" });
  const connection = await desk.connection({
    base_url: shop.base,
    auth: {
      type: "api_key",
      header: { authorization: '"Bearer " + .auth.key', "x-org": ".auth.org", "x-nothing": ".auth.missing" },
      query: { api_key: ".auth.key" },
      body: { token: ".auth.key" },
    },
  });
  const loan = await desk.lender.lend({ connection });
  assert.deepEqual(loan.identity, { domain: "shop.test", identifier: "joe" });
  const headers = [["Content-Type", "application/json"]] as const;
  const body = Buffer.from('{"a":1}');
  await readText(await loan.send({ method: "POST", url: "/x", headers, body }));
  assert.equal(shop.last.request.headers.authorization, `Bearer ${KEY}`);
  assert.equal(shop.last.request.headers["x-org"], "acme");
  assert.equal(shop.last.request.headers["x-nothing"], undefined);
  assert.equal(shop.last.request.url, `/x?api_key=${KEY}`);
  assert.deepEqual(JSON.parse(shop.last.body), { token: KEY, a: 1 });

  const form = [["Content-Type", "application/x-www-form-urlencoded"]] as const;
  await readText(await loan.send({ method: "POST", url: "/x", headers: form, body: Buffer.from("a=1") }));
  assert.equal(shop.last.body, `a=1&token=${KEY}`);
});

test("A stored key with a line break is refused, not sent as a header of its own", async () => {
  await using shop = await Shop.open();
  await using desk = new TestLender(["shop.test"]);
  desk.store("shop.test", "joe", "api_key", { key: `${KEY}\r\nX-Evil: 1` });
  const auth = { type: "api_key", header: { "x-key": ".auth.key" } };
  const connection = await desk.connection({ base_url: shop.base, auth });
  await assert.rejects(desk.lender.lend({ connection }), (error: DeputyError) => {
    assert.equal(error.code, "BAD_INPUT");
    return !JSON.stringify(error).includes(KEY);
  });
});

test("Two skills at one domain share one login; a renamed connection keeps it; two accounts never mix", async () => {
  await using shop = await Shop.open();
  await using desk = new TestLender(["shop.test", "api.shop.test"]);
  desk.store("shop.test", "joe", "api_key", { key: KEY });
  const auth = { type: "api_key", header: { "x-key": ".auth.key" } };
  const bare = await desk.connection({ base_url: shop.base, auth }, "one", "portal");
  const renamed = await desk.connection(
    { base_url: shop.base.replace("shop", "api.shop"), auth },
    "two",
    "account",
  );
  for (const connection of [bare, renamed]) {
    await get(await desk.lender.lend({ connection }), "/x");
    assert.equal(shop.last.request.headers["x-key"], KEY);
  }
  desk.store("shop.test", "jane", "api_key", { key: "canary-of-jane" });
  await assert.rejects(desk.lender.lend({ connection: bare }), {
    code: "BAD_USAGE",
    message: "There are several accounts at shop.test: jane, joe",
  });
  await get(await desk.lender.lend({ connection: bare, account: "jane" }), "/x");
  assert.equal(shop.last.request.headers["x-key"], "canary-of-jane");
  await assert.rejects(desk.lender.lend({ connection: bare, account: "jim" }), { code: "LOGIN_NEEDED" });
});

test("Without a login an optional connection runs as nobody, others name the command", async () => {
  await using shop = await Shop.open();
  await using desk = new TestLender(["shop.test"]);
  const form = {
    base_url: shop.base,
    help_url: "https://shop.test/keys",
    auth: { type: "api_key", header: { "x-key": ".auth.key" } },
  };
  const optional = await desk.connection({ ...form, optional: true });
  const loan = await desk.lender.lend({ connection: optional });
  assert.equal(loan.identity, null);
  await get(loan, "/x");
  assert.equal(shop.last.request.headers["x-key"], undefined);
  await assert.rejects(
    desk.lender.lend({ connection: await desk.connection(form) }),
    (error: DeputyError) => {
      assert.equal(error.code, "LOGIN_NEEDED");
      assert.match(error.hint ?? "", /deputy login shop/);
      assert.match(error.hint ?? "", /https:\/\/shop\.test\/keys/);
      return true;
    },
  );
  const none = await desk.lender.lend({
    connection: await desk.connection({ base_url: shop.base, auth: "none" }),
  });
  assert.equal(none.identity, null);
});

test("A cookie connection is asked whose it is, and an account named after its browser gets its name", async () => {
  await using shop = await Shop.open();
  await using desk = new TestLender(["shop.test"]);
  desk.profiles.push(new TestProfile("chromium/Default", [sid(shop.signIn("joe@shop.test", "a-session"))]));
  const auth = { type: "cookies", names: ["sid"] };
  const unchecked = await desk.connection({ base_url: shop.base, auth });
  const first = await desk.lender.lend({ connection: unchecked });
  assert.equal(first.identity?.identifier, "@chromium/Default");

  const check = { url: "/me", identifier: ".user.email" };
  const checked = await desk.connection({ base_url: shop.base, auth: { ...auth, check } });
  const second = await desk.lender.lend({ connection: checked });
  assert.equal(second.identity?.identifier, "joe@shop.test");
  const accounts = desk.vault.keysOf("shop.test").map(({ identifier }) => identifier);
  assert.deepEqual(accounts, ["joe@shop.test"], "renamed, not doubled");
  const third = await desk.lender.lend({ connection: unchecked });
  assert.equal(third.identity?.identifier, "joe@shop.test");
  assert.equal(shop.seen.length, 1, "one check, no more");
});

test("A service that answers 200 to a stranger does not make a dead session a login", async () => {
  await using shop = await Shop.open();
  await using desk = new TestLender(["shop.test"]);
  desk.profiles.push(new TestProfile("chromium/Default", [sid("long-gone")]));
  const check = { url: "/me", identifier: ".user.email" };
  const connection = await desk.connection({ base_url: shop.base, auth: { type: "cookies", check } });
  await assert.rejects(desk.lender.lend({ connection }), (error: DeputyError) => {
    assert.equal(error.code, "LOGIN_NEEDED");
    assert.match(error.hint ?? "", /chromium\/Default \(logged out there\)/);
    return true;
  });
  assert.deepEqual(desk.vault.keysOf("shop.test"), [], "nothing was adopted");
});

test("A key is not put into a body that is no JSON object, and no word of the body is told", async () => {
  await using shop = await Shop.open();
  await using desk = new TestLender(["shop.test"]);
  desk.store("shop.test", "joe", "api_key", { key: KEY });
  const auth = { type: "api_key", body: { token: ".auth.key" } };
  const loan = await desk.lender.lend({ connection: await desk.connection({ base_url: shop.base, auth }) });
  const headers = [["Content-Type", "application/json"]] as const;
  for (const text of ["canary, no JSON", "[1]", "null"]) {
    const sent = loan.send({ method: "POST", url: "/x", headers, body: Buffer.from(text) });
    await assert.rejects(sent, (error: DeputyError) => {
      assert.doesNotMatch(String(error.stack), /canary/);
      return error.code === "BAD_INPUT";
    });
  }
  assert.equal(shop.seen.length, 0);
});

test("A typed-in cookie is not sent beside the one the service set in its place, not even at the next hop", async () => {
  const sent: (string | undefined)[] = [];
  await using site = await http1Server((request, response) => {
    sent.push(request.headers.cookie);
    if (request.url !== "/private") return response.end("there");
    response.setHeader("set-cookie", "sid=real; Path=/; HttpOnly");
    response.setHeader("location", "/there");
    response.statusCode = 302;
    return response.end();
  });
  await using desk = new TestLender(["shop.test"]);
  const typed = parseCookie({ name: "sid", value: "typed-in", domain: "shop.test" });
  desk.store("shop.test", "joe", "cookies", { cookies: [typed], gone: [] });
  const base_url = `http://shop.test:${site.port}`;
  const loan = await desk.lender.lend({
    connection: await desk.connection({ base_url, auth: { type: "cookies" } }),
  });
  await get(loan);
  assert.deepEqual(sent, ["sid=typed-in", "sid=real"]);
});
