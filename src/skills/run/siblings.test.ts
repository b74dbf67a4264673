import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TestRunner } from "../../../test/support/test-runner.ts";
import type { DeputyError } from "../../kernel/index.ts";
import { createRunner, HostPool, type Runner } from "../index.ts";

/** How many runs were in the pool at once. */
class CountingPool extends HostPool {
  now = 0;
  most = 0;
  all = 0;

  override async run(...job: Parameters<HostPool["run"]>): ReturnType<HostPool["run"]> {
    this.now += 1;
    this.all += 1;
    this.most = Math.max(this.most, this.now);
    try {
      return await super.run(...job);
    } finally {
      this.now -= 1;
    }
  }
}

const YAML = `
id: tree
name: Tree
description: Calls itself
operations:
  fan: { description: f, returns: { leaves: integer }, effect: read, params: { wide: { type: integer }, deep: { type: integer } }, typescript: { module: ./tree.ts, function: fan } }
  ask: { description: a, returns: { n: integer }, effect: read, typescript: { module: ./tree.ts, function: ask } }
  many: { description: m, returns: { n: integer }, effect: read, typescript: { module: ./tree.ts, function: many } }
  logins: { description: l, returns: { cookies: json }, params: { domain: { type: string } }, typescript: { module: ./tree.ts, function: logins } }
  bypass: { description: b, returns: { out: json }, effect: read, typescript: { module: ./tree.ts, function: bypass } }
provides:
  - { auth: cookies, via: logins }
`;
const CODE = `
export async function fan({ call, params: { wide, deep } }) {
  if (deep === 0) return { leaves: 1 };
  const inner = await Promise.all(Array.from({ length: wide }, () => call("fan", { wide, deep: deep - 1 })));
  return { leaves: inner.reduce((sum, { leaves }) => sum + leaves, 0) };
}
export async function ask({ cache }) {
  for (let n = 0; n < 4000; n++) await cache.get("x");
  return { n: 4000 };
}
export async function many({ call }) {
  let n = 0;
  for (let run = 0; run < 3; run++) n += (await call("ask", {})).n;
  return { n };
}
export async function logins() { return { cookies: [{ name: "sid", value: "canary-of-the-other-app", domain: "x.test" }] }; }
export async function bypass({ call }) { return { out: await call("logins", { domain: "x.test" }) }; }
`;

let all: TestRunner;
let pool: CountingPool;
let runner: Runner;
const run = (operation: string, params: Record<string, unknown> = {}) =>
  runner.run({
    skill: "tree",
    operation,
    params,
    caller: { kind: "owner", agent: "owner", instance: "test", via: "cli" },
    signal: AbortSignal.timeout(60_000),
  });
const noJail = () => (all.jail.level === "full" ? false : `there is no jail here: ${all.jail.reason ?? ""}`);

before(async () => {
  all = await TestRunner.open([]);
  all.skill("tree", { "skill.yaml": YAML, "tree.ts": CODE });
  pool = new CountingPool({ jail: all.jail, node: process.execPath, size: 0 });
  runner = createRunner({ ...all.parts, hosts: async () => pool });
});
after(async () => {
  await pool[Symbol.asyncDispose]();
  await all[Symbol.asyncDispose]();
});

test("A tree of siblings has eight hosts at once, and the others wait", async (t) => {
  if (noJail()) return t.skip(String(noJail()));
  assert.deepEqual((await run("fan", { wide: 4, deep: 2 })).data, { leaves: 16 });
  assert.equal(pool.all, 21);
  assert.equal(pool.most, 8);
  assert.equal(pool.now, 0);
  return undefined;
});

test("Siblings that would wait for each other for ever are told so", async (t) => {
  if (noJail()) return t.skip(String(noJail()));
  await assert.rejects(run("fan", { wide: 10, deep: 3 }), { code: "TOO_LARGE" });
  assert.ok(pool.most <= 8, String(pool.most));
  assert.deepEqual(
    (await run("fan", { wide: 12, deep: 1 })).data,
    { leaves: 12 },
    "and nothing is left behind",
  );
  return undefined;
});

test("The requests of all siblings count together", async (t) => {
  if (noJail()) return t.skip(String(noJail()));
  await assert.rejects(run("many"), (error: DeputyError) => /requests/.test(error.message));
  return undefined;
});

test("What only supplies logins is refused to siblings as to everybody", async (t) => {
  await assert.rejects(run("logins", { domain: "x.test" }), { code: "DENIED" });
  if (noJail()) return t.skip(String(noJail()));
  await assert.rejects(run("bypass"), (error: DeputyError) => {
    assert.equal(error.code, "DENIED");
    return !JSON.stringify(error).includes("canary");
  });
  return undefined;
});
