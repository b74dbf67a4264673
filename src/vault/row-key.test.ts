import assert from "node:assert/strict";
import { test } from "node:test";
import { coded } from "../../test/support/test-vault.ts";
import { rowKey } from "./row-key.ts";

test("rowKey folds the domain and tidies the account", () => {
  assert.deepEqual(rowKey("https://API.exa.ai/x", "  me@example.org ", "api_key"), {
    domain: "exa.ai",
    identifier: "me@example.org",
    itemType: "api_key",
  });
});

test("rowKey gives one account for the two ways Unicode spells it", () => {
  assert.deepEqual(rowKey("exa.ai", "Zoe\u0308", "password"), rowKey("exa.ai", "Zo\u00eb", "password"));
});

test("rowKey refuses accounts no service has", () => {
  const unseen = [
    "\u202emoc.liam@nna",
    "ann\u200b@mail.com",
    "ann\u2066x",
    "an\ufeffn",
    "a\u00adb",
    "\u{e0041}a",
  ];
  for (const account of ["", "   ", "a\nb", "a\0b", "a\u009fb", "x".repeat(513), "half \ud83d", ...unseen]) {
    assert.throws(() => rowKey("exa.ai", account, "password"), coded("BAD_INPUT"), JSON.stringify(account));
  }
  assert.equal(rowKey("exa.ai", "x".repeat(512), "password").identifier.length, 512);
  assert.equal(rowKey("exa.ai", "Grüße 🔑", "password").identifier, "Grüße 🔑");
});

test("rowKey refuses item types that are not plain words", () => {
  for (const type of ["", "API_KEY", "1key", "a b", "a/b", "_x", "x".repeat(65), "schlüssel"]) {
    assert.throws(() => rowKey("exa.ai", "me", type), coded("BAD_INPUT"), type);
  }
  for (const type of ["cookies", "api_key", "oauth", "password", "signing-key", "x"]) {
    assert.equal(rowKey("exa.ai", "me", type).itemType, type);
  }
});
