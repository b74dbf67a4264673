import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { coded, TestVault } from "../../../test/support/test-vault.ts";
import { Secret } from "../../kernel/index.ts";
import { createClientStore } from "./client-store.ts";
import { readOAuthLogin, writeOAuthLogin } from "./oauth-login.ts";
import { readTokens } from "./token-answer.ts";

const read = (value: unknown, updatedAt = 1_700_000_000_000) =>
  readOAuthLogin(Secret.fromText(JSON.stringify(value)), updatedAt);

test("A login stored by hand is dated by when it was stored, or says when it ends in seconds or milliseconds", () => {
  const at = 1_700_000_000_000;
  assert.equal(read({ access_token: "a", expires_in: 3600 }, at).expiresAt, at + 3_600_000);
  assert.equal(read({ access_token: "a", expires_at: at / 1000 + 60 }).expiresAt, at + 60_000);
  assert.equal(read({ access_token: "a", expires_at: at + 60_000, expires_in: 1 }).expiresAt, at + 60_000);
  assert.equal(read({ access_token: "a" }).expiresAt, null);
});

test("A login keeps what it does not know, and prints none of it", () => {
  const stored = {
    access_token: "canary-a",
    refresh_token: "canary-r",
    token_type: "Bearer",
    expires_at: 1_700_000_000_000,
    scope: "read write",
    token_url: "https://auth.exa.ai/token",
    client_id: "id",
    client_secret: "canary-s",
    instance_url: "https://canary-x.example",
  };
  const login = read(stored);
  assert.deepEqual(login.scopes, ["read", "write"]);
  assert.deepEqual(JSON.parse(writeOAuthLogin(login).reveal()), stored);
  assert.doesNotMatch(inspect(login, { depth: 9 }) + JSON.stringify(login), /canary/);
});

test("A row that is no login is refused without a word of it", () => {
  for (const value of ["canary", ["canary"], { access_token: { canary: 1 } }])
    assert.throws(
      () => read(value),
      (error: Error) => coded("VAULT_DAMAGED")(error) && !inspect(error, { depth: 9 }).includes("canary"),
    );
});

test("Token answers are read as services write them", () => {
  const now = 1000;
  const loose = readTokens(
    { access_token: "a", expires_in: "60", scope: ["x", "y"], refresh_token: null },
    now,
    null,
  )!;
  assert.equal(loose.expiresAt, 61_000);
  assert.deepEqual(loose.scopes, ["x", "y"]);
  assert.equal(loose.refreshToken, null);
  assert.equal(loose.tokenType, "Bearer");
  const slack = {
    ok: true,
    authed_user: { id: "U1", access_token: "user", scope: "a,b" },
    team: { id: "T1" },
  };
  assert.equal(readTokens(slack, now, "authed_user")!.accessToken.reveal(), "user");
  assert.deepEqual(JSON.parse(readTokens(slack, now, "authed_user")!.answer.reveal()), slack);
  for (const none of [undefined, null, {}, { access_token: "" }, { access_token: 7 }, [], "access_token"])
    assert.equal(readTokens(none, now, "authed_user"), undefined);
});

test("The owner's client is a row of its own, and its secret goes with its own id only", () => {
  using vault = new TestVault();
  const opened = vault.open();
  const store = createClientStore({ vault: opened });
  const service = { domain: "google.com" };
  assert.equal(store.find(service), undefined);
  assert.deepEqual(store.find(service, "public"), { clientId: "public", clientSecret: null });
  store.put(service, { clientId: "mine", clientSecret: Secret.fromText("canary-secret") });
  assert.equal(store.find(service)?.clientSecret?.reveal(), "canary-secret");
  assert.equal(store.find(service, "mine")?.clientSecret?.reveal(), "canary-secret");
  assert.equal(store.find(service, "another")?.clientSecret, null);
  assert.equal(store.find({ domain: "evil.example" }), undefined);
  assert.deepEqual(opened.keysOf("google.com"), [
    { domain: "google.com", identifier: "@client", itemType: "oauth_client" },
  ]);
});
