import assert from "node:assert/strict";
import { test } from "node:test";
import { createCheck } from "./check-expressions.ts";
import { Evaluator } from "./evaluator.ts";
import { defaultLimits } from "./limits.ts";

const limits = { ...defaultLimits, milliseconds: 10_000 };

/** An evaluator that counts. */
class Counting extends Evaluator {
  count = 0;

  override evaluate(...given: Parameters<Evaluator["evaluate"]>): ReturnType<Evaluator["evaluate"]> {
    this.count += 1;
    return super.evaluate(...given);
  }
}

const asked = (text: string) => [{ text, additions: "" }];

test("What is asked in one turn is one evaluation, and one that is wrong costs only itself", async () => {
  await using evaluator = new Counting(limits);
  const check = createCheck(evaluator, limits);
  const good = await Promise.all(Array.from({ length: 50 }, (_, at) => check(asked(`.a${at} | length # ?`))));
  assert.ok(good.flat().every((problem) => problem === undefined));
  assert.equal(evaluator.count, 1);

  const [first, wrong, last] = await Promise.all([
    check(asked(". + 1")),
    check([...asked("."), ...asked("nosuch(1)"), ...asked("[.[]]")]),
    check(asked("def f: 1; f")),
  ]);
  assert.deepEqual([first, last], [[undefined], [undefined]]);
  assert.deepEqual(wrong, [undefined, { code: "BAD_INPUT", reason: "nosuch/1 is not defined" }, undefined]);
  assert.deepEqual(await check([]), []);
  assert.equal((await check(asked("")))[0]?.code, "BAD_INPUT");
});

test("Long ones are not put together beyond what one evaluation may take", async () => {
  await using evaluator = new Counting(limits);
  const check = createCheck(evaluator, limits);
  const long = `"${"x".repeat(10_000)}"`;
  const all = await Promise.all(Array.from({ length: 12 }, () => check(asked(long))));
  assert.ok(all.flat().every((problem) => problem === undefined));
  assert.equal(evaluator.count, 12);
  const [problem] = await check(asked(`"${"x".repeat(60_000)}"`));
  assert.equal(problem?.code, "TOO_LARGE");
});

test("A stopped evaluator is an error for everybody who asked", async () => {
  const evaluator = new Counting(limits);
  const check = createCheck(evaluator, limits);
  await evaluator[Symbol.asyncDispose]();
  const answers = await Promise.allSettled([check(asked(".")), check(asked(".a"))]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    ["rejected", "rejected"],
  );
});
