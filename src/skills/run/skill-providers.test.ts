import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { http1Server, type LoopbackServer } from "../../../test/support/http-servers.ts";
import type { DeputyError } from "../../kernel/index.ts";
import { TestRunner } from "../../../test/support/test-runner.ts";

const TOKEN = "canary-supplied-token-913";
const sent: { cookie: string | undefined; authorization: string | undefined }[] = [];
let server: LoopbackServer;
let all: TestRunner;

before(async () => {
  server = await http1Server((request, response) => {
    const { cookie, authorization } = request.headers;
    sent.push({ cookie, authorization });
    const known = cookie?.includes("sid=from-a-skill") === true || authorization === `Bearer ${TOKEN}`;
    response.statusCode = known ? 200 : 401;
    response.end(JSON.stringify({ known }));
  });
  all = await TestRunner.open(["www.mail.test"]);
  const base = `http://www.mail.test:${server.port}`;
  all.skill("reader", {
    "skill.yaml": `
id: reader
name: Reader
description: Reads mail
connections:
  site: { base_url: "${base}", mode: fetch, auth: { type: cookies, domain: .mail.test } }
  api: { base_url: "${base}", auth: { type: oauth, service: google, scopes: [mail] } }
operations:
  by_cookie: { description: a, connection: site, returns: { known: boolean }, rest: { url: / } }
  by_token: { description: b, connection: api, returns: { known: boolean }, rest: { url: / } }
`,
  });
  all.skill("other-app", {
    "skill.yaml": `
id: other-app
name: Another app
description: Has logins of its own
operations:
  cookie_get: { description: c, returns: { cookies: json }, params: { domain: { type: string, required: true } }, typescript: { module: ./app.ts, function: cookies } }
  credential_get: { description: d, returns: json, params: { service: { type: string }, scopes: { type: array } }, typescript: { module: ./app.ts, function: token } }
provides:
  - { auth: cookies, via: cookie_get }
  - { auth: oauth, service: google, via: credential_get, scopes: [mail, calendar] }
`,
    "app.ts": `
export async function cookies({ params }) {
  return { cookies: [{ name: "sid", value: "from-a-skill", domain: "." + params.domain, path: "/", created: Date.now() / 1000 }, { name: "x", value: "1", domain: "elsewhere.test" }], count: 2 };
}
export async function token({ params }) {
  if (params.service !== "google" || params.scopes[0] !== "mail") throw new Error("asked for something else");
  return { identifier: "joe@mail.test", value: { access_token: "${TOKEN}" } };
}
`,
  });
  await all.grant("reader", "mail.test");
});
after(async () => {
  await all[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

test("A skill nobody allowed to supplies nothing, for whatever domain", async () => {
  await assert.rejects(all.run("reader", "by_cookie"), (error: DeputyError) => {
    assert.equal(error.code, "LOGIN_NEEDED");
    return /other-app was not allowed to supply a login/.test(error.hint ?? "");
  });
  await assert.rejects(all.run("reader", "by_token"), { code: "LOGIN_NEEDED" });
  assert.deepEqual(all.desk.vault.keysOf("mail.test"), []);
  await all.grant("other-app", "other.test");
  await assert.rejects(all.run("reader", "by_token"), { code: "LOGIN_NEEDED" });
  await all.grant("other-app", "mail.test");
});

test("A skill that has cookies is asked like a browser, and only its answer for the domain counts", async (t) => {
  if (all.jail.level !== "full") return t.skip(`there is no jail here: ${all.jail.reason ?? ""}`);
  const done = await all.run("reader", "by_cookie");
  assert.deepEqual(
    [done.data, done.meta.provider, done.meta.account],
    [{ known: true }, "other-app", "@other-app"],
  );
  const { cookies } = all.desk.stored("mail.test", "@other-app", "cookies");
  assert.deepEqual(
    cookies.map(({ name }: { name: string }) => name),
    ["sid"],
  );
  return undefined;
});

test("A skill that has a token supplies it where the vault has none, under its own account", async (t) => {
  if (all.jail.level !== "full") return t.skip(`there is no jail here: ${all.jail.reason ?? ""}`);
  const done = await all.run("reader", "by_token");
  assert.deepEqual([done.data, done.meta.account], [{ known: true }, "joe@mail.test"]);
  assert.equal(all.desk.stored("mail.test", "joe@mail.test", "oauth").access_token, TOKEN);
  assert.ok(!JSON.stringify(done).includes(TOKEN));
  return undefined;
});

test("What supplies logins is run by the resolver and by nobody else", async () => {
  await assert.rejects(all.run("other-app", "cookie_get", { domain: "mail.test" }), { code: "DENIED" });
  await assert.rejects(all.run("other-app", "credential_get"), { code: "DENIED" });
});
