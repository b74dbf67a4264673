import assert from "node:assert/strict";
import { test } from "node:test";
import { http1Server } from "../../test/support/http-servers.ts";
import { get, testHttp, testLease } from "../../test/support/test-lease.ts";
import { Jar } from "../cookies/index.ts";

test("A jar that is nobody's goes along to any host, and gives each site only its own", async () => {
  const seen: string[] = [];
  await using server = await http1Server((request, response) => {
    const host = (request.headers.host ?? "").split(":")[0] ?? "";
    seen.push(`${host} ${request.headers.cookie ?? "-"}`);
    response.setHeader("Set-Cookie", `from=${host}; Path=/`);
    response.end();
  });
  await using http = testHttp(["one.test", "two.test"]);
  const jar = new Jar({ cookies: [], now: () => Date.now() });
  const lease = testLease({
    identity: null,
    baseUrl: null,
    mode: "fetch",
    jar,
    passing: true,
    egress: { domain: null, hosts: "any" },
  });
  for (const host of ["one.test", "two.test", "one.test"])
    await http.send(lease, get(`http://${host}:${server.port}/`));
  assert.deepEqual(seen, ["one.test -", "two.test -", "one.test from=one.test"]);
  const { passing: _, ...kept } = lease;
  await assert.rejects(http.send(kept, get(`http://one.test:${server.port}/`)), TypeError);
});
