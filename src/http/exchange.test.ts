import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { selfSignedCertificate } from "../../test/support/certificate.ts";
import { type Handler, http1Server, tcpServer, tlsServer } from "../../test/support/http-servers.ts";
import { get, testHttp, testLease } from "../../test/support/test-lease.ts";
import { readBytes, readJson, readText } from "./index.ts";

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let waited = 0; waited < 3000 && !condition(); waited += 10) await delay(10);
  assert.ok(condition(), what);
}

const HELLO = "every encoding says the same, ".repeat(500);
const ENCODINGS = {
  identity: Buffer.from(HELLO),
  gzip: gzipSync(HELLO),
  br: brotliCompressSync(HELLO),
  deflate: deflateSync(HELLO),
  zstd: zstdCompressSync(HELLO),
};

test("gzip, br, deflate and zstd arrive as what they say, over HTTP/1.1 and HTTP/2", async () => {
  const certificate = selfSignedCertificate(["app.bank.test"]);
  const handler: Handler = (request, response) => {
    const name = (request.url ?? "/").slice(1) as keyof typeof ENCODINGS;
    if (name !== "identity") response.setHeader("content-encoding", name);
    response.end(ENCODINGS[name]);
  };
  await using plain = await http1Server(handler);
  await using secure = await tlsServer(certificate, handler);
  await using http = testHttp(["app.bank.test"], { cert: certificate.cert });
  for (const base of [`http://app.bank.test:${plain.port}`, `https://app.bank.test:${secure.port}`]) {
    for (const mode of ["browser", "fetch", "api"] as const) {
      for (const name of Object.keys(ENCODINGS)) {
        const response = await http.send(testLease({ base, mode }), get(`/${name}`));
        assert.equal(await readText(response), HELLO, `${base} ${mode} ${name}`);
        assert.ok(!response.headers.some(([header]) => header.toLowerCase() === "content-encoding"));
      }
    }
  }
});

test("a body arrives as it is sent, not when it ends", async () => {
  await using server = await http1Server((_, response) => {
    response.write("first");
    setTimeout(() => response.end("last"), 200);
  });
  await using http = testHttp(["app.bank.test"]);
  const response = await http.send(testLease({ base: `http://app.bank.test:${server.port}` }), get("/"));
  const start = performance.now();
  const seen: [string, number][] = [];
  for await (const chunk of response.body)
    seen.push([Buffer.from(chunk).toString(), performance.now() - start]);
  assert.deepEqual(
    seen.map(([text]) => text),
    ["first", "last"],
  );
  assert.ok(seen[1]![1] - seen[0]![1] > 100);
});

test("a caller that gives up ends the request, before the answer and within it", async () => {
  const certificate = selfSignedCertificate(["app.bank.test"]);
  let open = 0;
  const handler: Handler = (request, response) => {
    open += 1;
    response.on("close", () => (open -= 1));
    if (request.url === "/body") setInterval(() => response.write("."), 20).unref();
  };
  await using plain = await http1Server(handler);
  await using secure = await tlsServer(certificate, handler);
  await using http = testHttp(["app.bank.test"], { cert: certificate.cert });
  for (const base of [`http://app.bank.test:${plain.port}`, `https://app.bank.test:${secure.port}`]) {
    const lease = testLease({ base });
    await assert.rejects(http.send(lease, get("/"), AbortSignal.abort()), { code: "CANCELLED" });
    assert.equal(open, 0);

    const early = new AbortController();
    const sent = http.send(lease, get("/"), early.signal);
    setTimeout(() => early.abort(), 50);
    await assert.rejects(sent, { code: "CANCELLED" });
    await until(() => open === 0, "the request ended at the server");

    const late = new AbortController();
    const response = await http.send(lease, get("/body"), late.signal);
    setTimeout(() => late.abort(), 50);
    await assert.rejects(readText(response), { code: "CANCELLED" });
    await until(() => open === 0, "the body ended at the server");

    for await (const _ of (await http.send(lease, get("/body"))).body) break;
    await until(() => open === 0, "leaving the loop ends the transfer");
  }
});

test("a request that is given up before it begins leaves no failure that nobody waits for", async () => {
  const unwaited: unknown[] = [];
  const note = (reason: unknown) => void unwaited.push(reason);
  process.on("unhandledRejection", note);
  try {
    await using http = testHttp([], { resolveAddresses: () => Promise.reject(new Error("no such name")) });
    const lease = testLease({ identity: null, jar: null, egress: { domain: null, hosts: "any" } });
    for (const url of ["http://127.0.0.1/", "http://nowhere.test/"])
      await assert.rejects(http.send(lease, get(url), AbortSignal.abort()), { code: "CANCELLED" });
    await delay(10);
  } finally {
    process.off("unhandledRejection", note);
  }
  assert.deepEqual(unwaited, []);
});

test("time limits hold: for all of it, for silence, for connecting, and where nobody reads", async () => {
  let open = 0;
  await using server = await http1Server((request, response) => {
    open += 1;
    response.on("close", () => (open -= 1));
    if (request.url === "/drip") setInterval(() => response.write("."), 20).unref();
    if (request.url === "/body") response.write("begun");
  });
  await using mute = await tcpServer(() => undefined);
  await using http = testHttp(["app.bank.test"], {
    poolOptions: { limits: { idleMs: 200, connectMs: 200 } },
  });
  const lease = testLease({ base: `http://app.bank.test:${server.port}` });
  const timed = async (work: Promise<unknown>, least: number) => {
    const start = performance.now();
    await assert.rejects(work, { code: "TIMEOUT" });
    const took = performance.now() - start;
    assert.ok(took > least * 0.9 && took < least + 1500, `${took} ms`);
  };
  await timed(http.send(lease, get("/", { timeoutMs: 100 })), 100);
  await timed(http.send(lease, get("/")), 200);
  await timed(http.send(lease, get("/drip", { timeoutMs: 300 })).then(readText), 300);
  await timed(http.send(lease, get("/body")).then(readText), 200);
  const silent = testLease({ base: `https://app.bank.test:${mute.port}` });
  await timed(http.send(silent, get("/")), 200);
  await until(() => open === 0, "all of them ended at the server");

  await using patient = testHttp(["app.bank.test"]);
  await patient.send(lease, get("/body", { timeoutMs: 1000 }));
  await until(() => open === 0, "a body nobody reads is let go of");
});

test("an answer larger than allowed ends where the limit is, however small it was on the wire", async () => {
  const bomb = gzipSync(Buffer.alloc(128 * 1024 * 1024), { level: 1 });
  let open = 0;
  await using server = await http1Server((request, response) => {
    open += 1;
    response.on("close", () => (open -= 1));
    if (request.url === "/bomb") response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    else if (request.url === "/endless") {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", more);
      more();
    } else response.end(Buffer.alloc(1000));
  });
  await using http = testHttp(["app.bank.test"], { limits: { responseBytes: 2_000_000 } });
  const lease = testLease({ base: `http://app.bank.test:${server.port}` });
  const before = process.memoryUsage().rss;
  for (const path of ["/bomb", "/endless"])
    await assert.rejects(readBytes(await http.send(lease, get(path))), { code: "TOO_LARGE" });
  assert.ok(process.memoryUsage().rss - before < 64 * 1024 * 1024);
  await until(() => open === 0, "the transfers ended");
  await assert.rejects(readBytes(await http.send(lease, get("/", { maxBytes: 999 }))), { code: "TOO_LARGE" });
  await assert.rejects(readBytes(await http.send(lease, get("/")), 999), { code: "TOO_LARGE" });
  assert.equal((await readBytes(await http.send(lease, get("/", { maxBytes: 1000 })))).length, 1000);
  const generous = get("/bomb", { maxBytes: 1e12 });
  await assert.rejects(
    readBytes(await http.send(lease, generous)),
    { code: "TOO_LARGE" },
    "no request raises the limit",
  );
});

test("uploads go whole up to the limit and not at all beyond it", async () => {
  let received = 0;
  await using server = await http1Server((request, response) => {
    received = 0;
    request.on("data", (chunk: Buffer) => (received += chunk.length));
    request.on("end", () => response.end());
  });
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}` });
  const most = 16 * 1024 * 1024;
  const post = (bytes: number) =>
    http.send(lease, { ...get("/"), method: "POST", body: Buffer.alloc(bytes) });
  await readText(await post(most));
  assert.equal(received, most);
  received = -1;
  await assert.rejects(post(most + 1), { code: "TOO_LARGE" });
  assert.equal(received, -1);
});

test("HEAD, 204 and 304 are answers without a body, and what is not JSON has a code", async () => {
  await using server = await http1Server((request, response) => {
    const status = Number(request.url?.slice(1));
    if (status > 0) response.writeHead(status).end();
    else response.end("<html>canary-not-json</html>");
  });
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}` });
  for (const status of [204, 304, 404, 500]) {
    const response = await http.send(lease, get(`/${status}`));
    assert.deepEqual([response.status, await readText(response)], [status, ""]);
  }
  const head = await http.send(lease, { ...get("/"), method: "HEAD" });
  assert.deepEqual([head.status, await readText(head)], [200, ""]);
  await assert.rejects(readJson(await http.send(lease, get("/"))), (error: Error & { code?: string }) => {
    assert.doesNotMatch(String(error.stack) + String(error.cause), /canary/);
    return error.code === "PROTOCOL";
  });
});

test("what breaks on the way has a code", async () => {
  const answers = [
    "",
    "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
    "nonsense\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  ];
  for (const answer of answers) {
    await using server = await tcpServer((socket) => socket.once("data", () => socket.end(answer)));
    await using http = testHttp(["app.bank.test"]);
    const lease = testLease({ base: `http://app.bank.test:${server.port}` });
    await assert.rejects(http.send(lease, get("/")).then(readText), { code: "NETWORK_FAILED" }, answer);
  }
});
