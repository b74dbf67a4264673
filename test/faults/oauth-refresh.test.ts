import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { ChildScript } from "../support/child-script.ts";
import { Secret } from "../../src/kernel/index.ts";
import { did } from "../support/fault-form.ts";
import { findInFiles } from "../support/leaks.ts";
import { CLIENT, OAuthServer } from "../support/oauth-server.ts";
import { META, read, TestVault } from "../support/test-vault.ts";

const PROCESSES = 4;
const CALLS = 25;
const ROW = { domain: "127.0.0.1", identifier: "joe", itemType: "oauth" };

/** A vault with a login whose refresh token may be spent once: shown twice, it ends the login. */
function vaultWith(server: OAuthServer, more: object): TestVault {
  const vault = new TestVault();
  const login = { ...server.grant(), token_url: `${server.origin}/token`, client_id: CLIENT.id, ...more };
  using value = Secret.fromText(JSON.stringify(login));
  vault.open().put(ROW, value, META);
  return vault;
}

const tokenIn = (vault: TestVault) =>
  (JSON.parse(read(vault.open(), ROW)!) as { access_token: string }).access_token;

async function answers(children: ChildScript[]): Promise<string[]> {
  const all: string[] = [];
  for (const { status, lines, stderr } of await Promise.all(children.map((child) => child.ended))) {
    assert.equal(status, 0, stderr);
    all.push(...(JSON.parse(lines.at(-1)!) as string[]));
  }
  return all;
}

function requireAllNew(server: OAuthServer, vault: TestVault, found: string[], calls: number): void {
  const token = tokenIn(vault);
  assert.equal(server.refreshes, 1);
  assert.ok(server.accepts(token), "the login was ended by a token shown twice");
  assert.deepEqual([...new Set(found)], [createHash("sha256").update(token).digest("hex")]);
  assert.equal(found.length, calls);
  assert.deepEqual(findInFiles(vault.folder, token), []);
}

for (const [why, more, argument] of [
  ["an expired token", { expires_in: -1 }, "expired"],
  ["a token the service has refused", {}, "refused"],
] as const) {
  test(`${PROCESSES * CALLS} calls at once on ${why} from ${PROCESSES} processes make one refresh`, async (t) => {
    await using server = await OAuthServer.start();
    // Long enough that all others come while it is under way.
    server.onTokenRequest = () => setTimeout(150);
    using vault = vaultWith(server, more);
    const args = [vault.path, String(CALLS), "10000", argument];
    const children = Array.from({ length: PROCESSES }, () => new ChildScript("oauth-refresher.ts", args));
    await Promise.all(children.map((child) => child.said(1)));
    for (const child of children) child.process.stdin!.write("go\n");
    requireAllNew(server, vault, await answers(children), PROCESSES * CALLS);
    assert.equal(server.forms.length, 1);
    did(t, { "calls at once": PROCESSES * CALLS, refreshes: server.refreshes }, { "logins ended": 0 });
  });
}

test("When the process that refreshes is killed the others do it in its place", async (t) => {
  await using server = await OAuthServer.start();
  using vault = vaultWith(server, { expires_in: -1 });
  const args = [vault.path, String(CALLS), "2000", "expired"];
  const children = Array.from({ length: 3 }, () => new ChildScript("oauth-refresher.ts", args));
  const [holder, ...others] = children as [ChildScript, ...ChildScript[]];
  await Promise.all(children.map((child) => child.said(1)));

  const asked = Promise.withResolvers<void>();
  const killed = Promise.withResolvers<void>();
  server.onTokenRequest = () => {
    asked.resolve();
    return killed.promise;
  };
  // The request of one who is dead by now is not looked at, as on a connection that broke before it arrived.
  server.interrupt = (_, response) => {
    server.interrupt = undefined;
    response.destroy();
    return true;
  };
  holder.process.stdin!.write("go\n");
  await asked.promise;
  for (const child of others) child.process.stdin!.write("go\n");
  const { signal } = await holder.kill();
  assert.equal(signal, "SIGKILL");
  killed.resolve();
  requireAllNew(server, vault, await answers(others), 2 * CALLS);
  assert.equal(server.forms.length, 2);
  did(t, { kills: 1, refreshes: server.refreshes }, { "logins ended": 0 });
});
