/** What code may ask of the engine beside requests: programs, the keychain, and where its files are. */
import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TestRunner } from "../../../test/support/test-runner.ts";

let all: TestRunner;
const noJail = () => (all.jail.level === "full" ? false : `there is no jail here: ${all.jail.reason ?? ""}`);

before(async () => {
  all = await TestRunner.open([]);
  all.skill("tools", {
    "skill.yaml": `
id: tools
name: Tools
description: Asks for things
connections:
  local: { vars: { cache: ~/.cache/none-such, depth: 3, note: "~ is no path" }, sqlite: ~/none-such.db }
operations:
  where: { description: w, returns: { out: json }, typescript: { module: ./t.ts, function: where } }
  sleep: { description: s, returns: { out: json }, typescript: { module: ./t.ts, function: sleep } }
  read:
    description: r
    returns: { out: json }
    params: { service: string }
    typescript: { module: ./t.ts, function: read }
`,
    "t.ts": `
import type { Run } from "deputize/skill";
export function where({ connection }: Run) { return { out: connection }; }
export async function sleep({ shell }: Run) {
  return { out: await shell.run("sleep", ["30"], { timeoutMs: 300 }) };
}
export async function read({ params, keychain }: Run) {
  return { out: Buffer.from(await keychain.read(params.service)).toString() };
}
`,
  });
});
after(() => all[Symbol.asyncDispose]());

test("A connection's files reach code under the names they have on the machine", async (t) => {
  if (noJail()) return t.skip(String(noJail()));
  const { out } = (await all.run("tools", "where")).data as { out: Record<string, any> };
  assert.deepEqual(out["vars"], {
    cache: join(homedir(), ".cache/none-such"),
    depth: 3,
    note: "~ is no path",
  });
  assert.equal(out["sqlite"], join(homedir(), "none-such.db"));
  return undefined;
});

test("A program code starts ends when the code's patience does", async (t) => {
  if (noJail()) return t.skip(String(noJail()));
  await all.grant("tools", null, { allow: ["binary:sleep", "binary:keychain"] });
  await assert.rejects(all.run("tools", "sleep"), { code: "TIMEOUT", message: /sleep took too long/ });
  return undefined;
});

test("Code reads the keychain with the owner's word, and Deputy's own entries never", async (t) => {
  if (noJail()) return t.skip(String(noJail()));
  await all.grant("tools", null, { allow: ["binary:sleep"] });
  await assert.rejects(all.run("tools", "read", { service: "Other" }), {
    code: "DENIED",
    message: /keychain/,
  });
  await all.grant("tools", null, { allow: ["binary:keychain"] });
  for (const service of ["deputy", " Deputy ", "deputy-surface", "ｄeputy", ""])
    await assert.rejects(all.run("tools", "read", { service }), {
      code: "DENIED",
      message: /what Deputy keeps in the keychain is not for skills/,
    });
  // Whatever this machine's keychain says, it was asked.
  await assert.rejects(
    all.run("tools", "read", { service: "none-such-7d1e" }),
    (error: Error & { code?: string }) => ["NOT_FOUND", "UNSUPPORTED"].includes(error.code ?? ""),
  );
  return undefined;
});
