/** A service that gives a new session with every answer and refuses the one before: the hardest login to share. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { selfSignedCertificate } from "../../test/support/certificate.ts";
import { tlsServer } from "../../test/support/http-servers.ts";
import { TestLender } from "../../test/support/test-lender.ts";
import { parseCookie } from "../cookies/index.ts";
import { readText } from "../http/index.ts";

async function rotatingSite(account: string) {
  const certificate = selfSignedCertificate(["bank.test"]);
  let current = randomBytes(12).toString("hex");
  let refusals = 0;
  const server = await tlsServer(certificate, (request, response) => {
    const sent = /(?:^|; )token=([0-9a-f]+)/.exec(request.headers.cookie ?? "")?.[1];
    if (sent !== current) {
      refusals += 1;
      response.statusCode = 401;
      return response.end();
    }
    current = randomBytes(12).toString("hex");
    response.setHeader("set-cookie", `token=${current}; Path=/; Secure; HttpOnly; Max-Age=3600`);
    return response.end(account);
  });
  return {
    base_url: `https://bank.test:${server.port}`,
    cert: certificate.cert,
    current: () => current,
    refusals: () => refusals,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function desk(site: Awaited<ReturnType<typeof rotatingSite>>) {
  const all = new TestLender(["bank.test"], { cert: site.cert });
  const cookie = parseCookie({
    name: "token",
    value: site.current(),
    domain: "bank.test",
    hostOnly: true,
    secure: true,
  });
  all.store("bank.test", "ada", "cookies", { cookies: [cookie], gone: [] });
  const connection = await all.connection({
    base_url: site.base_url,
    mode: "browser",
    auth: { type: "cookies" },
  });
  const call = async () => {
    const loan = await all.lender.lend({ connection });
    const response = await loan.send({ method: "GET", url: "/", headers: [] });
    return `${response.status} ${await readText(response)}`;
  };
  return { all, call };
}

test("A thousand calls one after the other stay logged in", async () => {
  await using site = await rotatingSite("ada");
  const { all, call } = await desk(site);
  await using _all = all;
  for (let i = 0; i < 1000; i++) assert.equal(await call(), "200 ada", `call ${i}`);
  assert.equal(site.refusals(), 0);
  const { cookies } = all.stored("bank.test", "ada", "cookies");
  assert.deepEqual(
    [cookies.length, cookies[0].value],
    [1, site.current()],
    "the newest, and nothing beside it",
  );
});

test("Fifty calls at once end logged in, and so does the fifty-first", async () => {
  await using site = await rotatingSite("ada");
  const { all, call } = await desk(site);
  await using _all = all;
  const answers = await Promise.all(Array.from({ length: 50 }, call));
  assert.deepEqual(new Set(answers), new Set(["200 ada"]));
  assert.equal(await call(), "200 ada");
  assert.equal(all.stored("bank.test", "ada", "cookies").cookies[0].value, site.current());
});
