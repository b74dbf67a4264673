import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { createDenialRing } from "../../test/support/denial-ring.ts";
import { agent, memoryStore, NOW, request } from "../../test/support/grant-cases.ts";
import { coded } from "../../test/support/test-vault.ts";
import { createGrants, deniedError, type GrantRequest, parseAllowance, parseExpiry } from "./index.ts";

const MINUTE = 60_000;

test("parseExpiry takes times to come and dates, and nothing that could mean two things", () => {
  const right: [string, number][] = [
    ["1m", NOW + MINUTE],
    ["30m", NOW + 30 * MINUTE],
    ["12h", NOW + 720 * MINUTE],
    ["7d", NOW + 7 * 1440 * MINUTE],
    ["4w", NOW + 28 * 1440 * MINUTE],
    ["2030-12-31", Date.UTC(2030, 11, 31)],
    ["2032-02-29", Date.UTC(2032, 1, 29)],
    ["2030-12-31T12:30Z", Date.UTC(2030, 11, 31, 12, 30)],
    ["2030-12-31T12:30:05.5+02:00", Date.UTC(2030, 11, 31, 10, 30, 5, 500)],
  ];
  for (const [text, at] of right) assert.equal(parseExpiry(text, NOW), at, text);
  const wrong = [
    "7|d|7D|7 d|-7d|+7d|1.5h|7d |0x7d|1e3m|7s|7y|1d12h|٧d|0m|2030-2-3|2030-02-30|2031-02-29",
    "2030-13-01|2030-00-10|31.12.2030|12/31/2030|2030-12-31T12:30|2030-12-31T25:00Z",
    "2030-12-31 12:30Z|+002030-12-31|2020-01-01|2030-01-15|999999999w|tomorrow",
  ].flatMap((line) => ["", ...line.split("|")]);
  for (const text of wrong) assert.throws(() => parseExpiry(text, NOW), coded("BAD_INPUT"), text);
});

test("parseAllowance takes programs by name, whole paths and the two words", () => {
  const right: [string, string][] = [
    ["network", "network"],
    ["hosts:any", "hosts:any"],
    ["binary:git", "binary:git"],
    ["binary:g++", "binary:g++"],
    ["binary:python3.12", "binary:python3.12"],
    ["path:/data/a, b.db", "path:/data/a, b.db"],
    ["path:/data/../etc", "path:/etc"],
  ];
  for (const [text, parsed] of right) assert.equal(parseAllowance(text), parsed, text);
  const wrong = [
    "net|Network|network |hosts:exa.ai|hosts:|binary:|binary:/bin/sh|binary:../sh|binary:a b",
    "binary:-rf|binary:.hidden|binary:git\n|path:|path:data|path:~/data|path:/a\nb|path:/a\0b|expose",
  ].flatMap((line) => ["", ...line.split("|")]);
  for (const text of wrong) assert.throws(() => parseAllowance(text), coded("BAD_INPUT"), text);
});

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
