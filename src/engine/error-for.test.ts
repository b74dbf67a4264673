import assert from "node:assert/strict";
import { test } from "node:test";
import { type Caller, DeputyError } from "../kernel/index.ts";
import { errorFor } from "./error-for.ts";

const known = { instance: "instance_1", via: "cli" } as const;
const OWNER: Caller = { kind: "owner", agent: "owner", ...known };
const AGENT: Caller = { kind: "agent", agent: "codex", ...known };
const hintFor = (caller: Caller, hint: string) =>
  errorFor(caller, new DeputyError("LOGIN_NEEDED", "There is no login", { hint })).hint;

test("an agent is told to ask its owner where a hint names what only the owner may run", () => {
  for (const command of ["setup", "login exa", "grants add --skill exa", "vault unlock", "skills add x"]) {
    const hint = `Do it: deputy ${command}`;
    assert.equal(hintFor(AGENT, hint), `Ask your owner to do this in a terminal of their own. ${hint}`);
    assert.equal(hintFor(OWNER, hint), hint);
  }
});

test("what an agent may run, and what says already who runs it, stays", () => {
  for (const hint of [
    "See what there is: deputy vault list",
    "Did you mean exa?",
    "The owner can allow it in a terminal of their own: deputy grants add --skill exa",
  ])
    assert.equal(hintFor(AGENT, hint), hint);
});

test("what the error is stays with it", () => {
  const remedy = { grant: { skill: "exa" }, hosts: [], changed_code: false };
  const made = errorFor(AGENT, new DeputyError("DENIED", "No", { hint: "deputy grants add", remedy }));
  assert.deepEqual([made.code, made.message, made.remedy], ["DENIED", "No", remedy]);
});
