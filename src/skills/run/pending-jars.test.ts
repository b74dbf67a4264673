import assert from "node:assert/strict";
import { test } from "node:test";
import { AGENT, OWNER } from "../../../test/support/test-runner.ts";
import { TestLender } from "../../../test/support/test-lender.ts";
import { parseCookie } from "../../cookies/index.ts";
import { PendingJars } from "./pending-jars.ts";

async function open() {
  const clock = { at: Date.now(), now: () => clock.at };
  const desk = new TestLender([]);
  const connection = await desk.connection({ base_url: "https://www.shop.test", auth: { type: "cookies" } });
  const jars = new PendingJars(clock);
  const cookie = parseCookie({ name: "flow", value: "started", domain: "www.shop.test", hostOnly: true });
  return {
    clock,
    connection,
    async begin(caller = OWNER, cookies = [cookie]) {
      await using loan = desk.lender.tryOut(connection, cookies);
      jars.keep(caller, connection, loan);
    },
    async found(caller = OWNER) {
      await using loan = jars.lend(desk.lender, caller, connection);
      return loan.login.cookies.length;
    },
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
}

test("A login under way is kept for a quarter of an hour, for whoever began it", async () => {
  await using it = await open();
  await it.begin();
  it.clock.at += 15 * 60_000 - 1;
  assert.equal(await it.found(), 1);
  assert.equal(await it.found(AGENT), 0);
  it.clock.at += 1;
  assert.equal(await it.found(), 0);
});

test("Whoever begins more logins than are kept loses the oldest, and nobody is kept from beginning one", async () => {
  await using it = await open();
  const agent = (n: number) => ({ ...AGENT, instance: `i${n}` });
  for (let n = 0; n < 1001; n++) await it.begin(agent(n));
  assert.deepEqual(
    [await it.found(agent(0)), await it.found(agent(1)), await it.found(agent(1000))],
    [0, 1, 1],
  );
});
