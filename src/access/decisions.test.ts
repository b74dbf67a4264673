import assert from "node:assert/strict";
import { test } from "node:test";
import { createDenialRing } from "../../test/support/denial-ring.ts";
import { agent, EVERY, FIRST, grant, memoryStore, NOW, request } from "../../test/support/grant-cases.ts";
import { createGrants, type Grant, type GrantRequest } from "./index.ts";

type Over = Partial<GrantRequest>;
/** Granted, or what the denial says; `changed`: other code was allowed; `never`: no grant could allow it. */
type Expected = "granted" | "changed" | "never" | RegExp;

const CLAUDE = agent("claude-code");
const NONE = /^No grant lets \S+ use/;
const OTHER_LOGIN = /^The grants for exa do not let \S+ use it/;
const DEV = { path: "/home/joe/exa" };
const CURL: Over = { subject: "@curl", pin: null, operation: "get" };
const curl = (over: Partial<Grant> = {}) =>
  grant({ subject: "@curl", pin: null, agent: "claude-code", ...over });
const exa = (account: string | null, domain = "exa.ai"): Over => ({ identity: { domain, account } });
const free = (over: Partial<Grant> = {}) => grant({ identity: null, ...over });
const bare = (needs: GrantRequest["needs"]): Over => ({ identity: null, needs });

const TABLE: [name: string, grants: Grant[], request: Over, expected: Expected][] = [
  ["nothing is granted by default", [], {}, NONE],
  ["to an agent neither", [], { caller: CLAUDE }, NONE],
  ["the very thing that was granted", [grant()], {}, "granted"],
  [
    "the owner may not run a skill as an identity without a grant",
    [],
    {},
    /^No grant lets you use exa as joe at exa\.ai\.$/,
  ],

  ["another skill", [grant({ subject: "mail" })], {}, NONE],
  ["a skill whose id begins like it", [grant({ subject: "exa2" })], {}, NONE],
  ["a skill whose id differs in case", [grant({ subject: "Exa" })], {}, NONE],

  ["the owner's grant is not an agent's", [grant()], { caller: CLAUDE }, NONE],
  ["an agent's grant is not the owner's", [grant({ agent: "claude-code" })], {}, NONE],
  ["an agent's own grant", [grant({ agent: "claude-code" })], { caller: CLAUDE }, "granted"],
  ["an agent's grant is not another's", [grant({ agent: "claude-code" })], { caller: agent("cursor") }, NONE],
  [
    "an agent whose name differs in case",
    [grant({ agent: "claude-code" })],
    { caller: agent("Claude-Code") },
    NONE,
  ],
  ["an agent whose name begins like it", [grant({ agent: "claude" })], { caller: CLAUDE }, NONE],
  ["whoever asks: an agent", [grant({ agent: "*" })], { caller: CLAUDE }, "granted"],
  ["whoever asks: the owner", [grant({ agent: "*" })], {}, "granted"],
  ["an agent that calls itself owner", [grant()], { caller: agent("owner") }, "never"],
  ["an agent that calls itself *", [grant({ agent: "claude-code" })], { caller: agent("*") }, "never"],
  ["an agent that calls itself *, where all may", [grant({ agent: "*" })], { caller: agent("*") }, "never"],
  ["an agent without a name", [grant({ agent: "claude-code" })], { caller: agent("") }, "never"],

  ["another account of the domain", [grant()], exa("ann"), OTHER_LOGIN],
  ["the same account of another domain", [grant()], exa("joe", "mail.com"), OTHER_LOGIN],
  [
    "a subdomain is another domain: identities are folded before",
    [grant()],
    exa("joe", "api.exa.ai"),
    OTHER_LOGIN,
  ],
  ["an account that is not known yet, where one was named", [grant()], exa(null), OTHER_LOGIN],
  ["an account called *", [grant()], exa("*"), OTHER_LOGIN],
  [
    "a grant for an account called * is for that one",
    [grant({ identity: { ...EVERY, account: "*" } })],
    exa("joe"),
    OTHER_LOGIN,
  ],
  ["every account: one", [grant({ identity: EVERY })], exa("joe"), "granted"],
  ["every account: another", [grant({ identity: EVERY })], exa("ann"), "granted"],
  ["every account: none known yet", [grant({ identity: EVERY })], exa(null), "granted"],
  ["every account of another domain", [grant({ identity: EVERY })], exa("joe", "mail.com"), OTHER_LOGIN],
  ["the first account: none known yet", [grant({ identity: FIRST })], exa(null), "granted"],
  ["the first account: it is known now", [grant({ identity: FIRST })], exa("joe"), "granted"],
  ["the first account at another domain", [grant({ identity: FIRST })], exa("joe", "mail.com"), OTHER_LOGIN],
  ["a grant without a login does not lend one", [free()], {}, OTHER_LOGIN],

  ["changed code", [grant({ pin: "sha256-b" })], {}, "changed"],
  ["changed code for an agent", [grant({ pin: "sha256-b", agent: "*" })], { caller: CLAUDE }, "changed"],
  ["changed code with a login that never was allowed", [grant({ pin: "sha256-b" })], exa("ann"), OTHER_LOGIN],
  ["changed code before the account is known", [grant({ pin: "sha256-b" })], exa(null), "changed"],
  [
    "an added skill that took a bundled one's id",
    [grant({ pin: "sha256-bundled" })],
    { pin: "sha256-added" },
    "changed",
  ],
  ["code under development where a hash was allowed", [grant()], { pin: DEV }, "changed"],
  ["a hash where a folder was allowed", [grant({ pin: DEV })], {}, "changed"],
  ["the folder that was allowed", [grant({ pin: DEV })], { pin: { ...DEV } }, "granted"],
  ["another folder", [grant({ pin: DEV })], { pin: { path: "/home/joe/exa2" } }, "changed"],
  ["a folder's path as a hash", [grant({ pin: DEV.path })], { pin: DEV }, "changed"],
  [
    "code under development is the owner's own",
    [grant({ pin: DEV, agent: "*" })],
    { pin: DEV, caller: CLAUDE },
    "never",
  ],
  ["a skill without code to point at", [grant({ pin: null })], { pin: null }, "never"],

  ["a grant that has not ended", [grant({ expires: NOW + 1 })], {}, "granted"],
  [
    "a grant that ends now",
    [grant({ expires: NOW })],
    {},
    /^The grant for exa ended on 2030-01-15 at 00:00 UTC\.$/,
  ],
  ["a grant that ended", [grant({ expires: NOW - 1 })], {}, /ended on 2030-01-14 at 23:59/],
  [
    "an ended grant beside one that holds",
    [grant({ expires: NOW - 1 }), grant({ id: "grant_2" })],
    {},
    "granted",
  ],
  ["an ended grant of changed code", [grant({ expires: NOW - 1, pin: "sha256-b" })], {}, /ended/],

  ["an operation that was named", [grant({ operations: ["search", "get"] })], {}, "granted"],
  ["an operation that was not", [grant({ operations: ["get"] })], {}, /does not cover its operation search/],
  ["an operation that begins like it", [grant({ operations: ["search_all"] })], {}, /does not cover/],
  ["no operation at all", [grant({ operations: [] })], {}, /does not cover/],

  ["read-only: reading", [grant({ readOnly: true })], {}, "granted"],
  [
    "read-only: writing",
    [grant({ readOnly: true })],
    { effect: "write" },
    /is read-only, and search changes something/,
  ],
  ["read-only: destroying", [grant({ readOnly: true })], { effect: "destructive" }, /is read-only/],
  ["not read-only: destroying", [grant()], { effect: "destructive" }, "granted"],
  [
    "read-only for all, writing for one operation",
    [grant({ readOnly: true }), grant({ operations: ["post"] })],
    { effect: "write", operation: "post" },
    "granted",
  ],
  [
    "read-only for all, writing for another operation",
    [grant({ readOnly: true }), grant({ operations: ["post"] })],
    { effect: "write" },
    /is read-only/,
  ],

  [
    "the credential itself, not allowed",
    [grant()],
    { needs: { expose: true } },
    /let it see the credential itself/,
  ],
  ["the credential itself, allowed", [grant({ expose: true })], { needs: { expose: true } }, "granted"],
  ["a program, not allowed", [grant()], { needs: { binaries: ["git"] } }, /let it start git/],
  ["a program, allowed", [grant({ allow: ["binary:git"] })], { needs: { binaries: ["git"] } }, "granted"],
  [
    "one program of two",
    [grant({ allow: ["binary:git"] })],
    { needs: { binaries: ["git", "jq"] } },
    /let it start jq\./,
  ],
  [
    "the network, not allowed",
    [grant({ allow: ["binary:git"] })],
    { needs: { network: true } },
    /the network/,
  ],
  ["the network, allowed", [grant({ allow: ["network"] })], { needs: { network: true } }, "granted"],
  [
    "a program called network",
    [grant({ allow: ["binary:network"] })],
    { needs: { network: true } },
    /the network/,
  ],
  ["a file, not allowed", [grant()], { needs: { paths: ["/data/a.db"] } }, /let it read \/data\/a\.db/],
  [
    "a file, allowed",
    [grant({ allow: ["path:/data/a.db"] })],
    { needs: { paths: ["/data/a.db"] } },
    "granted",
  ],
  [
    "a file in an allowed folder",
    [grant({ allow: ["path:/data"] })],
    { needs: { paths: ["/data/x/a.db"] } },
    "granted",
  ],
  [
    "a folder that begins like it",
    [grant({ allow: ["path:/data"] })],
    { needs: { paths: ["/data2/a.db"] } },
    /read/,
  ],
  ["the folder above", [grant({ allow: ["path:/data/x"] })], { needs: { paths: ["/data"] } }, /read/],
  [
    "a way out of the folder",
    [grant({ allow: ["path:/data"] })],
    { needs: { paths: ["/data/../etc/passwd"] } },
    /read/,
  ],
  [
    "a file named ..x in the folder",
    [grant({ allow: ["path:/data"] })],
    { needs: { paths: ["/data/..x"] } },
    "granted",
  ],
  ["a path from nowhere", [grant({ allow: ["path:/"] })], { needs: { paths: ["data"] } }, /read/],
  [
    "two halves are not a whole",
    [grant({ expose: true }), free({ allow: ["network"] })],
    { needs: { expose: true, network: true } },
    /the network/,
  ],
  [
    "any host while holding a login",
    [grant({ allow: ["hosts:any"] })],
    { needs: { anyHost: true } },
    "never",
  ],

  ["no login, no needs", [], bare({}), "granted"],
  ["no login, no needs, an agent", [], { ...bare({}), caller: CLAUDE }, "granted"],
  [
    "no login, needs that are none",
    [],
    bare({ binaries: [], paths: [], network: false, expose: false }),
    "granted",
  ],
  ["no login, code under development", [], { ...bare({}), pin: DEV }, "granted"],
  ["no login, code under development, an agent", [], { ...bare({}), pin: DEV, caller: CLAUDE }, "never"],
  ["no login, no code to point at", [], { ...bare({}), pin: null }, "never"],
  ["no login, a program", [], bare({ binaries: ["git"] }), NONE],
  ["no login, a program, allowed", [free({ allow: ["binary:git"] })], bare({ binaries: ["git"] }), "granted"],
  [
    "no login, a program allowed with one",
    [grant({ allow: ["binary:git"] })],
    bare({ binaries: ["git"] }),
    OTHER_LOGIN,
  ],
  [
    "no login, a program allowed to changed code",
    [free({ allow: ["binary:git"], pin: "sha256-b" })],
    bare({ binaries: ["git"] }),
    "changed",
  ],
  ["no login, any host", [], bare({ anyHost: true }), NONE],
  ["no login, any host, allowed", [free({ allow: ["hosts:any"] })], bare({ anyHost: true }), "granted"],
  [
    "no login, any host, only the network allowed",
    [free({ allow: ["network"] })],
    bare({ anyHost: true }),
    /reach any host/,
  ],

  ["a built-in for the owner", [], CURL, "granted"],
  ["a built-in for an agent", [], { ...CURL, caller: CLAUDE }, NONE],
  ["a built-in for an agent, allowed", [curl()], { ...CURL, caller: CLAUDE }, "granted"],
  ["a built-in for an agent, as another", [curl()], { ...CURL, ...exa("ann"), caller: CLAUDE }, /do not let/],
  [
    "a built-in for an agent, without a login",
    [curl()],
    { ...CURL, identity: null, caller: CLAUDE },
    /do not let/,
  ],
  [
    "a built-in for an agent, read-only",
    [curl({ readOnly: true })],
    { ...CURL, effect: "write", caller: CLAUDE },
    /read-only/,
  ],
  ["another built-in", [curl()], { ...CURL, subject: "@session", caller: CLAUDE }, NONE],
  ["a built-in that does not exist", [curl({ subject: "@vault" })], { ...CURL, subject: "@vault" }, "never"],
  ["code that calls itself a built-in", [], { ...CURL, pin: "sha256-a" }, "never"],
];

test(`a table of ${TABLE.length} decisions`, async (t) => {
  assert.ok(TABLE.length >= 60);
  assert.equal(new Set(TABLE.map(([name]) => name)).size, TABLE.length, "each is named");
  for (const [name, grants, over, expected] of TABLE) {
    await t.test(name, () => {
      const asked = request(over);
      const denials = createDenialRing();
      const decision = createGrants({
        store: memoryStore(grants),
        clock: { now: () => NOW },
        denials,
      }).decide(asked);
      assert.equal(denials.recent().length, decision.kind === "denied" ? 1 : 0);
      if (decision.kind === "granted") return assert.equal(expected, "granted");
      assert.notEqual(expected, "granted", decision.reason);
      assert.match(decision.reason, /^\S.*[^.]\.$/, "one sentence");
      assert.equal(decision.missing === null, expected === "never", decision.reason);
      if (decision.missing !== null) {
        const { agent: who, changedCode, ...what } = decision.missing;
        assert.equal(who, asked.caller.agent);
        assert.equal(changedCode, expected === "changed");
        const { subject, pin, identity, needs } = asked;
        assert.deepEqual(what, { subject, pin, identity, needs });
      }
      if (expected instanceof RegExp) assert.match(decision.reason, expected);
      return undefined;
    });
  }
});
