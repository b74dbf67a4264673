import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeputyError } from "../kernel/index.ts";
import { parseInput } from "./inputs.ts";

const CANARY = "canary-given-as-an-input";

function refusal(work: () => unknown): DeputyError {
  try {
    work();
  } catch (error) {
    return error as DeputyError;
  }
  return assert.fail("it was taken");
}

test("What is wrong with an input is said with what would be right, and never what it was", () => {
  const name = refusal(() => parseInput("session.save", { session: "s", name: `${CANARY} ${CANARY}` }));
  assert.equal(name.code, "BAD_INPUT");
  assert.match(name.message, /session\.save: name \(invalid_format\)/);
  assert.equal(name.hint, "name: letters, digits and . _ - @, at most 64.");
  const kind = refusal(() => parseInput("vault.rekey", { key: CANARY }));
  assert.match(kind.hint ?? "", /keyring.*passphrase.*file/);
  const unknown = refusal(() => parseInput("engine.status", { [CANARY]: CANARY }));
  assert.match(unknown.hint ?? "", /another version/);
  for (const error of [name, kind, unknown])
    assert.doesNotMatch(`${error.message} ${error.hint}`, new RegExp(CANARY));
});
