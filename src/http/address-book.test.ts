import assert from "node:assert/strict";
import { test } from "node:test";
import { http1Server } from "../../test/support/http-servers.ts";
import { get, testHttp, testLease } from "../../test/support/test-lease.ts";
import { systemClock } from "../kernel/index.ts";
import { createHttp, type Lease, readText, systemAddresses } from "./index.ts";
import type { TransportKey } from "./transport-pool.ts";

const openWeb = (): Lease =>
  testLease({ identity: null, jar: null, egress: { domain: null, hosts: "any" }, mode: "api" });

/** Every way to write this machine, its network and the cloud's metadata that a URL parser accepts. */
const CLOSED_HOSTS = [
  ..."127.0.0.1 127.1 127.0.1 0177.0.0.1 0x7f.1 0x7f000001 2130706433 017700000001 127.255.255.254".split(
    " ",
  ),
  ..."0 0.0.0.0 0x0 00 10.0.0.1 10.1 0xa000001 167772161 172.16.0.1 172.31.255.255 192.168.1.1 192.168.257".split(
    " ",
  ),
  ..."3232235777 169.254.169.254 0xa9fea9fe 2852039166 0251.0376.0251.0376 100.64.0.1 100.100.100.200".split(
    " ",
  ),
  ..."168.63.129.16 192.0.0.192 198.18.0.1 224.0.0.1 239.255.255.250 255.255.255.255 240.0.0.1".split(" "),
  ..."[::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:10.0.0.1] [::127.0.0.1]".split(
    " ",
  ),
  ..."[64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::1] [2002:7f00:1::] [2002:c0a8:101::1] [2001::1]".split(
    " ",
  ),
  ..."[fe80::1] [fc00::1] [fd00:ec2::254] [ff02::1] [fec0::1] [100::1] [2001:db8::1] [3fff::1]".split(" "),
  ..."①②⑦.⓪.⓪.① １２７.０.０.１ 127。0。0。1".split(" "),
];

test("no spelling of a closed address is contacted, directly or by a redirect", async () => {
  let asked = 0;
  await using server = await http1Server((_, response) => {
    asked += 1;
    response.end();
  });
  await using http = testHttp(["start.test"]);
  await using from = await http1Server((request, response) => {
    const to = new URL(request.url ?? "/", "http://x/").searchParams.get("to") ?? "";
    response.writeHead(302, { location: to }).end();
  });
  for (const host of CLOSED_HOSTS) {
    const url = `http://${host}:${server.port}/`;
    assert.ok(URL.canParse(url), url);
    await assert.rejects(http.send(openWeb(), get(url)), { code: "DENIED" }, url);
    // A header cannot carry these as they are.
    if (/[^ -~]/.test(host)) continue;
    const redirect = `http://start.test:${from.port}/?to=${encodeURIComponent(url)}`;
    await assert.rejects(http.send(openWeb(), get(redirect)), { code: "DENIED" }, `redirect to ${url}`);
  }
  assert.equal(asked, 0);
});

test("a name that leads to a closed address is not contacted, whatever else it leads to", async () => {
  await using server = await http1Server((_, response) => response.end());
  for (const addresses of [
    ["127.0.0.1"],
    ["::1"],
    ["10.0.0.1"],
    ["169.254.169.254"],
    ["::ffff:127.0.0.1"],
    ["64:ff9b::7f00:1"],
    ["fe80::1%lo"],
    ["93.184.216.34", "127.0.0.1"],
    ["2606:4700:4700::1111", "fd00::1"],
    ["not an address"],
  ]) {
    await using http = testHttp([], { resolveAddresses: async () => addresses });
    for (const host of ["rebind.test", "localtest.me", "localhost"])
      await assert.rejects(http.send(openWeb(), get(`http://${host}:${server.port}/`)), { code: "DENIED" });
  }
  assert.equal(server.connections(), 0);
});

test("the checked addresses are the ones connected to: the name is not asked again (rebinding)", async () => {
  const answers = [["93.184.216.34"], ["127.0.0.1"]];
  let asked = 0;
  const lent: TransportKey[] = [];
  const pool = {
    lend: (key: TransportKey) => {
      lent.push(key);
      return Promise.reject(new Error("no network in this test"));
    },
  };
  let now = 0;
  const http = createHttp({
    pool,
    clock: { now: () => now },
    resolveAddresses: async () => answers[asked++] ?? [],
  });
  await assert.rejects(http.send(openWeb(), get("http://rebind.test/")), /no network/);
  await assert.rejects(http.send(openWeb(), get("http://rebind.test/")), /no network/);
  assert.equal(asked, 1, "an answer holds for a while");
  assert.deepEqual(
    lent.map(({ host, addresses }) => [host, addresses]),
    [
      ["rebind.test", ["93.184.216.34"]],
      ["rebind.test", ["93.184.216.34"]],
    ],
  );
  now += 60_000;
  await assert.rejects(http.send(openWeb(), get("http://rebind.test/")), { code: "DENIED" });
  assert.equal(lent.length, 2);
});

test("loopback is contacted where base_url itself names it, and only there", async () => {
  await using server = await http1Server((_, response) => response.end("here"));
  const addresses: Record<string, string[]> = { localhost: ["127.0.0.1"], "intranet.test": ["127.0.0.1"] };
  await using http = testHttp([], { resolveAddresses: async (host) => addresses[host] ?? [] });
  const at = (host: string) => `http://${host}:${server.port}`;
  for (const host of ["127.0.0.1", "localhost"]) {
    const lease = testLease({ base: at(host), egress: { domain: host, hosts: [] } });
    assert.equal(await readText(await http.send(lease, get("/"))), "here");
  }
  const named = testLease({ base: at("intranet.test"), egress: { domain: "intranet.test", hosts: [] } });
  await assert.rejects(http.send(named, get("/")), { code: "DENIED" }, "a name could lead anywhere tomorrow");
  const listed = testLease({
    base: at("app.bank.test"),
    egress: { domain: "bank.test", hosts: [at("127.0.0.1"), at("localhost")] },
  });
  await assert.rejects(http.send(listed, get(`${at("127.0.0.1")}/`)), { code: "DENIED" });
  await assert.rejects(http.send(listed, get(`${at("localhost")}/`)), { code: "DENIED" });
  const tricked = testLease({ base: at("localhost"), egress: { domain: "localhost", hosts: [] } });
  addresses["localhost"] = ["169.254.169.254"];
  await using later = testHttp([], { resolveAddresses: async (host) => addresses[host] ?? [] });
  await assert.rejects(later.send(tricked, get("/")), { code: "DENIED" }, "localhost is this machine only");
});

test("names below localhost are localhost, without asking DNS, and no name that only looks like one is", async () => {
  assert.deepEqual(await systemAddresses("a.shop.localhost"), await systemAddresses("localhost"));
  await using server = await http1Server((request, response) => response.end(request.headers.host));
  await using http = testHttp(["start.test"], { resolveAddresses: systemAddresses });
  const at = (host: string) => `http://${host}:${server.port}`;
  for (const host of ["shop.localhost", "a.shop.localhost"]) {
    const lease = testLease({ base: at(host), egress: { domain: "shop.localhost", hosts: [] } });
    assert.equal(await readText(await http.send(lease, get("/"))), `${host}:${server.port}`);
  }
  const before = server.connections();
  await using from = await http1Server((_, response) =>
    response.writeHead(302, { location: `${at("shop.localhost")}/` }).end(),
  );
  const start = get(`http://start.test:${from.port}/`);
  await assert.rejects(http.send(openWeb(), start), { code: "DENIED" }, "a redirect from a public host");
  await assert.rejects(http.send(openWeb(), get(`${at("shop.localhost")}/`)), { code: "DENIED" });
  const listed = testLease({
    base: at("app.bank.test"),
    egress: { domain: "bank.test", hosts: [at("shop.localhost")] },
  });
  await assert.rejects(http.send(listed, get(`${at("shop.localhost")}/`)), { code: "DENIED" });
  const sibling = testLease({
    base: at("shop.localhost"),
    egress: { domain: "shop.localhost", hosts: [at("other.localhost")] },
  });
  await assert.rejects(http.send(sibling, get(`${at("other.localhost")}/`)), { code: "DENIED" });
  await using tricked = testHttp([], { resolveAddresses: async () => ["127.0.0.1"] });
  for (const host of ["localhost.evil.com", "evil-localhost", "shop.localhost.com"]) {
    const lease = testLease({ base: at(host), egress: { domain: host, hosts: [] } });
    await assert.rejects(tricked.send(lease, get("/")), { code: "DENIED" }, host);
  }
  assert.equal(server.connections(), before);
});

test("on the open web only the web's ports are contacted", async () => {
  const lent: string[] = [];
  const pool = {
    lend: ({ host }: TransportKey) => {
      lent.push(host);
      return Promise.reject(new Error("no network in this test"));
    },
  };
  const http = createHttp({ pool, clock: systemClock, resolveAddresses: async () => ["93.184.216.34"] });
  for (const port of [22, 25, 53, 110, 143, 389, 445, 587, 993])
    await assert.rejects(http.send(openWeb(), get(`http://mail.test:${port}/`)), { code: "DENIED" });
  assert.deepEqual(lent, []);
  for (const url of ["http://web.test/", "https://web.test/", "https://web.test:8443/"])
    await assert.rejects(http.send(openWeb(), get(url)), /no network/);
  assert.equal(lent.length, 3);
});
