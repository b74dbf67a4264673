import assert from "node:assert/strict";
import { test } from "node:test";
import { OAuthServer } from "../../../test/support/oauth-server.ts";
import { testHttp } from "../../../test/support/test-lease.ts";
import { DeputyError, Secret, systemClock } from "../../kernel/index.ts";
import type { OAuthService } from "./service-lookup.ts";
import { createTokenEndpoint } from "./token-endpoint.ts";

const identity = { domain: "127.0.0.1", identifier: "joe" };
const withSecret = { clientId: "id", clientSecret: Secret.fromText("s:ß") };
const without = { clientId: "id", clientSecret: null };

async function setUp() {
  const server = await OAuthServer.start();
  const http = testHttp([]);
  const endpoint = createTokenEndpoint({ http, clock: systemClock });
  return {
    server,
    refresh: (more: Partial<OAuthService> = {}, client: typeof withSecret | typeof without = withSecret) =>
      endpoint.refresh({
        service: server.service(more),
        client,
        refreshToken: Secret.fromText("r"),
        identity,
      }),
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test("A client proves itself as its service wants: in the body, in a header, or by its name alone", async () => {
  await using parts = await setUp();
  const { server } = parts;
  server.interrupt = (_, response) => (response.end('{"access_token":"t"}'), true);
  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  for (const [clientAuth, client, header, inBody] of [
    ["post", withSecret, undefined, ["id", "s:ß"]],
    ["post", without, undefined, ["id", null]],
    ["basic", withSecret, basic("id:s%3A%C3%9F"), [null, null]],
    ["basic", without, undefined, ["id", null]],
    ["basic-always", without, basic("id:"), [null, null]],
  ] as const) {
    await parts.refresh({ clientAuth }, client);
    assert.equal(server.heads.at(-1)!.authorization, header);
    const form = server.forms.at(-1)!;
    assert.deepEqual([form.get("client_id"), form.get("client_secret")], inBody);
    assert.equal(form.get("grant_type"), "refresh_token");
    assert.equal(server.heads.at(-1)!["content-type"], "application/x-www-form-urlencoded");
    assert.equal(server.heads.at(-1)!.accept, "application/json");
  }
  await parts.refresh({ body: "json", refreshUrl: `${server.origin}/refresh` });
  assert.equal(server.heads.at(-1)!["content-type"], "application/json");
  assert.equal(server.forms.at(-1)!.get("refresh_token"), "r");
});

test("Each answer of a token endpoint is one of: tokens, dead, or an error that says whose fault it is", async () => {
  await using parts = await setUp();
  const answers: readonly (readonly [number, string, string])[] = [
    [200, '{"access_token":"t"}', "tokens"],
    [200, "access_token=t&scope=a%2Cb&token_type=bearer", "tokens"],
    [400, '{"error":"invalid_grant"}', "dead invalid_grant"],
    [200, '{"error":"bad_refresh_token"}', "dead bad_refresh_token"],
    [200, "error=bad_refresh_token&error_description=x", "dead bad_refresh_token"],
    [200, '{"ok":false,"error":"invalid_refresh_token"}', "dead invalid_refresh_token"],
    [403, '{"error":"unauthorized_client"}', "dead unauthorized_client"],
    [400, '{"error":true,"status":400,"message":"Invalid"}', "dead status 400"],
    [400, '{"error":400}', "dead status 400"],
    [401, '{"error":"invalid_client"}', "BAD_INPUT"],
    [200, '{"error":"incorrect_client_credentials"}', "BAD_INPUT"],
    [401, "", "BAD_INPUT"],
    [400, '{"error":"invalid_scope"}', "PROTOCOL"],
    [404, "<html>", "PROTOCOL"],
    [200, "<html>", "PROTOCOL"],
    [200, "{", "PROTOCOL"],
    [200, "", "PROTOCOL"],
    [307, "", "PROTOCOL"],
    [400, '{"error":"temporarily_unavailable"}', "NETWORK_FAILED"],
    [429, "", "NETWORK_FAILED"],
    [502, "<html>", "NETWORK_FAILED"],
    [200, `{"access_token":"${"x".repeat(300_000)}"}`, "TOO_LARGE"],
  ];
  for (const [status, body, expected] of answers) {
    parts.server.interrupt = (_, response) => (
      response.writeHead(status, status === 307 ? { Location: "/token" } : {}).end(body), true
    );
    const found = await parts.refresh().then(
      (outcome) => (outcome.kind === "dead" ? `dead ${outcome.reason}` : outcome.kind),
      (error: unknown) => (error instanceof DeputyError ? error.code : error),
    );
    assert.equal(found, expected, `${status} ${body.slice(0, 60)}`);
  }
  assert.equal(parts.server.forms.length, answers.length, "nothing is sent twice");
});
