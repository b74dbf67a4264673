import assert from "node:assert/strict";
import { test } from "node:test";
import { TestLender, TestProfile } from "../../../test/support/test-lender.ts";
import { sid } from "../../../test/support/test-shop.ts";
import { type Cookie, parseCookie } from "../../cookies/index.ts";
import type { CookieLogin } from "../cookie-login.ts";
import { createLoginStore } from "../login-store.ts";
import { signInWithCookies } from "./with-cookies.ts";

const NOW = Date.now();
const BEFORE = NOW - 60_000;
const chromium = "@chromium/Default";

/** What a login without a check comes to, where the vault holds one and the browser has another. */
async function loggedIn(
  held: Record<string, CookieLogin>,
  inBrowser: Cookie[],
  { names = [], account, window }: { names?: string[]; account?: string; window?: true } = {},
) {
  await using desk = new TestLender(["shop.test"]);
  desk.profiles.push(new TestProfile("chromium/Default", inBrowser));
  for (const [who, login] of Object.entries(held)) desk.store("shop.test", who, "cookies", login);
  const connection = await desk.connection({
    base_url: "http://shop.test",
    auth: { type: "cookies", names },
  });
  const { auth } = connection;
  assert.ok(auth?.type === "cookies");
  const clock = { now: () => NOW };
  const parts = { lender: desk.lender, logins: createLoginStore({ vault: desk.vault, clock }), clock };
  const isOver = window && { isOver: () => true };
  const given = { account, waitMs: 0, onWaiting: () => undefined, ...isOver };
  const done = await signInWithCookies(parts, connection, auth, given);
  const rows = desk.vault.keysOf("shop.test").map(({ identifier }) => {
    const { cookies } = desk.stored("shop.test", identifier, "cookies");
    return `${identifier}: ${cookies.map((one: Cookie) => one.value).join(" ")}`;
  });
  return [done.kept ?? false, ...rows.sort()];
}

const holding = (...cookies: Cookie[]): CookieLogin => ({ cookies, gone: [] });
const other = (at: number) => parseCookie({ ...sid("any", at), name: "visits" });

test("A newer login in the vault stays; an older one and one as old make way", async () => {
  const inBrowser = [sid("browser", BEFORE)];
  const after = (at: number) => loggedIn({ [chromium]: holding(sid("vault", at)) }, inBrowser);
  assert.deepEqual(await after(NOW), [true, `${chromium}: vault`]);
  assert.deepEqual(await after(BEFORE), [false, `${chromium}: browser`]);
  assert.deepEqual(await after(BEFORE - 1), [false, `${chromium}: browser`]);
});

test("Where the login's cookies are named, only they make it newer, and all of them have to be there", async () => {
  const names = ["sid"];
  const visited = holding(sid("vault", BEFORE - 1), other(NOW));
  assert.deepEqual(await loggedIn({ [chromium]: visited }, [sid("browser", BEFORE)], { names }), [
    false,
    `${chromium}: browser`,
  ]);
  const stranger = holding(other(NOW));
  assert.deepEqual(await loggedIn({ [chromium]: stranger }, [sid("browser", BEFORE)], { names }), [
    false,
    `${chromium}: browser`,
  ]);
  const renewed = holding(sid("vault", BEFORE + 1));
  assert.deepEqual(await loggedIn({ [chromium]: renewed }, [sid("browser", BEFORE), other(NOW)], { names }), [
    true,
    `${chromium}: vault`,
  ]);
});

test("A login that has run out, or that the service has ended, makes way however new", async () => {
  const inBrowser = [sid("browser", BEFORE)];
  const expired = holding({ ...sid("vault", NOW - 10), expires: NOW - 5 });
  assert.deepEqual(await loggedIn({ [chromium]: expired }, inBrowser), [false, `${chromium}: browser`]);
  const { name, domain, hostOnly, path, partitionKey } = sid("vault");
  const gone = [{ name, domain, hostOnly, path, partitionKey, at: NOW }];
  const ended = { cookies: [other(BEFORE)], gone };
  assert.deepEqual(await loggedIn({ [chromium]: ended }, inBrowser), [false, `${chromium}: browser`]);
});

test("A name the person gives goes to the newer login too, and another account's is left alone", async () => {
  const inBrowser = [sid("browser", BEFORE)];
  const newer = holding(sid("vault", NOW));
  const account = "joe";
  assert.deepEqual(await loggedIn({ [chromium]: newer }, inBrowser, { account }), [true, "joe: vault"]);
  assert.deepEqual(await loggedIn({ joe: newer }, inBrowser, { account }), [true, "joe: vault"]);
  const older = holding(sid("old", BEFORE - 1));
  const both = { joe: older, [chromium]: newer };
  assert.deepEqual(await loggedIn(both, inBrowser, { account }), [true, "joe: vault"]);
  assert.deepEqual(await loggedIn({ jane: newer }, inBrowser, { account }), [
    false,
    "jane: vault",
    "joe: browser",
  ]);
});

test("What the person did in Deputy's own window counts, whatever the vault was given meanwhile", async () => {
  const held = { [chromium]: holding(sid("vault", NOW)) };
  assert.deepEqual(await loggedIn(held, [sid("browser", BEFORE)], { window: true }), [
    false,
    `${chromium}: browser`,
  ]);
});
