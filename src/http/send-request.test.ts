import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { selfSignedCertificate } from "../../test/support/certificate.ts";
import { http1Server, recordingServer, tlsServer } from "../../test/support/http-servers.ts";
import { get, jarWith, testHttp, testLease } from "../../test/support/test-lease.ts";
import { type Hop, type InResponse, readJson, readText } from "./index.ts";

const text = (response: InResponse) => readText(response);

/** Answers with the Cookie header it got, and sets what the path asks for. */
function cookieServer() {
  return http1Server((request, response) => {
    const set = new URL(request.url ?? "/", "http://x/").searchParams.getAll("set");
    if (set.length > 0) response.setHeader("set-cookie", set);
    response.end(request.headers.cookie ?? "none");
  });
}

const setting = (...headers: string[]) => `/?${headers.map((h) => `set=${encodeURIComponent(h)}`).join("&")}`;

test("a relative URL is joined with base_url before the jar is asked", async () => {
  await using server = await http1Server((request, response) =>
    response.end(`${request.url} ${request.headers.cookie}`),
  );
  await using http = testHttp(["app.bank.test"]);
  const base = `http://app.bank.test:${server.port}`;
  const lease = testLease({ base: `${base}/v1`, jar: jarWith(base, "session=1; Path=/") });
  assert.equal(await text(await http.send(lease, get("/keys?a=1"))), "/v1/keys?a=1 session=1");
  assert.equal(await text(await http.send(lease, get("keys"))), "/v1/keys session=1");
  assert.equal(await text(await http.send(lease, get(`${base}/keys`))), "/keys session=1");
});

test("a cookie set by one response is sent with the next request of the same call, and told at once", async () => {
  await using server = await cookieServer();
  await using http = testHttp(["app.bank.test"]);
  const base = `http://app.bank.test:${server.port}`;
  const lease = testLease({ base, jar: jarWith(base, "session=first; Path=/") });
  await http.send(lease, get(setting("session=second; Path=/")));
  assert.deepEqual(
    lease.told.map((change) => change.kind === "set" && change.cookie.value),
    ["second"],
  );
  assert.equal(await text(await http.send(lease, get("/"))), "session=second");
  assert.equal(lease.told.length, 1, "an answer that changes nothing tells nothing");
});

test("a deletion is a change of its own, and takes only the cookie it names", async () => {
  await using server = await cookieServer();
  await using http = testHttp(["app.bank.test"]);
  const base = `http://app.bank.test:${server.port}`;
  const jar = jarWith(base, "a=host; Path=/", "a=domain; Path=/; Domain=bank.test");
  const lease = testLease({ base, jar });
  assert.equal(await text(await http.send(lease, get("/"))), "a=host; a=domain");
  await http.send(lease, get(setting("a=; Path=/; Max-Age=0; Domain=bank.test")));
  assert.equal(await text(await http.send(lease, get("/"))), "a=host");
  const [change] = lease.told;
  assert.ok(change?.kind === "delete" && !change.hostOnly && change.domain === "bank.test");
});

test("Set-Cookie headers stay apart, commas and all", async () => {
  await using server = await cookieServer();
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}` });
  await http.send(lease, get(setting("a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT", "b=2,3", "c=4")));
  assert.equal(await text(await http.send(lease, get("/"))), "a=1; b=2,3; c=4");
});

test("cookies for other hosts, other sites and public suffixes never enter the jar", async () => {
  await using server = await cookieServer();
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}` });
  const foreign = [
    "a=1; Domain=evil.test",
    "b=2; Domain=test",
    "c=3; Domain=www.bank.test",
    "__Host-d=4",
    "e=5; Secure",
  ];
  await http.send(lease, get(setting(...foreign)));
  assert.deepEqual(lease.jar?.all(), []);
  assert.deepEqual(lease.told, []);
});

test("a third party's Set-Cookie never reaches the identity, even from a host the lease lists", async () => {
  await using server = await cookieServer();
  await using http = testHttp(["app.bank.test", "tracker.test"]);
  const lease = testLease({
    base: `http://app.bank.test:${server.port}`,
    egress: { domain: "bank.test", hosts: [`http://tracker.test:${server.port}`] },
  });
  await http.send(lease, get(`http://tracker.test:${server.port}${setting("t=1")}`));
  assert.deepEqual(lease.jar?.all(), []);
  assert.deepEqual(lease.told, []);
});

test("api mode and jar: none send no cookie and keep none", async () => {
  await using server = await cookieServer();
  await using http = testHttp(["app.bank.test"]);
  const base = `http://app.bank.test:${server.port}`;
  const jar = jarWith(base, "session=1; Path=/");
  for (const [lease, more] of [
    [testLease({ base, jar, mode: "api" }), {}],
    [testLease({ base, jar }), { mode: "api" }],
    [testLease({ base, jar }), { jar: "none" }],
  ] as const) {
    assert.equal(await text(await http.send(lease, get(setting("new=1"), more))), "none");
    assert.deepEqual(lease.told, []);
  }
  const asked = testLease({ base, jar, mode: "api" });
  assert.equal(await text(await http.send(asked, get("/", { mode: "fetch" }))), "session=1");
});

test("skipCookies leaves the named cookies at home and keeps them", async () => {
  await using server = await cookieServer();
  await using http = testHttp(["app.bank.test"]);
  const base = `http://app.bank.test:${server.port}`;
  const lease = testLease({ base, jar: jarWith(base, "session=1", "csd-key=2", "csm-hit=3") });
  const request = get("/", { skipCookies: ["csd-key", "csm-hit"] });
  assert.equal(await text(await http.send(lease, request)), "session=1");
  assert.equal(lease.jar?.all().length, 3);
});

test("an answer that breaks off, stalls or is given up after its headers leaves the rotated session", async () => {
  await using server = await http1Server((request, response) => {
    response.setHeader("set-cookie", ["session=rotated; Path=/", "shared=new; Path=/; Domain=app.bank.test"]);
    // Of a known length, the transport reads all of it before it shows the headers.
    if (request.url?.startsWith("/known") === true) response.setHeader("content-length", 100);
    response.write("the beginning");
    if (request.url?.endsWith("/broken") === true) setTimeout(() => response.destroy(), 20);
  });
  await using http = testHttp(["app.bank.test"]);
  const base = `http://app.bank.test:${server.port}`;
  for (const path of ["/known/broken", "/chunked/broken", "/known/stalled", "/chunked/stalled"]) {
    const jar = jarWith(base, "session=first; Path=/", "shared=old; Path=/; Domain=app.bank.test");
    const lease = testLease({ base, jar });
    const code = path.endsWith("broken") ? "NETWORK_FAILED" : "TIMEOUT";
    await assert.rejects(http.send(lease, get(path, { timeoutMs: 200 })).then(text), { code }, path);
    const now = jar.all().map(({ name, value, hostOnly }) => `${name}=${value} ${hostOnly}`);
    assert.deepEqual(now.sort(), ["session=rotated true", "shared=new false"], path);
    assert.equal(lease.told.length, 2, path);
    const given = testLease({ base, jar: jarWith(base, "session=first; Path=/") });
    await assert.rejects(http.send(given, get(path), AbortSignal.timeout(100)).then(text), {
      name: "DeputyError",
    });
    assert.match(given.jar?.header(base) ?? "", /session=rotated/, path);
  }
});

test("a response has no Set-Cookie, and names the cookies the transport could not read", async () => {
  const head = "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=\xc3\xa9; Path=/\r\nX-Kept: yes\r\n";
  await using server = await recordingServer(() => `${head}Content-Length: 2\r\n\r\nok`);
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}` });
  const response = await http.send(lease, get("/"));
  assert.deepEqual(response.unreadCookies, ["b"]);
  assert.ok(!response.headers.some(([name]) => name === "set-cookie"));
  assert.ok(response.headers.some(([name]) => name === "x-kept"));
  assert.deepEqual(
    lease.jar?.all().map(({ name }) => name),
    ["a"],
  );
});

test("the credential is applied to base_url's origin, in headers, query and body", async () => {
  await using server = await http1Server((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.end(
        JSON.stringify([request.url, request.headers["x-api-key"], Buffer.concat(chunks).toString()]),
      );
    });
  });
  await using http = testHttp(["app.bank.test"]);
  const apply = (hop: Hop): Hop => {
    const url = new URL(hop.url);
    url.searchParams.set("key", "canary-http-key");
    return {
      ...hop,
      url,
      headers: [...hop.headers, ["x-api-key", "canary-http-key"]],
      body: Buffer.from(`${Buffer.from(hop.body ?? []).toString()}&key=canary-http-key`),
    };
  };
  const lease = testLease({
    base: `http://app.bank.test:${server.port}`,
    mode: "api",
    jar: null,
    credential: { apply },
  });
  const sent = await http.send(lease, { ...get("/search"), method: "POST", body: Buffer.from("q=1") });
  assert.deepEqual(await readJson(sent), [
    "/search?key=canary-http-key",
    "canary-http-key",
    "q=1&key=canary-http-key",
  ]);
});

test("HTTP/2 or HTTP/1.1 by choice, over TLS that proves who answers", async () => {
  const certificate = selfSignedCertificate(["app.bank.test"]);
  await using server = await tlsServer(certificate, (request, response) => response.end(request.httpVersion));
  await using http = testHttp(["app.bank.test", "www.bank.test"], { cert: certificate.cert });
  const base = `https://app.bank.test:${server.port}`;
  assert.equal(await text(await http.send(testLease({ base }), get("/"))), "2.0");
  assert.equal(await text(await http.send(testLease({ base }), get("/", { http2: false }))), "1.1");
  const wrongName = get(`https://www.bank.test:${server.port}/`);
  await assert.rejects(http.send(testLease({ base }), wrongName), { code: "TLS_FAILED" });
  await using untrusting = testHttp(["app.bank.test"]);
  await assert.rejects(untrusting.send(testLease({ base }), get("/")), { code: "TLS_FAILED" });
});

test("what cannot be sent is refused before anything is", async () => {
  let requests = 0;
  await using server = await http1Server((_, response) => {
    requests += 1;
    response.end();
  });
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}` });
  const header = (name: string, value: string) => get("/", { headers: [[name, value]] });
  for (const request of [
    header("x-a", "1\r\nx-injected: 1"),
    header("x-a", "1\n"),
    header("x-a", "\0"),
    header("x-a\r\n", "1"),
    header("x a", "1"),
    header("", "1"),
    header("Host", "evil.test"),
    header("Content-Length", "0"),
    header("Transfer-Encoding", "chunked"),
    header("Connection", "upgrade"),
    header("Proxy-Authorization", "x"),
    header(":authority", "evil.test"),
    get("/a b"),
    get("/a\r\nHost: evil.test"),
    get("\\\\evil.test/"),
    { ...get("/"), method: "CONNECT" },
    { ...get("/"), method: "trace" },
    { ...get("/"), method: "GET / HTTP/1.1\r\n" },
    { ...get("/"), method: "" },
    { ...get("/"), body: Buffer.from("x") },
    get("/", { timeoutMs: 0 }),
    get("/", { timeoutMs: Number.NaN }),
    get("/", { maxBytes: -1 }),
    get("/", { maxBytes: Number.NaN }),
  ])
    await assert.rejects(http.send(lease, request), { name: "DeputyError", code: "BAD_INPUT" });
  await assert.rejects(http.send(testLease({}), get("/relative")), { code: "BAD_INPUT" });
  assert.equal(requests, 0);
});

test("no error names the query, the credential or the body", async () => {
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: "http://app.bank.test:1" });
  const error: unknown = await http
    .send(lease, get("/path?token=canary-http-query"))
    .catch((e: unknown) => e);
  assert.ok(error instanceof Error);
  assert.equal((error as { code?: string }).code, "NETWORK_FAILED");
  assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /canary/);
});

test("a session that rotates with every answer stays signed in for 1,000 calls", async () => {
  let current = 0;
  await using server = await http1Server((request, response) => {
    const valid = request.headers.cookie === `session=${current}`;
    if (valid) current += 1;
    response.writeHead(valid ? 200 : 401, valid ? { "set-cookie": `session=${current}; Path=/` } : {}).end();
  });
  await using http = testHttp(["app.bank.test"]);
  const base = `http://app.bank.test:${server.port}`;
  const lease = testLease({ base, jar: jarWith(base, "session=0; Path=/") });
  for (let call = 0; call < 1000; call++) assert.equal((await http.send(lease, get("/"))).status, 200);
  assert.equal(lease.told.length, 1000);
});

test("two calls at once each tell their own changes, cookie by cookie", async () => {
  await using server = await cookieServer();
  await using http = testHttp(["app.bank.test"]);
  const base = `http://app.bank.test:${server.port}`;
  const leases = ["a", "b"].map(() => testLease({ base, jar: jarWith(base, "session=1; Path=/") }));
  await Promise.all(leases.map((lease, i) => http.send(lease, get(setting(`call${i}=1; Path=/`)))));
  assert.deepEqual(
    leases.map(({ told }) => told.map((change) => change.kind === "set" && change.cookie.name)),
    [["call0"], ["call1"]],
  );
});
