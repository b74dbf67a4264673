import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { inspect } from "node:util";
import { CLIENT, OAuthServer } from "../../../test/support/oauth-server.ts";
import { testHttp } from "../../../test/support/test-lease.ts";
import { coded } from "../../../test/support/test-vault.ts";
import { Secret, systemClock } from "../../kernel/index.ts";
import { type AuthorizationFlowParts, startAuthorizationFlow } from "./authorization-flow.ts";
import type { OAuthService } from "./service-lookup.ts";
import { createTokenEndpoint } from "./token-endpoint.ts";
import { whoIsIt } from "./who-is-it.ts";

const client = { clientId: CLIENT.id, clientSecret: Secret.fromText(CLIENT.secret) };

async function setUp(more: Partial<OAuthService> = {}) {
  const server = await OAuthServer.start();
  const http = testHttp([]);
  const service = server.service(more);
  return {
    server,
    http,
    service,
    start: (options: Partial<AuthorizationFlowParts> = {}) =>
      startAuthorizationFlow({
        endpoint: createTokenEndpoint({ http, clock: systemClock }),
        service,
        client,
        scopes: ["read"],
        ...options,
      }),
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** A request as no browser would make it. */
function raw(port: string, path: string, options: { method?: string; host?: string } = {}): Promise<number> {
  const { method = "GET", host = `127.0.0.1:${port}` } = options;
  return new Promise((done, fail) => {
    request({ host: "127.0.0.1", port, path, method, headers: { host } }, (response) => {
      response.resume();
      done(response.statusCode!);
    })
      .on("error", fail)
      .end();
  });
}

const isFree = (redirectUri: string) =>
  new Promise<boolean>((done) => {
    const socket = connect(Number(new URL(redirectUri).port), "127.0.0.1");
    socket.on("connect", () => (socket.destroy(), done(false)));
    socket.on("error", () => done(true));
  });

test("A person who allows it ends with tokens, whatever the client proves itself by, and the port is free", async () => {
  for (const more of [{}, { clientAuth: "basic" }, { body: "json" }, { pkce: false }] as const) {
    await using parts = await setUp(more);
    await using flow = await parts.start({ loginHint: "ann@example.org" });
    const asked = new URL(flow.url).searchParams;
    assert.equal(asked.get("login_hint"), "ann@example.org");
    assert.equal(asked.has("code_challenge"), !("pkce" in more));
    const page = await fetch(flow.url);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /You can close this window/);
    assert.equal(page.headers.get("referrer-policy"), "no-referrer");
    const outcome = await flow.finished;
    assert.ok(outcome.kind === "tokens", inspect(outcome));
    assert.ok(parts.server.accepts(outcome.tokens.accessToken.reveal()));
    assert.deepEqual(outcome.tokens.scopes, ["read", "write"]);
    assert.ok(await isFree(flow.redirectUri));
    assert.doesNotMatch(inspect(outcome, { depth: 9 }) + JSON.stringify(outcome), /canary/);
    const { http, service } = parts;
    assert.equal(await whoIsIt({ http, service, client, tokens: outcome.tokens }), "ann@example.org");
  }
});

test("A person or service that says no ends the flow with that", async () => {
  await using parts = await setUp();
  parts.server.person = "denies";
  await using flow = await parts.start();
  await fetch(flow.url);
  assert.deepEqual(await flow.finished, { kind: "denied", reason: "access_denied" });
});

test("Whoever answers without the state, under another name or in another way is refused, and the login goes on", async () => {
  await using parts = await setUp();
  await using flow = await parts.start();
  const { port } = new URL(flow.redirectUri);
  const state = new URL(flow.url).searchParams.get("state")!;
  const right = `/callback?code=x&state=${state}`;
  assert.equal(await raw(port, "/callback?code=x&state=wrong"), 400);
  assert.equal(await raw(port, "/callback?code=x"), 400);
  assert.equal(await raw(port, `/callback?error=access_denied&state=${state}x`), 400);
  assert.equal(await raw(port, `/callback?state=${state}`), 400);
  assert.equal(await raw(port, right, { host: "evil.example" }), 403);
  assert.equal(await raw(port, right, { host: `evil.example:${port}` }), 403);
  assert.equal(await raw(port, right, { host: `localhost:${port}` }), 403);
  assert.equal(await raw(port, right, { method: "POST" }), 405);
  assert.equal(await raw(port, `/other?code=x&state=${state}`), 404);
  assert.equal(await raw(port, "/favicon.ico"), 404);
  await fetch(flow.url);
  assert.equal((await flow.finished).kind, "tokens");
});

test("An address a person pastes counts as the browser's return, if it answers this login", async () => {
  await using parts = await setUp({ redirect: "paste" });
  await using flow = await parts.start();
  assert.equal(flow.listens, false);
  assert.equal(flow.redirectUri, "https://localhost/callback");
  const page = await fetch(flow.url, { redirect: "manual" });
  const address = page.headers.get("location")!;
  for (const wrong of [
    "",
    "canary",
    "https://evil.example/callback?code=1",
    "https://localhost/callback?code=1&state=2",
  ]) {
    const refused = flow.acceptRedirect(wrong);
    assert.ok(refused.kind === "refused" && !refused.reason.includes("canary"), wrong);
  }
  assert.deepEqual(flow.acceptRedirect(` ${address}\n`), { kind: "accepted" });
  assert.equal(flow.acceptRedirect(address).kind, "refused", "once only");
  assert.equal((await flow.finished).kind, "tokens");
});

test("A person on a machine without a browser may paste where the loopback address was listened on too", async () => {
  await using parts = await setUp();
  await using flow = await parts.start();
  const page = await fetch(flow.url, { redirect: "manual" });
  assert.deepEqual(flow.acceptRedirect(page.headers.get("location")!), { kind: "accepted" });
  assert.equal((await flow.finished).kind, "tokens");
  assert.ok(await isFree(flow.redirectUri));
});

test("A login that nobody finishes, or that is given up, leaves no port behind", async () => {
  await using parts = await setUp();
  const controller = new AbortController();
  await using late = await parts.start({ timeoutMs: 20 });
  await assert.rejects(late.finished, coded("TIMEOUT"));
  await using cancelled = await parts.start({ signal: controller.signal });
  controller.abort();
  await assert.rejects(cancelled.finished, coded("CANCELLED"));
  const disposed = await parts.start();
  await disposed[Symbol.asyncDispose]();
  await assert.rejects(disposed.finished, coded("CANCELLED"));
  await using never = await parts.start({ signal: AbortSignal.abort() });
  await assert.rejects(never.finished, coded("CANCELLED"));
  for (const { redirectUri } of [late, cancelled, disposed, never]) assert.ok(await isFree(redirectUri));
});

test("A port the service has registered is used, and one that is taken is said to be", async () => {
  await using parts = await setUp({ redirectHost: "localhost" });
  await using flow = await parts.start();
  assert.match(flow.redirectUri, /^http:\/\/localhost:\d+\/callback$/);
  const port = Number(new URL(flow.redirectUri).port);
  await assert.rejects(parts.start({ port }), coded("CONFLICT"));
});

test("GitHub's answers are understood: errors with status 200, scopes with commas", async () => {
  await using parts = await setUp();
  parts.server.style = "github";
  await using flow = await parts.start();
  await fetch(flow.url);
  assert.equal((await flow.finished).kind, "tokens");
  const endpoint = createTokenEndpoint({ http: parts.http, clock: systemClock });
  const { service } = parts;
  const code = Secret.fromText("canary-code");
  assert.deepEqual(
    await endpoint.exchange({ service, client, code, redirectUri: "http://127.0.0.1/", verifier: null }),
    { kind: "dead", reason: "bad_verification_code" },
  );
});

test("Nothing a manifest says replaces the client, the state or the redirect", async () => {
  const authParams = {
    client_id: "evil",
    state: "evil",
    redirect_uri: "https://evil.example/",
    response_type: "token",
  };
  await using parts = await setUp({ authParams: { ...authParams, prompt: "consent" } });
  await using flow = await parts.start();
  const asked = new URL(flow.url).searchParams;
  assert.equal(asked.get("prompt"), "consent");
  assert.doesNotMatch(flow.url, /evil/);
  assert.equal(asked.get("response_type"), "code");
});
