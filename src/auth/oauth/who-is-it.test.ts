import assert from "node:assert/strict";
import { test } from "node:test";
import { CLIENT, OAuthServer } from "../../../test/support/oauth-server.ts";
import { testHttp } from "../../../test/support/test-lease.ts";
import { coded } from "../../../test/support/test-vault.ts";
import { findService, type OAuthService } from "./service-lookup.ts";
import { readTokens } from "./token-answer.ts";
import { whoIsIt } from "./who-is-it.ts";

const client = { clientId: CLIENT.id };
const idToken = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
const tokensOf = (answer: object) => readTokens({ access_token: "canary", ...answer }, 0, null)!;

async function setUp() {
  const server = await OAuthServer.start();
  const http = testHttp([]);
  return {
    server,
    ask: (tokens: ReturnType<typeof tokensOf>, more: Partial<OAuthService> = {}, signal?: AbortSignal) =>
      whoIsIt({ http, service: server.service(more), client, tokens, signal }),
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test("The id_token names the account, if it is meant for this client", async () => {
  await using parts = await setUp();
  const claims = { sub: "117", email: "joe@example.org" };
  for (const aud of [CLIENT.id, ["other", CLIENT.id]])
    assert.equal(await parts.ask(tokensOf({ id_token: idToken({ ...claims, aud }) })), "joe@example.org");
  assert.equal(await parts.ask(tokensOf({ id_token: idToken({ sub: "117", aud: CLIENT.id }) })), "117");
  for (const id_token of [
    idToken({ ...claims, aud: "other" }),
    idToken(claims),
    "x",
    "x.%.x",
    "..",
    "x.e30.x",
  ])
    assert.equal(await parts.ask(tokensOf({ id_token })), undefined, id_token);
});

test("The token answer names the account where the service has it there", async () => {
  await using parts = await setUp();
  const { identifier } = findService("notion")!;
  const owner = { user: { person: { email: "joe@example.org" } } };
  assert.equal(
    await parts.ask(tokensOf({ workspace_id: "w1", bot_id: "b1", owner }), { identifier }),
    "joe@example.org@w1",
  );
  assert.equal(await parts.ask(tokensOf({ workspace_id: "w1", bot_id: "b1" }), { identifier }), "b1");
});

test("Else the service is asked, and one that does not answer leaves the account without a name", async () => {
  await using parts = await setUp();
  const tokens = tokensOf(parts.server.grant());
  assert.equal(await parts.ask(tokens), "ann@example.org");
  assert.equal(
    await parts.ask(tokens, { identifier: [["echo"]] }),
    "[redacted]",
    "an echo of the token is masked",
  );
  for (const url of [`${parts.server.origin}/authorize`, "http://127.0.0.1:1/"])
    assert.equal(await parts.ask(tokens, { whoIs: { url } }), undefined);
  assert.equal(await parts.ask(tokens, { whoIs: null }), undefined);
  assert.equal(
    await parts.ask(tokens, { identifier: [["toString"], ["email.length"], ["constructor"]] }),
    undefined,
  );
  await assert.rejects(parts.ask(tokens, {}, AbortSignal.abort()), coded("CANCELLED"));
});
