import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoginPlan } from "../../../engine/index.ts";
import type { Ask } from "../tool.ts";
import { loginTool } from "./login.ts";

const plan: LoginPlan = {
  domain: "shop.test",
  skill: "shop",
  connection: "web",
  type: "cookies",
  could_go_to: [],
  label: null,
  help_url: "https://shop.test/help",
  page: "https://shop.test/help",
  fields: [],
  browsers: [],
  telling: true,
  window: false,
  ways: [],
  oauth: null,
};

async function said(input: object, more: Partial<LoginPlan> = {}): Promise<string> {
  const ask = (async () => ({ ...plan, ...more })) as unknown as Ask;
  const outcome = await loginTool.call(input, ask, undefined as never);
  return "text" in outcome ? String(outcome.text) : "";
}

test("A person is sent to a page once, to log in or to get a key", async () => {
  const cookies = await said({ target: "shop" });
  assert.match(cookies, /They log in at https:\/\/shop\.test\/help$/m);
  assert.doesNotMatch(cookies, /key/);
  const key = await said({ target: "shop" }, { type: "api_key" });
  assert.match(key, /They get the key at https:\/\/shop\.test\/help$/m);
  assert.doesNotMatch(key, /log in at/);
  assert.doesNotMatch(await said({ target: "shop" }, { page: null }), /https/);
});

test("What is copied into a shell stays one word of it, and no option", async () => {
  assert.match(await said({ target: "a b'; rm" }), /^ {2}deputy login 'a b'\\''; rm'$/m);
  assert.match(
    await said({ target: "shop", account: "-x", connection: "web" }),
    /--connection web --account '-x'$/m,
  );
});
