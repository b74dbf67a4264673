/**
 * What ancestors got wrong about jars and requests, where it counts: in the identity's row, through a whole loan.
 * Each line and where its test is:
 *
 * - a relative URL sends no cookie: send-request.test "a relative URL is joined with base_url before the jar is asked"
 * - `Domain=` of others, public suffixes, prefixes, Secure: send-request.test "cookies for other hosts …", jar.test
 * - a third party's Set-Cookie in the row: here
 * - joined Set-Cookie headers: here, and send-request.test "Set-Cookie headers stay apart, commas and all"
 * - a host-only and a domain cookie of one name: here, and jar.test "Jar keeps a host-only and a domain cookie …"
 * - api mode sends the jar: here, and send-request.test "api mode and jar: none send no cookie and keep none"
 * - deletions in what changed, reading back: here, and send-request.test "a deletion is a change of its own …"
 * - a call that throws loses the session: here; one that is killed: test/e2e/rotation-kill.test.ts
 * - two calls at once: here, rotating-session.test, login-store.test "Two processes …"
 * - a retry after a POST, "401" in a text: refused-login.test "Nothing is done twice …", "Only a typed failure is retried …"
 * - a row deleted before there is another: refused-login.test "A refused login is tried once more …"
 * - an analytics cookie wins: resolver.test "An analytics cookie does not make a logged-out browser win …"
 * - another account wins before the check: resolver.test "Another account in the same browser is not adopted …"
 * - plaintext on disk: test/faults/vault-canaries.test.ts, test/e2e/canary.test.ts, test/e2e/login*.test.ts
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { http1Server } from "../../test/support/http-servers.ts";
import { TestLender } from "../../test/support/test-lender.ts";
import { parseCookie } from "../cookies/index.ts";
import { readText } from "../http/index.ts";
import type { Connection } from "./connection.ts";

/** A service whose answers are Set-Cookie headers, by path, and which says what cookies it was sent. */
async function setUp(answers: Record<string, readonly string[]>, more: object = {}) {
  const sent: { host: string; path: string; cookie: string }[] = [];
  const server = await http1Server((request, response) => {
    const path = request.url ?? "/";
    sent.push({ host: request.headers.host ?? "", path, cookie: request.headers.cookie ?? "" });
    response.setHeader("set-cookie", answers[path] ?? []);
    response.end("ok");
  });
  const all = new TestLender(["www.bank.test", "tracker.test"]);
  const connection = await all.connection({
    base_url: `http://www.bank.test:${server.port}`,
    hosts: [`http://tracker.test:${server.port}`],
    auth: { type: "cookies" },
    ...more,
  });
  all.store("bank.test", "ann", "cookies", { cookies: [cookie("sid", "old"), cookie("theme", "dark")] });
  const row = () => values(all.stored("bank.test", "ann", "cookies").cookies);
  return {
    sent,
    row,
    connection,
    port: server.port,
    lender: all.lender,
    stored: () => all.stored("bank.test", "ann", "cookies"),
    async [Symbol.asyncDispose]() {
      await all[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const cookie = (name: string, value: string) => parseCookie({ name, value, domain: "bank.test" });
const values = (cookies: { name: string; value: string }[]) =>
  Object.fromEntries(cookies.map(({ name, value }) => [name, value]));

async function get(all: { lender: TestLender["lender"]; connection: Connection }, ...urls: string[]) {
  await all.lender.use({ connection: all.connection }, async (loan) => {
    for (const url of urls) await readText(await loan.send({ method: "GET", url, headers: [] }));
  });
}

test("A third party's cookies are not sent, not kept and not in the row", async () => {
  await using all = await setUp({ "/pixel": ["uid=tracked", "sid=stolen; Domain=bank.test"] });
  await get(all, `http://tracker.test:${all.port}/pixel`, "/");
  assert.deepEqual(all.row(), { sid: "old", theme: "dark" });
  assert.deepEqual(
    all.sent.map(({ cookie }) => cookie),
    ["", "sid=old; theme=dark"],
  );
});

test("Every Set-Cookie header of an answer is in the row, commas in dates and values and all", async () => {
  const expires = "Expires=Fri, 31 Dec 2199 23:59:59 GMT";
  await using all = await setUp({ "/": [`a=1, b=2; ${expires}`, `c=3; ${expires}`, "d=4"] });
  await get(all, "/");
  assert.deepEqual(all.row(), { sid: "old", theme: "dark", a: "1, b=2", c: "3", d: "4" });
});

test("A host-only cookie and the domain's of the same name are two in the row, and each is deleted by itself", async () => {
  await using all = await setUp({
    "/both": ["x=host; Path=/", "x=domain; Domain=bank.test; Path=/"],
    "/out": ["x=; Path=/; Max-Age=0"],
  });
  await get(all, "/both", "/");
  assert.match(all.sent.at(-1)?.cookie ?? "", /x=host; x=domain|x=domain; x=host/);
  await get(all, "/out", "/");
  assert.match(all.sent.at(-1)?.cookie ?? "", /x=domain/);
  assert.doesNotMatch(all.sent.at(-1)?.cookie ?? "", /x=host/);
});

test("A logout takes a cookie that a person typed in without its scope, from this call and from the row", async () => {
  await using all = await setUp({ "/logout": ["sid=; Path=/; HttpOnly; Max-Age=0"] });
  await get(all, "/logout", "/");
  assert.equal(all.sent.at(-1)?.cookie, "theme=dark");
  assert.deepEqual(all.row(), { theme: "dark" });
});

test("A deletion is in the row as a fact with its time, and what was set is sent by the next request of the call", async () => {
  await using all = await setUp({
    "/set": ["sid=new; Path=/"],
    "/drop": ["theme=; Domain=bank.test; Path=/; Max-Age=0"],
  });
  await get(all, "/set", "/drop", "/");
  assert.equal(all.sent.at(-1)?.cookie, "sid=new");
  assert.deepEqual(all.row(), { sid: "new" });
  const [gone] = all.stored().gone;
  assert.deepEqual([gone.name, typeof gone.at], ["theme", "number"]);
});

test("A call that throws keeps what the service rotated before", async () => {
  await using all = await setUp({ "/": ["sid=rotated; Path=/"] });
  const work = all.lender.use({ connection: all.connection }, async (loan) => {
    await loan.send({ method: "GET", url: "/", headers: [] });
    throw new Error("the tool failed");
  });
  await assert.rejects(work, /the tool failed/);
  assert.equal(all.row()["sid"], "rotated");
});

test("Calls at once that are given different cookies lose none of them", async () => {
  const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
  await using all = await setUp(Object.fromEntries(names.map((name) => [`/${name}`, [`${name}=1; Path=/`]])));
  await Promise.all(names.map((name) => get(all, `/${name}`)));
  assert.deepEqual(Object.keys(all.row()).sort(), [...names, "sid", "theme"].sort());
});

test("In api mode a cookie login is neither sent nor changed", async () => {
  await using all = await setUp({ "/": ["sid=new; Path=/"] }, { mode: "api" });
  await get(all, "/", "/");
  assert.deepEqual(
    all.sent.map(({ cookie }) => cookie),
    ["", ""],
  );
  assert.deepEqual(all.row(), { sid: "old", theme: "dark" });
});
