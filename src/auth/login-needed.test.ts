import assert from "node:assert/strict";
import { test } from "node:test";
import { TestLender } from "../../test/support/test-lender.ts";
import { loginCommand, loginNeeded, severalAccounts } from "./login-needed.ts";

test("A command in a hint is one a shell takes as it stands, whatever the account is called", async () => {
  await using desk = new TestLender([]);
  const connection = await desk.connection({
    base_url: "https://api.shop.test",
    help_url: "https://shop.test/keys",
    auth: { type: "api_key" },
  });
  const account = "joe'; rm -rf ~ #";
  const quoted = `'joe'\\''; rm -rf ~ #'`;
  assert.equal(loginCommand(connection, account), `deputy login shop --connection api --account ${quoted}`);
  assert.equal(loginCommand(connection, "--json"), "deputy login shop --connection api --account '--json'");
  assert.equal(severalAccounts(connection, [account, "x"]).hint, `Say which: --account ${quoted}`);
  const needed = loginNeeded(
    connection,
    { kind: "needs-login", considered: [] },
    { account: "joe@shop.test" },
  );
  assert.equal(
    needed.hint,
    "Log in: deputy login shop --connection api --account joe@shop.test. You get one at https://shop.test/keys",
  );
  const elsewhere = loginNeeded(connection, { kind: "needs-login", considered: [] }, { provider: "chrome" });
  assert.equal(elsewhere.message, "chrome has no key for shop.test");
});
