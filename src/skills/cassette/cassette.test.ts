import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { http1Server, type LoopbackServer } from "../../../test/support/http-servers.ts";
import { TestLender } from "../../../test/support/test-lender.ts";
import type { Connection, Lender, Loan } from "../../auth/index.ts";
import { readText } from "../../http/index.ts";
import { readCassette, writeCassette } from "./cassette.ts";
import { recordingLender } from "./record.ts";
import { replayingLender } from "./replay.ts";
import { Tape } from "./tape.ts";

const NOW = "2026-01-01T00:00:00.000Z";
let server: LoopbackServer;
let desk: TestLender;
let count = 0;
let keyed: Connection;
let cookied: Connection;

before(async () => {
  server = await http1Server((request, response) => {
    count += 1;
    if (request.url === "/refused") response.statusCode = 401;
    if (request.url === "/login") response.setHeader("set-cookie", "sid=canary-new-session-9f8e; Path=/");
    response.setHeader("x-next", "7");
    response.end(
      JSON.stringify({ count, session: "canary-new-session-9f8e", key: request.headers["x-key"] }),
    );
  });
  desk = new TestLender(["api.shop.test"]);
  const base_url = `http://api.shop.test:${server.port}`;
  keyed = await desk.connection({ base_url, auth: { type: "api_key", header: { "x-key": ".auth.key" } } });
  cookied = await desk.connection({
    base_url,
    mode: "fetch",
    auth: { type: "cookies", domain: ".shop.test" },
  });
  desk.store("shop.test", "joe", "api_key", { key: "canary-key-1a2b3c4d", region: "eu-central-1" });
});
after(async () => {
  await desk[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const get = (loan: Loan, url: string) => loan.send({ method: "GET", url, headers: [] });
const text = async (loan: Loan, url: string) => readText(await get(loan, url));

test("The same request again is answered as it was then, in turn, and at last for ever the same", async () => {
  const tape = new Tape();
  const recorded = await recordingLender(desk.lender, tape).use({ connection: keyed }, async (loan) => [
    await text(loan, "/a"),
    await text(loan, "/a"),
  ]);
  const { operations } = readCassette(
    writeCassette({ format: 1, skill: "shop", operations: { a: tape.recording(NOW) } }),
    "cassette.json",
  );
  const { a } = operations;
  assert.ok(a);
  assert.deepEqual(a.logins, { api: ["key", "region"] });
  const replayed = await replayingLender(a).use({ connection: keyed }, async (loan) => {
    assert.deepEqual(await loan.auth(), { key: "stand-in-for-key", region: "stand-in-for-region" });
    const headers = (await get(loan, "/a")).headers;
    assert.ok(headers.some(([name, value]) => name === "x-next" && value === "7"));
    return [await text(loan, "/a"), await text(loan, "/a")];
  });
  assert.equal(JSON.parse(replayed[0] ?? "").count, JSON.parse(recorded[1] ?? "").count);
  assert.equal(replayed[1], replayed[0]);
  assert.doesNotMatch(JSON.stringify(a), /canary-key/);
});

test("What a login was tried with that the service refused is not part of the recording", async () => {
  const twice: Lender = {
    ...desk.lender,
    async use(borrow, work) {
      await work(await desk.lender.lend(borrow)).catch(() => undefined);
      return work(await desk.lender.lend(borrow));
    },
  };
  const tape = new Tape();
  let tries = 0;
  await recordingLender(twice, tape).use({ connection: keyed }, async (loan) => {
    tries += 1;
    await text(loan, tries === 1 ? "/refused" : "/fine");
    if (tries === 1) throw new Error("refused");
  });
  const urls = tape.recording(NOW).exchanges.map(({ request }) => new URL(request.url).pathname);
  assert.deepEqual(urls, ["/fine"]);
});

test("A login under way is recorded without the session it leads to, though the service said it aloud", async () => {
  const tape = new Tape();
  await using loan = recordingLender(desk.lender, tape).tryOut(cookied, []);
  assert.match(await text(loan, "/login"), /canary-new-session/);
  assert.equal(loan.login.cookies.length, 1);
  const recording = tape.recording(NOW);
  assert.doesNotMatch(JSON.stringify(recording), /canary-new/);
  await using replayed = replayingLender(recording).tryOut(cookied, []);
  assert.match(await text(replayed, "/login"), /"session":"\[redacted\]"/);
  await assert.rejects(text(replayed, "/logout"), { code: "NOT_FOUND" });
});

test("Who was nobody then is nobody again", async () => {
  const open = { ...keyed, optional: true, domain: "nobody.test" };
  const tape = new Tape();
  await recordingLender(desk.lender, tape).use({ connection: open }, (loan) => text(loan, "/open"));
  const recording = tape.recording(NOW);
  assert.deepEqual(recording.logins, { api: null });
  const loan = await replayingLender(recording).lend({ connection: open });
  assert.deepEqual([loan.identity, await loan.auth()], [null, {}]);
});
