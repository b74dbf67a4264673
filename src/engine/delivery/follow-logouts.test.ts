import assert from "node:assert/strict";
import { test } from "node:test";
import { createCookieOf } from "../../../test/support/sync-cookie.ts";
import { TestVault } from "../../../test/support/test-vault.ts";
import { createLoginStore } from "../../auth/index.ts";
import type { Cookie } from "../../cookies/index.ts";
import { followLogouts } from "./follow-logouts.ts";

const clock = { now: () => Date.now() };
const cookie = (name: string, value: string, fields: Partial<Cookie> = {}) =>
  createCookieOf({ domain: "shop.test", name, value, ...fields });

function open(accounts: Record<string, Cookie[]>) {
  const files = new TestVault();
  const vault = files.open();
  const store = createLoginStore({ vault, clock });
  for (const [identifier, cookies] of Object.entries(accounts))
    store.replace({ domain: "shop.test", identifier }, { cookies, gone: [] }, "test");
  return {
    follow: (cookies: Cookie[]) =>
      followLogouts({
        vault,
        store,
        clock,
        domains: ["shop.test"],
        browsers: [{ provider: "chromium/Default", cookiesAt: () => cookies }],
      }),
    held: (identifier: string) =>
      store.find({ domain: "shop.test", identifier })?.cookies.map(({ name }) => name),
    [Symbol.dispose]: () => files[Symbol.dispose](),
  };
}

test("a browser's logout ends the copy of that login and no other", () => {
  const sid = cookie("sid", "of-joe");
  using vault = open({ joe: [sid, cookie("own", "1")], ann: [cookie("sid", "of-ann")] });
  assert.deepEqual(vault.follow([sid]), ["shop.test"]);
  assert.deepEqual(vault.follow([sid]), [], "nothing changed");
  assert.deepEqual(vault.follow([]), ["shop.test"]);
  assert.deepEqual(vault.held("joe"), ["own"]);
  assert.deepEqual(vault.held("ann"), ["sid"]);
});

test("an account named after the browser follows it even where the service has changed the value since", () => {
  using vault = open({ "@chromium/Default": [cookie("sid", "rotated")], joe: [cookie("sid", "other")] });
  vault.follow([cookie("sid", "first")]);
  vault.follow([]);
  assert.deepEqual(vault.held("@chromium/Default"), []);
  assert.deepEqual(vault.held("joe"), ["sid"]);
});

test("what was never seen in a browser, or ends with its session, is not ended by its absence", () => {
  const brief = cookie("brief", "x", { expires: null });
  using vault = open({ joe: [cookie("sid", "from elsewhere"), brief] });
  assert.deepEqual(vault.follow([]), []);
  vault.follow([brief]);
  vault.follow([]);
  assert.deepEqual(vault.held("joe"), ["sid", "brief"]);
});
