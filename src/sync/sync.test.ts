import assert from "node:assert/strict";
import { test } from "node:test";
import { coded } from "../../test/support/test-vault.ts";
import { allowAll, SyncMachines } from "../../test/support/sync-machines.ts";
import { createCookieOf } from "../../test/support/sync-cookie.ts";
import { createSink } from "./index.ts";

test("first contact sends everything, then only what changed, and a logout is one of the changes", async () => {
  await using machines = await SyncMachines.open();
  machines.set("shop.test", "joe", { sid: "one", theme: "dark" });
  machines.set("mail.test", "joe@mail.test", { token: "two" });
  const first = await machines.push();
  assert.equal(first.full, true);
  assert.equal(first.stored, 3);
  assert.deepEqual(machines.held("shop.test", "joe"), { sid: "one", theme: "dark" });
  assert.deepEqual(machines.held("mail.test", "joe@mail.test"), { token: "two" });

  assert.equal((await machines.push()).requests, 0);

  machines.set("shop.test", "joe", { sid: "changed", theme: "dark" });
  machines.received.length = 0;
  const second = await machines.push();
  assert.equal(second.full, false);
  assert.deepEqual(
    machines.received.map(({ domain }) => domain),
    ["shop.test"],
  );
  assert.equal(machines.held("shop.test", "joe")["sid"], "changed");

  machines.logins.set("shop.test/joe", []);
  machines.logins.delete("mail.test/joe@mail.test");
  const third = await machines.push();
  assert.equal(third.deleted, 3);
  assert.deepEqual(machines.held("shop.test", "joe"), {});
  assert.deepEqual(machines.held("mail.test", "joe@mail.test"), {});
  assert.equal((await machines.push()).requests, 0);
});

test("a sink that lost what it knew of a source asks for everything", async () => {
  await using machines = await SyncMachines.open();
  machines.set("shop.test", "joe", { sid: "one" });
  await machines.push();
  machines.sinkVault.removeIdentity("shop.test", "joe");
  machines.sinkPeers.setReceived(machines.source.id, { sequence: 0, base: null, at: 0 });
  const again = await machines.push({ always: true });
  assert.equal(again.full, true);
  assert.deepEqual(machines.held("shop.test", "joe"), { sid: "one" });
});

test("a push that breaks off goes on where the sink's answer was lost", async () => {
  await using machines = await SyncMachines.open();
  machines.set("shop.test", "joe", { sid: "one" });
  await machines.push();
  machines.set("shop.test", "joe", { sid: "two" });
  const { sink } = machines.server;
  machines.server.sink = {
    ...sink!,
    take: async (request, body) => {
      await sink!.take(request, body);
      throw new Error("the answer is lost");
    },
  };
  await assert.rejects(machines.push(), coded("PROTOCOL"));
  machines.server.sink = sink;
  machines.set("mail.test", "joe", { token: "three" });
  const resumed = await machines.push();
  assert.equal(resumed.full, true);
  assert.deepEqual(machines.held("shop.test", "joe"), { sid: "two" });
  assert.deepEqual(machines.held("mail.test", "joe"), { token: "three" });
});

test("more than fits in one envelope goes in several, and all of it arrives", async () => {
  await using machines = await SyncMachines.open();
  const large = Object.fromEntries(
    Array.from({ length: 1_500 }, (_, i) => [`c${i}`, `${i}-`.padEnd(3_000, "x")]),
  );
  machines.set("shop.test", "joe", large);
  // A row of the vault has its own limit; what is looked at here is the carrying.
  const kept = new Map<string, string>();
  machines.server.sink = createSink({
    ...machines.sinkParts(),
    receive: async (logins) => {
      for (const change of logins.flatMap(({ changes }) => changes))
        if (change.kind === "set") kept.set(change.cookie.name, change.cookie.value);
    },
  });
  const pushed = await machines.push();
  assert.ok(pushed.requests > 1);
  assert.deepEqual(Object.fromEntries(kept), large);
  assert.equal((await machines.push()).requests, 0);
});

test("the policy of either side holds, and a cookie of another site does not slip in with a login", async () => {
  await using machines = await SyncMachines.open();
  machines.set("shop.test", "joe", { sid: "one" });
  machines.set("bank.test", "joe", { sid: "canary" });
  const noBank = (what: { domain: string }) =>
    what.domain === "bank.test" ? ({ ok: false, reason: "blocked" } as const) : ({ ok: true } as const);
  const kept = await machines.push({ allows: noBank });
  assert.deepEqual(kept.skipped, [{ name: "sid", domain: "bank.test", reason: "blocked" }]);
  assert.deepEqual(machines.held("bank.test", "joe"), {});

  machines.allows = noBank;
  machines.set("bank.test", "joe", { sid: "canary-2" });
  machines.logins.set("shop.test/joe", [
    createCookieOf({ domain: "shop.test", name: "sid", value: "two" }),
    createCookieOf({ domain: "bank.test", name: "sid", value: "planted" }),
    createCookieOf({ domain: "evil.test", name: "sid", value: "planted" }),
  ]);
  const hostile = await machines.push({ allows: allowAll });
  assert.deepEqual(hostile.refused.map(({ domain }) => domain).sort(), [
    "bank.test",
    "bank.test",
    "evil.test",
  ]);
  assert.deepEqual(machines.held("shop.test", "joe"), { sid: "two" });
  assert.deepEqual(machines.held("bank.test", "joe"), {});
});

test("what is probably bound to a device stays, with the reason, unless it is asked for", async () => {
  await using machines = await SyncMachines.open();
  const bound = createCookieOf({
    domain: "google.com",
    name: "__Secure-1PSIDTS",
    kind: "device-bound-suspect",
  });
  machines.logins.set("google.com/joe", [bound]);
  const pushed = await machines.push();
  assert.equal(pushed.stored, 0);
  assert.match(pushed.skipped[0]?.reason ?? "", /device/i);
  machines.logins.set("google.com/joe", [bound, createCookieOf({ domain: "google.com", name: "NID" })]);
  assert.equal((await machines.push({ deviceBound: true })).stored, 2);
});

test("an account nobody has named is told apart from this machine's own", async () => {
  await using machines = await SyncMachines.open();
  machines.set("shop.test", "@chromium", { sid: "one" });
  await machines.push();
  assert.deepEqual(machines.held("shop.test", "@laptop/chromium"), { sid: "one" });
  assert.deepEqual(machines.held("shop.test", "@chromium"), {});
});
