import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { http1Server, type LoopbackServer } from "../../test/support/http-servers.ts";
import { TestLender, TestProfile } from "../../test/support/test-lender.ts";
import { parseCookie } from "../cookies/index.ts";
import { readText } from "../http/index.ts";
import { DeputyError } from "../kernel/index.ts";
import type { Loan } from "./loan.ts";

interface Seen {
  readonly request: IncomingMessage;
  readonly body: string;
}

const KEY = "canary-key-5f2b0c41";

/** A shop that knows keys, and sessions by the cookie `sid`. */
class Shop implements AsyncDisposable {
  readonly seen: Seen[] = [];
  readonly sessions = new Map<string, string>();
  readonly server: LoopbackServer;

  private constructor(server: LoopbackServer) {
    this.server = server;
  }

  static async open(): Promise<Shop> {
    let shop: Shop | undefined;
    const server = await http1Server((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        shop?.seen.push({ request, body: Buffer.concat(chunks).toString() });
        const sid = /(?:^|; )sid=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
        const user = shop?.sessions.get(sid);
        if (request.url === "/me")
          return response.end(JSON.stringify(user === undefined ? {} : { user: { email: user } }));
        if (request.url?.startsWith("/private") && user === undefined) {
          response.statusCode = 401;
          return response.end("who are you");
        }
        return response.end(user ?? "hello");
      });
    });
    shop = new Shop(server);
    return shop;
  }

  get base(): string {
    return `http://shop.test:${this.server.port}`;
  }

  get last(): Seen {
    const last = this.seen.at(-1);
    assert.ok(last);
    return last;
  }

  signIn(user: string, sid: string): string {
    this.sessions.set(sid, user);
    return sid;
  }

  async [Symbol.asyncDispose]() {
    await this.server[Symbol.asyncDispose]();
  }
}

const sid = (value: string, at = Date.now()) =>
  parseCookie({ name: "sid", value, domain: "shop.test", hostOnly: true, created: at, updated: at });

const get = async (loan: Loan, url = "/private") => {
  const response = await loan.send({ method: "GET", url, headers: [] });
  return { status: response.status, text: await readText(response) };
};

/** As an executor does it: a refusal by the service's own host is a failure of the login. */
const mustGet = async (loan: Loan) => {
  const { status, text } = await get(loan);
  if (status !== 200) throw new DeputyError("SKILL_FAILED", `The service answered ${status}`);
  return text;
};

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
