import assert from "node:assert/strict";
import { test } from "node:test";
import { http1Server } from "../../test/support/http-servers.ts";
import { get, testHttp, testLease } from "../../test/support/test-lease.ts";
import { readText } from "./index.ts";

test("a relative URL is joined with base_url before the jar is asked", async () => {
  await using server = await http1Server((request, response) => {
    response.setHeader("set-cookie", "session=rotated; Path=/");
    response.end(`${request.url} ${request.headers.cookie}`);
  });
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}/v1` });
  lease.jar?.set("session=first; Path=/", `http://app.bank.test:${server.port}/`);
  assert.equal(await readText(await http.send(lease, get("/keys?a=1"))), "/v1/keys?a=1 session=first");
  assert.equal(await readText(await http.send(lease, get("/keys"))), "/v1/keys session=rotated");
});
