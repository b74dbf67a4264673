import assert from "node:assert/strict";
import { test } from "node:test";
import { http1Server } from "../../test/support/http-servers.ts";
import { get, testHttp, testLease } from "../../test/support/test-lease.ts";
import { readJson, readText } from "./index.ts";
import { redirected } from "./redirect.ts";

/** Fetch standard, HTTP-redirect fetch: method, status, and what the next hop is; `body` says whether it is kept. */
const METHODS = [
  ["GET", 301, "GET", false],
  ["GET", 302, "GET", false],
  ["GET", 303, "GET", false],
  ["GET", 307, "GET", false],
  ["GET", 308, "GET", false],
  ["HEAD", 301, "HEAD", false],
  ["HEAD", 302, "HEAD", false],
  ["HEAD", 303, "HEAD", false],
  ["HEAD", 307, "HEAD", false],
  ["HEAD", 308, "HEAD", false],
  ["POST", 301, "GET", false],
  ["POST", 302, "GET", false],
  ["POST", 303, "GET", false],
  ["POST", 307, "POST", true],
  ["POST", 308, "POST", true],
  ["PUT", 301, "PUT", true],
  ["PUT", 302, "PUT", true],
  ["PUT", 303, "GET", false],
  ["PUT", 307, "PUT", true],
  ["PUT", 308, "PUT", true],
  ["PATCH", 302, "PATCH", true],
  ["PATCH", 303, "GET", false],
  ["DELETE", 301, "DELETE", true],
  ["DELETE", 303, "GET", false],
  ["DELETE", 307, "DELETE", true],
] as const;

test("methods and bodies change as the Fetch standard says", async () => {
  await using server = await http1Server((request, response) => {
    const status = Number(new URL(request.url ?? "/", "http://x/").searchParams.get("status"));
    if (status > 0) response.writeHead(status, { location: "/end" }).end();
    else {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { method, headers } = request;
        response.setHeader(
          "x-seen",
          JSON.stringify([method, Buffer.concat(chunks).toString(), headers["content-type"]]),
        );
        response.end();
      });
    }
  });
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}` });
  for (const [method, status, next, keeps] of METHODS) {
    const sent = method === "GET" || method === "HEAD" ? {} : { body: Buffer.from("data") };
    const headers = [["content-type", "text/plain"]] as const;
    const response = await http.send(lease, { ...get(`/?status=${status}`), method, headers, ...sent });
    const seen = response.headers.find(([name]) => name === "x-seen")?.[1] ?? "[]";
    const [seenMethod, body, type] = JSON.parse(seen) as (string | null)[];
    const rewritten = method !== next;
    assert.deepEqual(
      { seenMethod, body, type },
      { seenMethod: next, body: keeps ? "data" : "", type: rewritten ? null : "text/plain" },
      `${method} ${status}`,
    );
    assert.equal(new URL(response.url).pathname, "/end");
  }
});

test("each hop's cookies meet the jar with their own URL, and the next hop carries them", async () => {
  await using server = await http1Server((request, response) => {
    const host = request.headers.host?.split(":")[0];
    if (request.url === "/login") {
      response.setHeader("set-cookie", [
        "own=1",
        "shared=1; Domain=bank.test",
        "wrong=1; Domain=app.bank.test",
      ]);
      response.writeHead(302, { location: `http://app.bank.test:${server.port}/home` }).end();
    } else response.end(`${host} ${request.headers.cookie}`);
  });
  await using http = testHttp(["app.bank.test", "auth.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}` });
  const response = await http.send(lease, get(`http://auth.bank.test:${server.port}/login`));
  assert.equal(await readText(response), "app.bank.test shared=1");
  assert.deepEqual(
    lease.told.map((change) => change.kind === "set" && [change.cookie.name, change.cookie.domain]),
    [
      ["own", "auth.bank.test"],
      ["shared", "bank.test"],
    ],
  );
});

test("what a caller wrote for one origin does not reach the next", async () => {
  await using server = await http1Server((request, response) => {
    if (request.url === "/go") {
      response.writeHead(307, { location: `http://auth.bank.test:${server.port}/end` }).end();
    } else if (request.url === "/stay") response.writeHead(307, { location: "/end" }).end();
    else response.end(JSON.stringify(request.headers));
  });
  await using http = testHttp(["app.bank.test", "auth.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}`, mode: "api" });
  const headers = [
    ["Authorization", "Bearer canary-redirect"],
    ["Cookie", "mine=canary-redirect"],
    ["X-Other", "kept"],
  ] as const;
  const away = (await readJson(await http.send(lease, get("/go", { headers })))) as Record<string, string>;
  assert.deepEqual([away["authorization"], away["cookie"], away["x-other"]], [undefined, undefined, "kept"]);
  const here = (await readJson(await http.send(lease, get("/stay", { headers })))) as Record<string, string>;
  assert.deepEqual(
    [here["authorization"], here["cookie"]],
    ["Bearer canary-redirect", "mine=canary-redirect"],
  );
});

test("loops, places that are no URL and forbidden redirects have codes", async () => {
  let hops = 0;
  await using server = await http1Server((request, response) => {
    hops += 1;
    response.setHeader("set-cookie", "seen=1");
    const to = new URL(request.url ?? "/", "http://x/").searchParams.get("to") ?? request.url ?? "/";
    response.writeHead(302, { location: to }).end("moved");
  });
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}` });
  const to = (place: string) => get(`/?to=${encodeURIComponent(place)}`);
  await assert.rejects(http.send(lease, get("/loop")), { code: "PROTOCOL" });
  assert.equal(hops, 21, "the first request and 20 redirects");
  await assert.rejects(http.send(lease, to("http://[broken")), { code: "PROTOCOL" });
  for (const place of [
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:,x",
    "ftp://app.bank.test/",
    "about:blank",
  ])
    await assert.rejects(http.send(lease, to(place)), { code: "DENIED" }, place);
  await assert.rejects(http.send(lease, get("/x", { redirect: "error" })), { code: "PROTOCOL" });
  const manual = await http.send(lease, get("/x", { redirect: "manual" }));
  assert.deepEqual([manual.status, await readText(manual)], [302, "moved"]);
  assert.ok(lease.told.length > 0, "its cookies are kept all the same");
});

test("a 3xx without Location, and a 304, are answers", () => {
  const hop = {
    method: "GET",
    url: new URL("http://a.test/"),
    headers: [],
    body: undefined,
    site: "none",
  } as const;
  assert.equal(redirected(hop, { status: 302, headers: [] }), undefined);
  assert.equal(redirected(hop, { status: 304, headers: [["location", "/x"]] }), undefined);
  assert.equal(redirected(hop, { status: 300, headers: [["location", "/x"]] }), undefined);
  assert.equal(redirected(hop, { status: 301, headers: [["Location", "x#y"]] })?.url.href, "http://a.test/x");
});
