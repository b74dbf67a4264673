import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { hostMatches, parseHostPattern } from "../../cookies/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { createPolicy, NO_POLICY, PolicyFile, type PolicyDocument } from "../index.ts";

const surface = { kind: "surface", name: "sidecar" } as const;
const verdicts = (
  document: Partial<PolicyDocument>,
  hosts: string[],
  to: { kind: "surface" | "peer"; name: string } = surface,
) => {
  const policy = createPolicy({ ...NO_POLICY, ...document }, hostMatches);
  return hosts.map((domain) => policy.allows({ domain }, to).ok);
};

test("patterns match whole labels, any public suffix, or all", () => {
  const table: [pattern: string, host: string, matches: boolean][] = [
    ["bank.com", "bank.com", true],
    ["bank.com", "www.bank.com", true],
    ["bank.com", "xbank.com", false],
    ["bank.com", "bank.com.evil.org", false],
    ["*.bank.com", "bank.com", false],
    ["*.bank.com", "a.bank.com", true],
    ["airbnb.*", "airbnb.co.uk", true],
    ["airbnb.*", "www.airbnb.com", true],
    ["airbnb.*", "airbnb.evil.com", false],
    ["airbnb.*", "notairbnb.com", false],
    ["0.1", "127.0.0.1", false],
    ["*", "anything.example", true],
  ];
  for (const [pattern, host, matches] of table)
    assert.equal(hostMatches(parseHostPattern(pattern), host), matches, `${pattern} ${host}`);
  for (const text of ["", "a b", "a*b.com", "*.x.*", "a/b", "a.b.*", "..", "*.*"])
    assert.throws(() => parseHostPattern(text), DeputyError, text);
  assert.equal(parseHostPattern(" .BÜCHER.example "), "xn--bcher-kva.example");
});

test("a blocklist lets all else pass, an allowlist nothing else; the longer pattern decides", () => {
  assert.deepEqual(verdicts({ block: ["bank.com"] }, ["bank.com", "www.bank.com", "shop.com"]), [
    false,
    false,
    true,
  ]);
  assert.deepEqual(verdicts({ block: ["bank.com"], allow: ["www.bank.com"] }, ["bank.com", "www.bank.com"]), [
    false,
    true,
  ]);
  assert.deepEqual(verdicts({ mode: "allowlist", allow: ["shop.com"] }, ["shop.com", "bank.com"]), [
    true,
    false,
  ]);
  assert.deepEqual(verdicts({ block: ["a.com"], allow: ["a.com"] }, ["a.com"]), [false]);
});

test("a peer's rules add to the general ones", () => {
  const peers = { phone: { mode: "allowlist", allow: ["shop.com", "bank.com"], block: [] } } as const;
  const phone = { kind: "peer", name: "phone" } as const;
  assert.deepEqual(verdicts({ block: ["bank.com"], peers }, ["shop.com", "bank.com", "other.com"], phone), [
    true,
    false,
    false,
  ]);
  assert.deepEqual(verdicts({ peers }, ["other.com"], { kind: "peer", name: "laptop" }), [true]);
});

test("a policy that cannot be read lets nothing move, and says why", () => {
  using folder = temporaryFolder("policy");
  const path = join(folder.path, "policy.yaml");
  const file = new PolicyFile({ path, matches: hostMatches, parsePattern: parseHostPattern });
  assert.equal(file.policy().allows({ domain: "a.com" }, surface).ok, true);
  for (const text of ["mode: [", "mode: everything", "block: [a*b]", "blokc: [a.com]", "", "5"]) {
    writeFileSync(path, text);
    const verdict = file.policy().allows({ domain: "a.com" }, surface);
    assert.match(verdict.ok ? "" : verdict.reason, /nothing moves/, text);
  }
});

test("the owner blocks and allows by pattern, in a private file", () => {
  using folder = temporaryFolder("policy");
  const path = join(folder.path, "policy.yaml");
  const file = new PolicyFile({ path, matches: hostMatches, parsePattern: parseHostPattern });
  file.set("block", "Bank.com");
  assert.equal(file.policy().allows({ domain: "www.bank.com" }, surface).ok, false);
  file.set("allow", "bank.com");
  assert.equal(file.policy().allows({ domain: "www.bank.com" }, surface).ok, true);
  assert.equal(file.policy().allows({ domain: "shop.com" }, surface).ok, true);
  file.set("allow", "bank.com", true);
  assert.equal(file.policy().allows({ domain: "shop.com" }, surface).ok, false);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.match(readFileSync(path, "utf8"), /mode: allowlist/);
});
