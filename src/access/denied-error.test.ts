import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { createDenialRing } from "../../test/support/denial-ring.ts";
import { agent, memoryStore, NOW, request } from "../../test/support/grant-cases.ts";
import { createGrants, deniedError, type GrantRequest } from "./index.ts";

function hintFor(over: Partial<GrantRequest>): string | undefined {
  const grants = createGrants({
    store: memoryStore(),
    clock: { now: () => NOW },
    denials: createDenialRing(),
  });
  const decision = grants.decide(request(over));
  assert.equal(decision.kind, "denied");
  const error = deniedError(decision);
  assert.equal(error.code, "DENIED");
  return error.hint;
}

test("a denial's hint is the command that allows it", () => {
  assert.match(hintFor({})!, /^Allow it: deputy grants add --skill exa --identity exa\.ai\/joe$/);
  const needs = { expose: true, network: true, binaries: ["git"], paths: ["/data/a b"] };
  assert.match(
    hintFor({ caller: agent("claude-code"), identity: { domain: "exa.ai", account: null }, needs })!,
    /--identity exa\.ai --agent claude-code --expose --allow 'network,binary:git,path:\/data\/a b'$/,
  );
  assert.equal(hintFor({ needs: { anyHost: true } }), undefined, "no grant could allow it");
});

test("a hint stays one command, whatever an account or an agent is called", {
  skip: process.platform === "win32" && "asks a POSIX shell",
}, () => {
  for (const name of [
    "$(touch x)",
    "a b",
    "it's",
    "`id`",
    "a;b",
    "a&&b",
    'a"b',
    "a\\b",
    "*",
    "~",
    "#x",
    "a|b>c",
  ]) {
    const hint = hintFor({ caller: agent("cursor"), identity: { domain: "exa.ai", account: name } })!;
    const words = hint.slice(hint.indexOf("deputy "));
    const said = execFileSync("sh", ["-fc", `printf '%s\\0' ${words}`], { encoding: "utf8" }).split("\0");
    assert.deepEqual(said.slice(5, 9), ["--identity", `exa.ai/${name}`, "--agent", "cursor"]);
  }
});
