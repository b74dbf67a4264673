import assert from "node:assert/strict";
import { test } from "node:test";
import { META, TestVault } from "../../test/support/test-vault.ts";
import { Secret } from "../kernel/index.ts";
import { keepSecret } from "./index.ts";

const KEY = { domain: "shop.test", identifier: "joe", itemType: "api_key" };

test("What a skill obtained never goes over what was written since it began", () => {
  using files = new TestVault();
  const vault = files.open();
  const clock = { now: () => Date.now() };
  const given = { ...KEY, value: { key: "canary-of-the-skill" }, label: null, source: "shop" };
  const stored = () => {
    using value = vault.find(KEY)?.value;
    return value === undefined ? undefined : JSON.parse(value.reveal()).key;
  };
  const began = Date.now() - 60_000;
  keepSecret({ vault, clock }, { ...given, since: Date.now() });
  assert.equal(stored(), "canary-of-the-skill");
  using newer = Secret.fromText(JSON.stringify({ key: "canary-of-the-owner" }));
  vault.put(KEY, newer, META);
  assert.throws(() => keepSecret({ vault, clock }, { ...given, since: began }), { code: "CONFLICT" });
  assert.equal(stored(), "canary-of-the-owner");
});
