import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { hostPool, noFullJail as skip, runSkill } from "../../../test/support/skill-host.ts";

const FILES = {
  "a.ts":
    "export async function go({ call, params }: any) { return { n: params.n, got: await call('x', {}) }; }",
};

test("No more runs than the pool's number have a host at once, and all come to their end", {
  skip,
}, async () => {
  await using pool = hostPool({ size: 0, atOnce: 2 });
  let now = 0;
  let most = 0;
  const call = async () => {
    most = Math.max(most, ++now);
    for (let i = 0; i < 20; i++) await turn();
    now--;
    return "done";
  };
  const runs = Array.from({ length: 6 }, (_, n) =>
    runSkill(pool, FILES, "go", { serve: { call }, context: { params: { n } } }),
  );
  for (const [n, run] of (await Promise.all(runs)).entries()) assert.deepEqual(run.value, { n, got: "done" });
  assert.ok(most <= 2, String(most));
});

test("A run that another one waits for has no need of a turn; one that is cancelled gives its place up", {
  skip,
}, async () => {
  await using pool = hostPool({ size: 0, atOnce: 1 });
  const cancelled = new AbortController();
  const first = await runSkill(pool, FILES, "go", {
    serve: {
      call: async () => {
        const waiting = runSkill(pool, FILES, "go", { signal: cancelled.signal });
        const inner = await runSkill(pool, FILES, "go", { urgent: true, context: { params: { n: 2 } } });
        cancelled.abort();
        await assert.rejects(waiting, { code: "CANCELLED" });
        return inner.value.n;
      },
    },
  });
  assert.equal(first.value.got, 2);
  assert.equal((await runSkill(pool, FILES, "go", { context: { params: { n: 3 } } })).value.n, 3);
});

test("A run whose tree has no request left is ended", { skip }, async () => {
  await using pool = hostPool({ size: 0 });
  const { outcome } = await runSkill(pool, FILES, "go", { spend: () => false });
  assert.equal(outcome.kind, "stopped");
});
