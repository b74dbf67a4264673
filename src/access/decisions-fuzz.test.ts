import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import { createDenialRing } from "../../test/support/denial-ring.ts";
import { did, Rounds, seed } from "../../test/support/fault-form.ts";
import { agent, grant, memoryStore, NOW, OWNER, request } from "../../test/support/grant-cases.ts";
import type { Caller } from "../kernel/index.ts";
import {
  type Allowance,
  createGrants,
  type Grant,
  type GrantIdentity,
  type GrantRequest,
  isBuiltIn,
  type Pin,
} from "./index.ts";

const often = fc.integer({ min: 0, max: 9 }).map((die) => die > 0);

/** Few and similar, so that near misses are common. */
const names = fc.constantFrom("owner", "owner", "*", "a", "a", "A", "ab", "a ", "");
const subjects = fc.constantFrom("exa", "exa", "exa2", "@curl", "@session", "@vault", "@");
const pins = fc.constantFrom<Pin>("x", "x", "y", "/p", { path: "x" }, { path: "/p" }, null);
const domains = fc.constantFrom("exa.ai", "api.exa.ai", "a");
const accounts = fc.constantFrom(null, "joe", "Joe", "*", "");
const operations = fc.constantFrom("search", "post");
const allowances = fc.constantFrom<Allowance>(
  "network",
  "hosts:any",
  "binary:git",
  "binary:sh",
  "path:/data",
  "path:/",
);

const callers: fc.Arbitrary<Caller> = fc.oneof(fc.constant(OWNER), names.map(agent));

const grants: fc.Arbitrary<Grant> = fc.record({
  id: fc.uuid(),
  agent: names,
  subject: subjects,
  pin: pins,
  identity: fc.option(
    fc
      .record({ domain: domains, account: accounts, pending: fc.boolean() })
      .map((one): GrantIdentity => ({ ...one, pending: one.pending && one.account === null })),
  ),
  operations: fc.option(fc.uniqueArray(operations)),
  readOnly: fc.boolean(),
  expires: fc.constantFrom(null, NOW - 1, NOW, NOW + 1),
  expose: fc.boolean(),
  allow: fc.uniqueArray(allowances),
  createdAt: fc.constant(NOW),
});

const requests: fc.Arbitrary<GrantRequest> = fc.record({
  caller: callers,
  subject: subjects,
  pin: pins,
  identity: fc.option(fc.record({ domain: domains, account: accounts })),
  operation: operations,
  effect: fc.constantFrom("read", "write", "destructive"),
  needs: fc.oneof(
    fc.constant({}),
    fc.record(
      {
        expose: fc.boolean(),
        network: fc.boolean(),
        anyHost: fc.boolean(),
        binaries: fc.uniqueArray(fc.constantFrom("git", "sh", "network")),
        paths: fc.uniqueArray(fc.constantFrom("/data", "/data/a", "/data2", "/data/../etc")),
      },
      { requiredKeys: [] },
    ),
  ),
});

/** Grants, and a request that is often for much of what the first of them says. */
const cases = fc
  .tuple(fc.array(grants, { maxLength: 5 }), requests, fc.tuple(often, often, often, often))
  .map(([held, request, [who, what, code, whose]]): [Grant[], GrantRequest] => {
    const [first] = held;
    if (first === undefined) return [held, request];
    const { agent: name, subject, pin, identity } = first;
    return [
      held,
      {
        ...request,
        ...(who ? { caller: name === "owner" ? OWNER : agent(name) } : {}),
        ...(what ? { subject } : {}),
        ...(code ? { pin } : {}),
        ...(whose ? { identity: identity && { domain: identity.domain, account: identity.account } } : {}),
      },
    ];
  });

/** The rules once more, written as a person would check one grant against one request. */
function breaches(
  grant: Grant,
  { caller, subject, pin, identity, operation, effect, needs }: GrantRequest,
): string[] {
  const allowed = (what: Allowance) => grant.allow.includes(what);
  const paths = needs.paths ?? [];
  const rules: [string, boolean][] = [
    ["agent", grant.agent === "*" || grant.agent === caller.agent],
    ["owner", caller.kind === "owner" || !["owner", "*", ""].includes(caller.agent)],
    ["subject", grant.subject === subject && (!subject.startsWith("@") || isBuiltIn(subject))],
    ["pin", JSON.stringify(grant.pin) === JSON.stringify(pin)],
    ["dev", typeof pin === "string" || pin === null || caller.kind === "owner"],
    ["code", (pin === null) === isBuiltIn(subject)],
    ["login", (grant.identity === null) === (identity === null)],
    ["domain", grant.identity?.domain === identity?.domain],
    ["account", (grant.identity?.account ?? null) === null || grant.identity?.account === identity?.account],
    ["expiry", grant.expires === null || grant.expires > NOW],
    ["operation", grant.operations?.includes(operation) ?? true],
    ["effect", effect === "read" || !grant.readOnly],
    ["expose", !needs.expose || grant.expose],
    ["network", !needs.network || allowed("network")],
    ["hosts", !needs.anyHost || (allowed("hosts:any") && identity === null)],
    ["binaries", (needs.binaries ?? []).every((name) => allowed(`binary:${name}`))],
    ["dots", !paths.includes("/data/../etc")],
    [
      "paths",
      allowed("path:/") || paths.every((path) => /^\/data(\/|$)/.test(path) && allowed("path:/data")),
    ],
  ];
  return rules.filter(([, held]) => !held).map(([rule]) => rule);
}

function decide(held: readonly Grant[], request: GrantRequest) {
  const store = memoryStore(held);
  const decision = createGrants({ store, clock: { now: () => NOW }, denials: createDenialRing() }).decide(
    request,
  );
  return { decision, after: store.read().grants };
}

/** So many cases of a property, other ones in every round. */
function holds<T>(t: TestContext, property: fc.IProperty<T>, found: string): void {
  const numRuns = 20_000;
  const rounds = new Rounds({ short: 1, long: 25, share: 1 / 3 });
  for (const round of rounds) fc.assert(property, { numRuns, seed: seed + round });
  did(t, { cases: rounds.count * numRuns }, { [found]: 0 });
}

test("no grant of one agent, subject, pin or identity satisfies a request for another", (t) => {
  let granted = 0;
  holds(
    t,
    fc.property(cases, ([held, request]) => {
      const { decision } = decide(held, request);
      if (decision.kind === "granted" && decision.id !== null) granted += 1;
      const fitting = held.filter((grant) => breaches(grant, request).length === 0);
      if (decision.kind === "denied") return assert.deepEqual(fitting, [], "what was granted is denied");
      if (decision.id !== null) return assert.ok(fitting.some(({ id }) => id === decision.id));
      // None was needed: the owner's built-in, or a skill that holds nothing.
      const { expose, network, anyHost, binaries = [], paths = [] } = request.needs;
      const nothing = !expose && !network && !anyHost && binaries.length + paths.length === 0;
      return assert.ok(
        isBuiltIn(request.subject)
          ? request.caller.kind === "owner" && request.pin === null
          : request.identity === null && nothing && !request.subject.startsWith("@"),
      );
    }),
    "wrongly decided",
  );
  assert.ok(granted > 200, `only ${granted} cases were about a grant that fits`);
});

test("a grant that fits, bent in any one way, fits no more", (t) => {
  const other = <T>(value: fc.Arbitrary<T>, than: unknown) =>
    value.filter((one) => JSON.stringify(one) !== JSON.stringify(than));
  const words = fc.string({ minLength: 1, maxLength: 12 });
  const bent = fc
    .record({ who: words, subject: words, pin: words, domain: words, account: words })
    .filter(({ who, subject }) => !["owner", "*"].includes(who) && !subject.startsWith("@"))
    .chain((base) => {
      const bend = fc.constantFrom(...(Object.keys(base) as (keyof typeof base)[]));
      return bend.chain((part) =>
        other(words, base[part]).map((text) => ({ base, part, bent: { ...base, [part]: text } })),
      );
    });
  holds(
    t,
    fc.property(bent, ({ base, part, bent: asked }) => {
      const identity = { domain: base.domain, account: base.account, pending: false };
      const held = grant({ agent: base.who, subject: base.subject, pin: base.pin, identity, expose: true });
      const ask = (of: typeof base) => {
        const whose = { domain: of.domain, account: of.account };
        return request({ caller: agent(of.who), subject: of.subject, pin: of.pin, identity: whose });
      };
      assert.equal(decide([held], ask(base)).decision.kind, "granted");
      const { decision } = decide([held], ask(asked));
      assert.equal(decision.kind, "denied", part);
      if (decision.kind === "denied") assert.equal(decision.missing?.changedCode ?? false, part === "pin");
    }),
    "wrongly decided",
  );
});

test("deciding changes nothing but the account of a pending grant, and that only once", (t) => {
  holds(
    t,
    fc.property(cases, ([held, request]) => {
      const { decision, after } = decide(held, request);
      const changed = after.filter((grant, i) => grant !== held[i]);
      assert.equal(after.length, held.length);
      if (changed.length === 0) return;
      assert.equal(changed.length, 1);
      const [settled] = changed;
      assert.ok(settled !== undefined && decision.kind === "granted" && decision.id === settled.id);
      const before = held.find(({ id }) => id === settled.id);
      assert.ok(before?.identity?.pending);
      const account = request.identity?.account;
      assert.deepEqual(settled, { ...before, identity: { ...before.identity, account, pending: false } });
      const again = decide(after, request);
      assert.deepEqual([again.decision, again.after], [decision, after]);
    }),
    "wrongly settled",
  );
});
