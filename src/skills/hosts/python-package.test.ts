import assert from "node:assert/strict";
import { after, test } from "node:test";
import { hostPool, noPython, runSkill } from "../../../test/support/skill-host.ts";

const skip = noPython;
const pool = hostPool({ size: 1 });
after(() => pool[Symbol.asyncDispose]());

const py = (source: string) => runSkill(pool, { "skill.py": source }, "go");

test("a name of another engine's package fails where it is used, and not before", { skip }, async () => {
  const { value } = await py(`
from agentos import http, services, browser_session, account, app_error, shapes, canonicalize_datetime, identity
from agentos.results import app_result
import agentos.crypto as crypto
@account.check
def go():
    key = crypto.pbkdf2("peanuts", "saltysalt", 1, 16)
    assert bytes.fromhex(key) == bytes(key) and key.hex() == key
    try:
        services.call("x")
    except Exception as error:
        return [str(error), app_error("no", code=1), canonicalize_datetime("2026-01-02"), shapes.Book is dict]
`);
  assert.deepEqual(value, [
    "agentos.services.call is not there in Deputy",
    { __result__: { error: "no", code: 1 } },
    "2026-01-02",
    true,
  ]);
});

test("packages of the system's own Python are there to be read, and to be read only", { skip }, async () => {
  const { value } = await py(`
def go():
    import os, sysconfig
    folder = sysconfig.get_paths()["purelib"]
    here = os.path.isdir(folder)
    try:
        open(os.path.join(folder, "canary.py"), "w")
        wrote = True
    except OSError:
        wrote = False
    return [here, wrote]
`);
  assert.equal(value[1], false);
  assert.equal(typeof value[0], "boolean");
});
