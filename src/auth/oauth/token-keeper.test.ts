import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { inspect } from "node:util";
import { findInFiles, findInText } from "../../../test/support/leaks.ts";
import { CLIENT, OAuthServer } from "../../../test/support/oauth-server.ts";
import { testHttp } from "../../../test/support/test-lease.ts";
import { coded, META, TestVault } from "../../../test/support/test-vault.ts";
import { Secret } from "../../kernel/index.ts";
import { createOAuthStore } from "./oauth-store.ts";
import type { OAuthService } from "./service-lookup.ts";
import { createTokenKeeper, type Fresh } from "./token-keeper.ts";

const joe = { domain: "127.0.0.1", identifier: "joe" };
const row = { ...joe, itemType: "oauth" };
const HOUR = 3_600_000;

async function setUp() {
  const server = await OAuthServer.start();
  const http = testHttp([]);
  const vault = new TestVault();
  const time = { now: Date.now() };
  const clock = { now: () => time.now };
  const opened = vault.open({ clock });
  const clientFor = (_: OAuthService, clientId: string | null) =>
    clientId === CLIENT.id ? { clientId, clientSecret: Secret.fromText(CLIENT.secret) } : undefined;
  const keeper = (more: { leaseMs?: number } = {}) =>
    createTokenKeeper({ vault: vault.open({ clock }), clock, http, clientFor, ...more });
  const store = (fields: object) =>
    opened.put(
      row,
      Secret.fromText(
        JSON.stringify({ token_url: `${server.origin}/token`, client_id: CLIENT.id, ...fields }),
      ),
      META,
    );
  return {
    server,
    vault,
    opened,
    time,
    clock,
    keeper,
    store,
    async [Symbol.asyncDispose]() {
      vault[Symbol.dispose]();
      await http[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const tokenOf = (fresh: Fresh) => {
  assert.ok(fresh.kind === "token", inspect(fresh));
  return fresh.login.accessToken.reveal();
};

test("A token that is good is given as it is, and one that ends within a minute is refreshed first", async () => {
  await using parts = await setUp();
  const { server, time } = parts;
  const first = server.grant();
  parts.store({ ...first, expires_in: 3600 });
  const keeper = parts.keeper();
  assert.equal(tokenOf(await keeper.fresh(joe)), first.access_token);
  time.now += HOUR - 61_000;
  assert.equal(tokenOf(await keeper.fresh(joe)), first.access_token);
  time.now += 2000;
  const second = tokenOf(await keeper.fresh(joe));
  assert.ok(second !== first.access_token && server.accepts(second));
  assert.equal(server.refreshes, 1);
  time.now += HOUR;
  assert.ok(server.accepts(tokenOf(await keeper.fresh(joe))), "the rotated refresh token was kept");
  assert.equal(server.refreshes, 2);
});

test("A token a service has just refused is refreshed, once for all who were refused", async () => {
  await using parts = await setUp();
  const first = parts.server.grant();
  parts.store(first);
  const keepers = [parts.keeper(), parts.keeper()];
  const failed = Secret.fromText(first.access_token);
  const asked = Array.from({ length: 20 }, (_, i) => keepers[i % 2]!.fresh(joe, { failed }));
  const tokens = new Set((await Promise.all(asked)).map(tokenOf));
  assert.equal(tokens.size, 1);
  assert.ok(!tokens.has(first.access_token));
  assert.equal(parts.server.refreshes, 1);
  assert.ok(
    tokens.has(tokenOf(await keepers[0]!.fresh(joe, { failed }))),
    "one who was late gets the new one",
  );
  assert.equal(parts.server.refreshes, 1);
});

test("A service that gives no new refresh token keeps the old one", async () => {
  await using parts = await setUp();
  const { server, time } = parts;
  server.refreshTokens = "keep-silently";
  const first = server.grant();
  parts.store({ ...first, expires_in: 1 });
  for (let i = 0; i < 3; i++) {
    time.now += HOUR;
    assert.ok(server.accepts(tokenOf(await parts.keeper().fresh(joe))));
  }
  assert.equal(server.refreshes, 3);
  assert.equal(
    createOAuthStore({ vault: parts.opened, clock: parts.clock }).find(joe)?.login.refreshToken?.reveal(),
    first.refresh_token,
  );
});

test("Tokens that live for less than a minute, and ones the service does not change, do not end in a circle", async () => {
  await using parts = await setUp();
  const { server } = parts;
  server.expiresIn = 20;
  parts.store({ ...server.grant(), expires_in: -5 });
  const keeper = parts.keeper();
  const short = tokenOf(await keeper.fresh(joe));
  assert.equal(tokenOf(await keeper.fresh(joe)), short);
  assert.equal(server.refreshes, 1);
  server.interrupt = (_, response) => {
    response.end(JSON.stringify({ access_token: short, expires_in: 20 }));
    return true;
  };
  assert.equal(tokenOf(await keeper.fresh(joe, { failed: Secret.fromText(short) })), short);
  server.interrupt = (_, response) => {
    response.end(JSON.stringify({ access_token: "canary-x", expires_in: 0.001 }));
    return true;
  };
  parts.time.now += HOUR;
  parts.opened.remove(row);
  parts.store({ ...server.grant(), expires_in: -5 });
  const asked = server.forms.length;
  await keeper.fresh(joe);
  assert.equal(server.forms.length, asked + 1);
});

test("What cannot be refreshed says so: no row, no refresh token, no place, refused, too little", async () => {
  await using parts = await setUp();
  const { server } = parts;
  const keeper = parts.keeper();
  assert.deepEqual(await keeper.fresh(joe), { kind: "none" });
  parts.store({ access_token: "canary", expires_in: -1 });
  assert.deepEqual(await keeper.fresh(joe), { kind: "expired-without-refresh" });
  parts.store({ access_token: "canary", expires_in: 30 });
  assert.equal(tokenOf(await keeper.fresh(joe)), "canary", "it is good until it ends");
  assert.deepEqual(await keeper.fresh(joe, { failed: Secret.fromText("canary") }), {
    kind: "expired-without-refresh",
  });
  parts.store({ refresh_token: "canary", token_url: undefined });
  assert.deepEqual(await keeper.fresh(joe), { kind: "expired-without-refresh" });
  parts.store({ access_token: "canary", scope: "read" });
  assert.deepEqual(await keeper.fresh(joe, { scopes: ["read", "send"] }), {
    kind: "lacks-scopes",
    missing: ["send"],
  });
  parts.store({ refresh_token: "canary" });
  const asked = server.forms.length;
  for (let i = 0; i < 3; i++)
    assert.deepEqual(await keeper.fresh(joe), { kind: "dead", reason: "invalid_grant" });
  assert.equal(server.forms.length, asked + 1, "a dead token is not shown again and again");
  assert.equal(parts.opened.keysOf("127.0.0.1").length, 1, "the row stays");
  parts.store(server.grant());
  assert.ok(server.accepts(tokenOf(await keeper.fresh(joe))), "a new login counts at once");
});

test("A manifest cannot say where a token of another domain is refreshed", async () => {
  await using parts = await setUp();
  const { server } = parts;
  const service = server.service();
  parts.store({ ...server.grant(), token_url: undefined, expires_in: -1 });
  const elsewhere = { ...joe, domain: "exa.ai" };
  const value = Secret.fromText(JSON.stringify({ ...server.grant(), expires_in: -1 }));
  parts.opened.put({ ...elsewhere, itemType: "oauth" }, value, META);
  const keeper = parts.keeper();
  assert.deepEqual(await keeper.fresh(elsewhere, { service }), { kind: "expired-without-refresh" });
  assert.equal(server.forms.length, 0);
  assert.ok(server.accepts(tokenOf(await keeper.fresh(joe, { service }))));
});

test("A server that is down costs a login only when its token has ended, and never the row", async () => {
  await using parts = await setUp();
  const { server, time } = parts;
  const first = server.grant();
  parts.store({ ...first, expires_in: 3600 });
  const keeper = parts.keeper();
  const breakages: ((response: {
    destroy(): void;
    writeHead(n: number): { end(s: string): void };
  }) => void)[] = [
    (response) => response.destroy(),
    (response) => response.writeHead(500).end(JSON.stringify({ error: first.refresh_token })),
    (response) => response.writeHead(429).end(""),
  ];
  time.now += HOUR - 30_000;
  for (const breakage of breakages) {
    server.interrupt = (_, response) => (breakage(response), true);
    assert.equal(tokenOf(await keeper.fresh(joe)), first.access_token);
    await assert.rejects(
      keeper.fresh(joe, { failed: Secret.fromText(first.access_token) }),
      coded("NETWORK_FAILED"),
    );
  }
  time.now += HOUR;
  const before = parts.opened.epoch;
  for (const breakage of breakages) {
    server.interrupt = (_, response) => (breakage(response), true);
    await assert.rejects(
      keeper.fresh(joe),
      (error: Error) => coded("NETWORK_FAILED")(error) && !inspect(error, { depth: 9 }).includes("canary"),
    );
  }
  assert.equal(parts.opened.epoch, before);
  server.interrupt = undefined;
  assert.ok(server.accepts(tokenOf(await keeper.fresh(joe))));
});

test("What others write while a refresh is under way is never lost, and a mere label does not cost the new token", async () => {
  await using parts = await setUp();
  const { server, opened } = parts;
  const keeper = parts.keeper();
  const first = { ...server.grant(), expires_in: -1 };
  parts.store(first);
  server.onTokenRequest = () => {
    const found = opened.find(row)!;
    opened.put(row, found.value, { ...found.meta, label: "Work" });
  };
  assert.ok(server.accepts(tokenOf(await keeper.fresh(joe))));
  assert.equal(opened.find(row)?.meta.label, "Work");
  assert.equal(server.refreshes, 1);

  const other = server.grant();
  parts.store({ ...server.grant(), expires_in: -1 });
  server.onTokenRequest = () => void parts.store({ ...other, expires_in: 3600 });
  assert.equal(tokenOf(await keeper.fresh(joe)), other.access_token, "who logged in anew wins");
  assert.equal(server.refreshes, 2);

  parts.store({ ...server.grant(), expires_in: -1 });
  server.onTokenRequest = () => void opened.remove(row);
  assert.deepEqual(await keeper.fresh(joe), { kind: "none" }, "who logged out stays logged out");

  parts.store({ refresh_token: "canary-stolen", expires_in: -1 });
  server.onTokenRequest = () => void parts.store({ ...other, expires_in: 3600 });
  assert.equal(tokenOf(await keeper.fresh(joe)), other.access_token, "one that is refused deletes nothing");
});

test("One who gives up leaves the others their refresh, and waiting for a stuck process ends", async () => {
  await using parts = await setUp();
  const { server, opened } = parts;
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  server.onTokenRequest = () => {
    asked.resolve();
    return gate.promise;
  };
  parts.store({ ...server.grant(), expires_in: -1 });
  const keeper = parts.keeper();
  const controller = new AbortController();
  const impatient = keeper.fresh(joe, { signal: controller.signal });
  const patient = keeper.fresh(joe);
  await asked.promise;
  controller.abort();
  await assert.rejects(impatient, coded("CANCELLED"));
  gate.resolve();
  assert.ok(server.accepts(tokenOf(await patient)));
  assert.equal(server.refreshes, 1);
  await assert.rejects(
    keeper.fresh(joe, { signal: controller.signal, failed: Secret.fromText(tokenOf(await patient)) }),
    coded("CANCELLED"),
  );

  parts.store({ ...server.grant(), expires_in: -1 });
  using lease = opened.lease(joe, "refresh", 600_000);
  assert.ok(lease);
  await assert.rejects(keeper.fresh(joe, { signal: AbortSignal.timeout(50) }), coded("CANCELLED"));
  assert.equal(server.refreshes, 1);
  const waiting = keeper.fresh(joe);
  lease[Symbol.dispose]();
  assert.ok(server.accepts(tokenOf(await waiting)));
});

test("A refresh that takes longer than its lease keeps it", async () => {
  await using parts = await setUp();
  const { server, time, vault } = parts;
  const until = () => Number(vault.raw((db) => db.prepare("SELECT until FROM leases").get()?.["until"]));
  server.onTokenRequest = async () => {
    for (let i = 0; i < 3; i++) {
      time.now += 20;
      while (until() < time.now + 30) await setTimeout(5);
    }
  };
  parts.store({ ...server.grant(), expires_in: -1 });
  const keepers = [parts.keeper({ leaseMs: 30 }), parts.keeper({ leaseMs: 30 })];
  const tokens = await Promise.all(keepers.map((keeper) => keeper.fresh(joe)));
  assert.equal(tokenOf(tokens[0]!), tokenOf(tokens[1]!));
  assert.equal(server.forms.length, 1);
});

test("A client the service does not know, or that nobody has stored, is said so in words", async () => {
  await using parts = await setUp();
  const keeper = parts.keeper();
  parts.store({ refresh_token: "canary", client_secret: "canary-wrong" });
  await assert.rejects(
    keeper.fresh(joe),
    (error: Error) => coded("BAD_INPUT")(error) && !/canary/.test(String(error)),
  );
  parts.store({ refresh_token: "canary", client_id: undefined });
  await assert.rejects(keeper.fresh(joe), coded("LOGIN_NEEDED"));
});

test("No token is on disk in clear or in any error, whatever the server answers", async () => {
  await using parts = await setUp();
  const { server } = parts;
  const keeper = parts.keeper();
  const said: string[] = [];
  const secrets: string[] = [CLIENT.secret];
  const echo = (token: string) =>
    [
      [200, token],
      [200, `{"error": "${token}"}`],
      [200, `error=${token}`],
      [200, `{"error": "invalid_scope", "error_description": "${token}"}`],
      [302, token],
      [400, `{"error": ["${token}"]}`],
      [403, `{"error": "${token}"}`],
      [500, token],
      [200, `{"access_token": {"x": "${token}"}}`],
    ] as const;
  for (let i = 0; i < echo("").length; i++) {
    const granted = server.grant();
    secrets.push(granted.access_token, granted.refresh_token);
    parts.store({ ...granted, expires_in: -1 });
    server.interrupt = (form, response) => {
      const [status, body] = echo(form.get("refresh_token")!)[i]!;
      response.writeHead(status, { Location: `${server.origin}/${granted.refresh_token}` }).end(body);
      return true;
    };
    const found = await keeper.fresh(joe).catch((error: unknown) => error);
    said.push(inspect(found, { depth: 9, showHidden: true }), JSON.stringify(found), String(found));
  }
  server.interrupt = undefined;
  parts.store({ ...server.grant(), expires_in: -1 });
  const fresh = await keeper.fresh(joe);
  secrets.push(tokenOf(fresh));
  said.push(inspect(fresh, { depth: 9, showHidden: true }), JSON.stringify(fresh));
  for (const secret of secrets) {
    assert.deepEqual(findInText(said.join("\n"), secret), []);
    assert.deepEqual(findInFiles(parts.vault.folder, secret), []);
  }
  assert.equal(said.length, 3 * 9 + 2);
});
