import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { CLIENT, OAuthServer } from "../../../test/support/oauth-server.ts";
import { testHttp } from "../../../test/support/test-lease.ts";
import { coded } from "../../../test/support/test-vault.ts";
import { Secret, systemClock } from "../../kernel/index.ts";
import { startDeviceFlow } from "./device-flow.ts";
import { createTokenEndpoint } from "./token-endpoint.ts";

const client = { clientId: CLIENT.id, clientSecret: Secret.fromText(CLIENT.secret) };

async function setUp() {
  const server = await OAuthServer.start();
  const http = testHttp([]);
  const time = { now: 1_000_000 };
  const slept: number[] = [];
  const endpoint = createTokenEndpoint({ http, clock: { now: () => time.now } });
  return {
    server,
    endpoint,
    time,
    slept,
    start: () =>
      startDeviceFlow({
        endpoint,
        clock: { now: () => time.now },
        service: server.service(),
        client,
        scopes: ["read", "write"],
        sleep: async (ms) => {
          slept.push(ms);
          time.now += ms;
        },
      }),
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test("A device flow shows a code and asks at the pace the service wants until the person has decided", async () => {
  await using parts = await setUp();
  parts.server.deviceAnswers = ["authorization_pending", "slow_down", "authorization_pending"];
  const flow = await parts.start();
  assert.equal(flow.userCode, "WDJB-MJHT");
  assert.equal(flow.verificationUrl, `${parts.server.origin}/enter`);
  assert.equal(flow.expiresAt, 1_600_000);
  const outcome = await flow.wait();
  assert.ok(outcome.kind === "tokens");
  assert.deepEqual(parts.slept, [2000, 2000, 7000, 7000]);
  assert.equal(parts.server.forms[0]!.get("scope"), "read write");
  assert.ok(!parts.server.forms[0]!.has("client_secret"));
  assert.doesNotMatch(inspect([flow, outcome], { depth: 9 }), /canary/);
});

test("A device flow ends when the person denies it or the code ends", async () => {
  for (const [answer, kind] of [
    ["access_denied", "denied"],
    ["authorization_declined", "denied"],
    ["expired_token", "expired"],
  ] as const) {
    await using parts = await setUp();
    parts.server.deviceAnswers = [answer];
    assert.deepEqual(await (await parts.start()).wait(), { kind, reason: answer });
  }
  await using parts = await setUp();
  parts.server.deviceAnswers = Array<string>(1000).fill("authorization_pending");
  const flow = await parts.start();
  assert.equal((await flow.wait()).kind, "expired");
  assert.equal(parts.slept.length, 300);
});

test("A device flow survives a network that is away for a moment, and can be given up", async () => {
  await using parts = await setUp();
  let failures = 2;
  parts.server.interrupt = (form, response) => {
    if (!form.has("device_code") || failures-- <= 0) return false;
    if (failures === 1) response.destroy();
    else response.writeHead(503).end("<html>");
    return true;
  };
  assert.equal((await (await parts.start()).wait()).kind, "tokens");

  const { endpoint, server } = parts;
  server.deviceAnswers = Array<string>(1000).fill("authorization_pending");
  const flow = await startDeviceFlow({
    endpoint,
    clock: systemClock,
    service: server.service(),
    client,
    scopes: [],
  });
  await assert.rejects(flow.wait(AbortSignal.timeout(10)), coded("CANCELLED"));
});

test("A service without device codes, and one that gives none, are said to be", async () => {
  await using parts = await setUp();
  const { endpoint, server } = parts;
  const ask = { endpoint, clock: systemClock, client, scopes: [] };
  await assert.rejects(
    startDeviceFlow({ ...ask, service: server.service({ deviceUrl: null }) }),
    coded("UNSUPPORTED"),
  );
  for (const [status, body, code] of [
    [200, { device_code: "canary" }, "PROTOCOL"],
    [200, { device_code: "canary", user_code: "1", verification_uri: "javascript:alert(1)" }, "BAD_INPUT"],
    [401, { error: "invalid_client" }, "BAD_INPUT"],
    [404, { error: "canary" }, "PROTOCOL"],
  ] as const) {
    server.interrupt = (_, response) => (response.writeHead(status).end(JSON.stringify(body)), true);
    const failing = startDeviceFlow({ ...ask, service: server.service() });
    await assert.rejects(
      failing,
      (error: Error) => coded(code)(error) && !inspect(error, { depth: 9 }).includes("canary"),
    );
  }
});
