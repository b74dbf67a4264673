import assert from "node:assert/strict";
import { test } from "node:test";
import {
  EVERY,
  FIRST,
  JOE,
  memoryStore,
  newGrant,
  NOW,
  OWNER,
  request,
} from "../../test/support/grant-cases.ts";
import { createDenialRing } from "../../test/support/denial-ring.ts";
import { coded } from "../../test/support/test-vault.ts";
import { createGrants, type GrantStore } from "./index.ts";

function grantsIn(store: GrantStore, denials = createDenialRing()) {
  return createGrants({ store, clock: { now: () => NOW }, denials });
}

const as = (account: string | null) => request({ identity: { domain: "exa.ai", account } });

test("a grant given before an account was known holds for the first one it is used with, and for no other", () => {
  const grants = grantsIn(memoryStore());
  const { grant } = grants.add(newGrant({ identity: FIRST }));
  assert.equal(grants.decide(as(null)).kind, "granted");
  assert.deepEqual(grants.list()[0]?.identity, FIRST, "nothing is settled while no account is known");
  assert.deepEqual(grants.decide(as("joe")), { kind: "granted", id: grant.id });
  assert.deepEqual(grants.list(), [{ ...grant, identity: JOE }]);
  assert.equal(grants.decide(as("joe")).kind, "granted");
  assert.equal(grants.decide(as("ann")).kind, "denied");
  assert.equal(grants.decide(as(null)).kind, "denied", "who is not known yet may be somebody else");
});

test("a grant given for every account stays for every account", () => {
  const grants = grantsIn(memoryStore());
  const { grant } = grants.add(newGrant({ identity: EVERY }));
  for (const account of ["joe", "ann", null]) assert.equal(grants.decide(as(account)).kind, "granted");
  assert.deepEqual(grants.list(), [grant]);
});

test("a denied request settles nothing, and a pending grant is not spent where another covers", () => {
  const grants = grantsIn(memoryStore());
  const pending = grants.add(newGrant({ identity: FIRST, readOnly: true })).grant;
  assert.equal(grants.decide({ ...as("ann"), effect: "write" }).kind, "denied");
  const own = grants.add(newGrant({ identity: JOE })).grant;
  assert.deepEqual(grants.decide(as("joe")), { kind: "granted", id: own.id });
  assert.deepEqual(grants.list(), [pending, own]);
});

test("of two runs that settle one grant at the same time, one gets it and the other is denied", () => {
  const store = memoryStore();
  const { grant } = grantsIn(store).add(newGrant({ identity: FIRST }));
  let raced = false;
  const slow: GrantStore = {
    read: () => store.read(),
    write(after, expected) {
      if (!raced) {
        raced = true;
        assert.equal(grantsIn(store).decide(as("ann")).kind, "granted");
      }
      return store.write(after, expected);
    },
  };
  assert.equal(grantsIn(slow).decide(as("joe")).kind, "denied");
  assert.equal(store.read().grants[0]?.identity?.account, "ann");
  assert.equal(store.read().grants[0]?.id, grant.id);
});

test("what the owner said last about the same thing counts, and grants for other code go", () => {
  const grants = grantsIn(memoryStore());
  const full = grants.add(newGrant()).grant;
  const kept = [
    grants.add(newGrant({ agent: "*" })).grant,
    grants.add(newGrant({ subject: "mail" })).grant,
    grants.add(newGrant({ identity: { ...JOE, account: "ann" } })).grant,
    grants.add(newGrant({ operations: ["post", "get"] })).grant,
  ];
  const narrowed = grants.add(newGrant({ readOnly: true }));
  assert.deepEqual(narrowed.replaced, [full]);
  assert.deepEqual(grants.list(), [...kept, narrowed.grant]);
  assert.deepEqual(grants.add(newGrant({ operations: ["get", "post"] })).replaced, [kept[3]]);
  const changed = grants.add(newGrant({ pin: "sha256-b" }));
  assert.equal(changed.replaced.length, 2, "the old code's, whatever their operations");
  assert.deepEqual(grants.list(), [...kept.slice(0, 3), changed.grant]);
});

test("a grant that was removed counts no more, and an unknown id removes nothing", () => {
  const grants = grantsIn(memoryStore());
  const { grant } = grants.add(newGrant());
  assert.equal(grants.remove("grant_other"), undefined);
  assert.deepEqual(grants.remove(grant.id), grant);
  assert.equal(grants.decide(request()).kind, "denied");
  assert.equal(grants.remove(grant.id), undefined);
});

test("a store that never stands still is an error, not an endless loop", () => {
  const restless: GrantStore = { read: () => ({ version: 1, grants: [] }), write: () => false };
  assert.throws(() => grantsIn(restless).add(newGrant()), coded("CONFLICT"));
});

test("where no grant is needed the store is not asked", () => {
  const locked: GrantStore = {
    read: () => assert.fail("read"),
    write: () => assert.fail("written"),
  };
  const decision = grantsIn(locked).decide(request({ subject: "@curl", pin: null }));
  assert.deepEqual(decision, { kind: "granted", id: null });
});

test("denials are recorded, the latest of them kept", () => {
  const denials = createDenialRing(3);
  const grants = grantsIn(memoryStore(), denials);
  for (const operation of ["a", "b", "c", "d"]) grants.decide(request({ operation }));
  assert.deepEqual(
    denials.recent().map(({ operation }) => operation),
    ["b", "c", "d"],
  );
  const { reason, ...first } = denials.recent()[0]!;
  const identity = { domain: "exa.ai", account: "joe" };
  assert.deepEqual(first, { at: NOW, caller: OWNER, subject: "exa", operation: "b", identity });
  assert.match(reason, /No grant/);
});
