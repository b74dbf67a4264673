import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { selfSignedCertificate } from "../../test/support/certificate.ts";
import { http1Server, tlsServer } from "../../test/support/http-servers.ts";
import { get, testHttp, testLease } from "../../test/support/test-lease.ts";
import { readText } from "./index.ts";

const identity = (identifier: string) => ({ domain: "bank.test", identifier });

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; waited < 3000 && !condition(); waited += 10) await delay(10);
  assert.ok(condition());
}

test("one identity keeps its connection, another gets its own", async () => {
  await using server = await http1Server((_, response) => response.end("ok"));
  await using http = testHttp(["app.bank.test"]);
  const base = `http://app.bank.test:${server.port}`;
  for (let i = 0; i < 5; i++)
    await readText(await http.send(testLease({ base, identity: identity("ann") }), get("/")));
  assert.equal(server.connections(), 1);
  await readText(await http.send(testLease({ base, identity: identity("bob") }), get("/")));
  assert.equal(server.connections(), 2);
  await readText(await http.send(testLease({ base, identity: null, jar: null }), get("/")));
  assert.equal(server.connections(), 3);
});

test("a TLS ticket of one identity is never used by another", async () => {
  const certificate = selfSignedCertificate(["app.bank.test"]);
  // Each answer ends its connection, so that every request must shake hands again.
  await using server = await tlsServer(certificate, (_, response) => {
    response.setHeader("connection", "close");
    response.end("ok");
  });
  await using http = testHttp(["app.bank.test"], { cert: certificate.cert });
  const base = `https://app.bank.test:${server.port}`;
  const visit = async (identifier: string) => {
    const lease = testLease({ base, identity: identity(identifier) });
    await readText(await http.send(lease, get("/", { http2: false })));
    await until(() => server.open() === 0);
  };
  for (const who of ["ann", "ann", "bob", "bob", "ann", "carol"]) await visit(who);
  assert.deepEqual(server.resumed(), [false, true, false, true, true, false]);
});

test("HTTP/2 connections are not shared between identities either", async () => {
  const certificate = selfSignedCertificate(["app.bank.test"]);
  await using server = await tlsServer(certificate, (request, response) => response.end(request.httpVersion));
  await using http = testHttp(["app.bank.test"], { cert: certificate.cert });
  const base = `https://app.bank.test:${server.port}`;
  const leases = ["ann", "bob"].map((who) => testLease({ base, identity: identity(who) }));
  for (let round = 0; round < 3; round++)
    for (const lease of leases) assert.equal(await readText(await http.send(lease, get("/"))), "2.0");
  assert.equal(server.connections(), 2);
  assert.deepEqual(server.resumed(), [false, false]);
});

test("dropping an identity closes its connections and nobody else's, and lets what is on its way arrive", async () => {
  await using server = await http1Server((request, response) => {
    response.write("a");
    setTimeout(() => response.end("b"), request.url === "/slow" ? 150 : 0);
  });
  await using http = testHttp(["app.bank.test"]);
  const base = `http://app.bank.test:${server.port}`;
  const [ann, bob] = ["ann", "bob"].map((who) => testLease({ base, identity: identity(who) }));
  await readText(await http.send(bob!, get("/")));
  const slow = await http.send(ann!, get("/slow"));
  await http.pool.drop(identity("ann"));
  assert.equal(await readText(slow), "ab");
  await until(() => server.open() === 1);
  await readText(await http.send(bob!, get("/")));
  assert.equal(server.connections(), 2);
  await readText(await http.send(ann!, get("/")));
  assert.equal(server.connections(), 3);
});

test("the least recently used transport goes when there are too many", async () => {
  await using server = await http1Server((_, response) => response.end("ok"));
  await using http = testHttp(["app.bank.test"], { poolOptions: { size: 3 } });
  const base = `http://app.bank.test:${server.port}`;
  const visit = async (who: string) =>
    readText(await http.send(testLease({ base, identity: identity(who) }), get("/")));
  for (const who of ["a", "b", "c", "a", "d"]) await visit(who);
  assert.equal(http.pool.size, 3);
  await until(() => server.open() === 3);
  await visit("a");
  assert.equal(server.connections(), 4, "a was used lately and stayed");
  await visit("b");
  assert.equal(server.connections(), 5, "b went");
  await http.pool[Symbol.asyncDispose]();
  await until(() => server.open() === 0);
});

test("proxies and roots of whoever started the process change nothing", async () => {
  let proxied = 0;
  const proxy = createServer((socket) => {
    proxied += 1;
    socket.destroy();
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  const address = proxy.address();
  const at = typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
  const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
  const before = Object.fromEntries([...names, "SSL_CERT_FILE"].map((name) => [name, process.env[name]]));
  const certificate = selfSignedCertificate(["app.bank.test"]);
  await using trusting = testHttp(["app.bank.test"], { cert: certificate.cert });
  await using plain = testHttp(["app.bank.test"]);
  await using server = await tlsServer(certificate, (_, response) => response.end("ok"));
  await using cleartext = await http1Server((_, response) => response.end("ok"));
  const lease = (base: string) => testLease({ base, mode: "api" });
  const [secure, open] = [`https://app.bank.test:${server.port}`, `http://app.bank.test:${cleartext.port}`];
  try {
    for (const name of names) process.env[name] = at;
    assert.equal(await readText(await plain.send(lease(open), get("/"))), "ok");
    assert.equal(await readText(await trusting.send(lease(secure), get("/"))), "ok");
    assert.equal(process.env["HTTP_PROXY"], at, "and they are put back");
    process.env["SSL_CERT_FILE"] = trusting.roots;
    await assert.rejects(plain.send(lease(secure), get("/")), { code: "TLS_FAILED" });
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await new Promise((done) => proxy.close(done));
  }
  assert.equal(proxied, 0);
});
