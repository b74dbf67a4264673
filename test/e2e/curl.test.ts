/** deputy curl: a request as one identity, over real TLS, with what the service rotates taken back. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { EngineClient } from "../../src/engine/index.ts";
import { selfSignedCertificate } from "../support/certificate.ts";
import { TestHome } from "../support/deputy.ts";
import { http1Server, type LoopbackServer, tlsServer } from "../support/http-servers.ts";
import { noChromium, startChromium } from "../support/real-chromium.ts";

/** Who is signed in by which token. A rotating account gets a new token with every answer, and the old one is refused. */
const sessions = new Map<string, string>();
const seen: { url: string; cookie: string; method: string; body: string; type: string | undefined }[] = [];

function answer(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const cookie = request.headers.cookie ?? "";
    const url = request.url ?? "/";
    const type = request.headers["content-type"];
    seen.push({ url, cookie, method: request.method ?? "", body: Buffer.concat(chunks).toString(), type });
    if (url.startsWith("/login")) {
      const token = randomBytes(12).toString("hex");
      sessions.set(token, "ada");
      response.setHeader("set-cookie", `token=${token}; Path=/; Secure; HttpOnly; Max-Age=3600`);
      return response.end("welcome");
    }
    const token = /(?:^|; )token=([0-9a-f]+)/.exec(cookie)?.[1] ?? "";
    const user = sessions.get(token);
    if (user === undefined) {
      response.statusCode = 401;
      return response.end("not signed in");
    }
    if (user.startsWith("rotating")) {
      sessions.delete(token);
      const next = randomBytes(12).toString("hex");
      sessions.set(next, user);
      response.setHeader("set-cookie", `token=${next}; Path=/; Secure; HttpOnly; Max-Age=3600`);
    }
    if (url.startsWith("/away")) {
      response.statusCode = 302;
      response.setHeader("location", "https://evil.test/steal");
      return response.end();
    }
    return response.end(url.startsWith("/echo") ? `you sent ${cookie}` : `signed in as ${user}`);
  });
}

let site: LoopbackServer;
let home: TestHome;
const url = (path: string, host = "www.shop.test") => `https://${host}:${site.port}${path}`;

function signedIn(user: string): string {
  const token = randomBytes(12).toString("hex");
  sessions.set(token, user);
  return token;
}

before(async () => {
  const certificate = selfSignedCertificate(["www.shop.test", "other.test", "evil.test", "browser.test"]);
  site = await tlsServer(certificate, answer);
  home = new TestHome();
  const roots = join(home.root, "roots.pem");
  writeFileSync(roots, certificate.cert);
  mkdirSync(home.home, { recursive: true });
  const names = ["www.shop.test", "other.test", "evil.test", "browser.test"].map(
    (name) => `  ${name}: 127.0.0.1`,
  );
  writeFileSync(join(home.home, "config.yaml"), `roots: ${roots}\nresolve:\n${names.join("\n")}\n`);
  await home.ok(["setup", "--yes"]);
  await home.set("shop.test", "joe", "cookies", { cookies: `token=${signedIn("joe")}` });
});
after(async () => {
  await home[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

test("deputy curl sends the identity of the URL's domain and shows the body", async () => {
  const ran = await home.ok(["curl", url("/")]);
  assert.equal(ran.stdout, "signed in as joe");
  const full = (await home.ok(["curl", url("/"), "--json"])).json();
  assert.deepEqual([full.status, full.account, full.body], [200, "joe", "signed in as joe"]);
  assert.ok(full.headers.every(([name]: [string]) => name.toLowerCase() !== "set-cookie"));
  const shown = await home.ok(["curl", "-i", url("/")]);
  assert.match(shown.stdout, /^HTTP 200\n[\s\S]*\n\nsigned in as joe$/);
});

test("deputy curl sends data, methods and headers as curl does", async () => {
  await home.ok(["curl", url("/post"), "-d", "a=1", "-H", "X-One: 1"]);
  const form = seen.at(-1)!;
  assert.deepEqual([form.method, form.body, form.type], ["POST", "a=1", "application/x-www-form-urlencoded"]);
  await home.ok(["curl", url("/put"), "-X", "put", "-d", "@-", "-H", "Content-Type: text/plain"], {
    input: "from stdin",
  });
  const put = seen.at(-1)!;
  const both = await home.ok([
    "curl",
    "-H",
    "X-One: 1",
    "-H",
    "Content-Type: text/x",
    "-d",
    "b=2",
    url("/head"),
  ]);
  assert.match(both.stdout, /^signed in/);
  assert.deepEqual([seen.at(-1)!.url, seen.at(-1)!.type], ["/head", "text/x"]);
  assert.deepEqual([put.method, put.body, put.type], ["PUT", "from stdin", "text/plain"]);
});

test("a login echoed back by the service is masked", async () => {
  const { body } = (await home.ok(["curl", url("/echo"), "--json"])).json();
  const [token] = [...sessions].find(([, user]) => user === "joe")!;
  assert.match(body, /^you sent token=/);
  assert.ok(!body.includes(token));
});

test("a redirect to another site is not followed with the login", async () => {
  const before = seen.length;
  const ran = await home.run(["curl", url("/away"), "--json"]);
  assert.equal(ran.json().error.code, "DENIED");
  assert.equal(ran.status, 4);
  assert.ok(seen.slice(before).every((one) => one.url !== "/steal"));
});

test("without a login, deputy curl says where it looked and exits 3", async () => {
  const ran = await home.run(["curl", url("/", "other.test"), "--json"]);
  assert.deepEqual([ran.json().error.code, ran.status], ["LOGIN_NEEDED", 3]);
  assert.match(ran.json().error.hint, /deputy login other\.test/);
});

test("with two accounts and none named, deputy curl lists them; named, each is itself", async () => {
  await home.set("shop.test", "jane", "cookies", { cookies: `token=${signedIn("jane")}` });
  const ran = await home.run(["curl", url("/"), "--json"]);
  assert.deepEqual([ran.json().error.code, ran.status], ["BAD_USAGE", 2]);
  assert.match(ran.json().error.message, /jane, joe/);
  for (const account of ["joe", "jane"]) {
    assert.equal((await home.ok(["curl", url("/"), "--account", account])).stdout, `signed in as ${account}`);
  }
  await home.ok(["vault", "remove", "shop.test", "jane"]);
});

test("a session that rotates with every answer stays signed in: 30 calls at once, 100 one by one, 30 at once", async () => {
  await home.set("shop.test", "spinner", "cookies", { cookies: `token=${signedIn("rotating-spinner")}` });
  const client = (await EngineClient.connect(join(home.home, "run", "engine.sock"), "cli"))!;
  try {
    const call = () =>
      client
        .call("curl", { url: url("/"), method: "GET", headers: [], account: "spinner" })
        .then(({ status }) => status);
    const cold = await Promise.all(Array.from({ length: 30 }, call));
    assert.deepEqual(new Set(cold), new Set([200]), "nobody knew yet that it rotates");
    for (let i = 0; i < 100; i++) assert.equal(await call(), 200, `call ${i}`);
    const together = await Promise.all(Array.from({ length: 30 }, call));
    assert.deepEqual(new Set(together), new Set([200]));
  } finally {
    client[Symbol.dispose]();
  }
  await home.stopEngine();
  const after = await home.ok(["curl", url("/"), "--account", "spinner"]);
  assert.equal(after.stdout, "signed in as rotating-spinner", "what was rotated is in the vault");
  await home.ok(["vault", "remove", "shop.test", "spinner"]);
});

test("a login in a browser is found, used and kept in the vault under the name of its profile", {
  skip: noChromium,
}, async () => {
  const userData = join(home.root, ".config", "chromium");
  mkdirSync(userData, { recursive: true });
  {
    await using browser = await startChromium({ userData });
    await browser.visit(url("/login", "browser.test"));
  }
  const ran = (await home.ok(["curl", url("/", "browser.test"), "--json"])).json();
  assert.deepEqual([ran.body, ran.status], ["signed in as ada", 200]);
  assert.match(ran.account, /^@chromium\//);
  const again = (await home.ok(["curl", url("/", "browser.test"), "--json"])).json();
  assert.equal(again.provider, "cache");
  const kept = (await home.ok(["vault", "list", "--json"]))
    .json()
    .find((row: any) => row.domain === "browser.test");
  assert.equal(kept.identifier, ran.account);
});

test("a name that leads to this machine is refused unless config.yaml says so", async () => {
  await using server = await http1Server((_request, response) => void response.end("inside"));
  await home.set("localtest.test", "joe", "cookies", { cookies: "token=00" });
  const ran = await home.run(["curl", `http://localhost.localtest.test:${server.port}/`, "--json"]);
  assert.ok(["DENIED", "NETWORK_FAILED"].includes(ran.json().error.code), ran.stdout);
  assert.equal(server.connections(), 0);
});

test("doctor shows the overrides that are in force", async () => {
  const check = (await home.ok(["doctor", "--json"]))
    .json()
    .checks.find((one: any) => one.id === "overrides");
  assert.equal(check.status, "warn");
  assert.match(check.message, /www\.shop\.test is 127\.0\.0\.1/);
});

test("deputy curl refuses what it cannot send", async () => {
  for (const [args, code] of [
    [["ftp://www.shop.test/"], "BAD_INPUT"],
    [["www.shop.test"], "BAD_INPUT"],
    [[url("/"), "-H", "nonsense"], "BAD_USAGE"],
    [[url("/"), "-d", "@/no/such/file"], "NOT_FOUND"],
    [[url("/"), "-X", "G ET"], "BAD_INPUT"],
  ] as const) {
    const ran = await home.run(["curl", ...args, "--json"]);
    assert.equal(ran.json().error.code, code, args.join(" "));
  }
});
