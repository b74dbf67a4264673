/** What a service can tell of us from TLS, HTTP/2 and headers, beside the transport's own profile and a real Chromium. */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { createTransport, fetch } from "wreq-js";
import { selfSignedCertificate } from "../../test/support/certificate.ts";
import { type ClientHello, helloServer } from "../../test/support/client-hello.ts";
import { http2OpeningServer } from "../../test/support/http2-frames.ts";
import { http1Server, tlsServer } from "../../test/support/http-servers.ts";
import { noChromium, startChromium } from "../../test/support/real-chromium.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { get, jarWith, testHttp, testLease } from "../../test/support/test-lease.ts";
import { type HeaderPair, readJson } from "./index.ts";
import { profileOf } from "./profile.ts";

const MODES = ["browser", "fetch", "api"] as const;
const PROFILES = ["chrome-desktop", "chrome-mobile", "safari-desktop"] as const;
const ALPS = 17613;

/** A request by the bare transport, with nothing but the profile's name. */
async function bare(name: (typeof PROFILES)[number], port: number): Promise<void> {
  const { browser, os } = profileOf(name);
  await using transport = await createTransport({
    browser,
    os,
    insecure: true,
    resolve: { "app.bank.test": ["127.0.0.1"] },
  });
  await fetch(`https://app.bank.test:${port}/`, { transport }).catch(() => undefined);
}

test("every mode has the JA4 of the transport's profile", async () => {
  await using server = await helloServer();
  await using http = testHttp(["app.bank.test"]);
  const last = () => server.hellos.at(-1)!;
  for (const ua of PROFILES) {
    await bare(ua, server.port);
    const expected = last().ja4;
    for (const mode of MODES) {
      const count = server.hellos.length;
      const lease = testLease({ base: `https://app.bank.test:${server.port}`, mode });
      await assert.rejects(http.send(lease, get("/", { ua })), { name: "DeputyError" });
      assert.ok(server.hellos.length > count);
      assert.equal(last().ja4, expected, `${ua} ${mode}`);
      assert.deepEqual(last().alpn, ["h2", "http/1.1"]);
    }
  }
});

test("Chrome's JA4 begins as real Chromes' does", async () => {
  await using server = await helloServer();
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `https://app.bank.test:${server.port}` });
  await assert.rejects(http.send(lease, get("/")));
  assert.match(server.hellos[0]!.ja4, /^t13d1516h2_8daaf6152771_/);
});

test("HTTP/1.1 by choice changes ALPN and ALPS and nothing else", async () => {
  await using server = await helloServer();
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `https://app.bank.test:${server.port}` });
  const sorted = (hello: ClientHello) =>
    hello.extensions.filter((type) => type !== ALPS).sort((a, b) => a - b);
  for (const ua of PROFILES) {
    await bare(ua, server.port);
    const profile = server.hellos.at(-1)!;
    await assert.rejects(http.send(lease, get("/", { ua, http2: false })));
    const ours = server.hellos.at(-1)!;
    assert.deepEqual(ours.alpn, ["http/1.1"]);
    assert.ok(!ours.extensions.includes(ALPS));
    assert.deepEqual(sorted(ours), sorted(profile), ua);
    for (const part of ["ciphers", "groups", "signatureAlgorithms"] as const)
      assert.deepEqual(ours[part], profile[part], `${ua} ${part}`);
  }
});

test("every mode opens HTTP/2 as the profile does: settings, window, pseudo-headers, priority", async () => {
  const certificate = selfSignedCertificate(["app.bank.test"]);
  await using server = await http2OpeningServer(certificate);
  await using http = testHttp(["app.bank.test"], { cert: certificate.cert });
  for (const ua of PROFILES) {
    await bare(ua, server.port);
    const expected = server.openings.at(-1);
    for (const mode of MODES) {
      const count = server.openings.length;
      const lease = testLease({ base: `https://app.bank.test:${server.port}`, mode });
      await assert.rejects(http.send(lease, get("/", { ua })));
      assert.ok(server.openings.length > count);
      assert.deepEqual(server.openings.at(-1), expected, `${ua} ${mode}`);
    }
  }
  assert.deepEqual(server.openings[0]?.pseudoHeaders, [":method", ":authority", ":scheme", ":path"]);
  assert.deepEqual(server.openings[0]?.settings, [
    [1, 65536],
    [2, 0],
    [4, 6291456],
    [6, 262144],
  ]);
});

test("User-Agent, client hints and TLS name one version", async () => {
  await using server = await http1Server((request, response) =>
    response.end(JSON.stringify(request.headers)),
  );
  await using http = testHttp(["app.bank.test"]);
  for (const ua of ["chrome-desktop", "chrome-mobile"] as const) {
    const { browser } = profileOf(ua);
    const major = browser.split("_")[1];
    for (const mode of ["browser", "fetch"] as const) {
      const lease = testLease({ base: `http://app.bank.test:${server.port}`, mode });
      const seen = (await readJson(await http.send(lease, get("/", { ua })))) as Record<string, string>;
      assert.match(seen["user-agent"] ?? "", new RegExp(`Chrome/${major}\\.`));
      assert.match(seen["sec-ch-ua"] ?? "", new RegExp(`"Google Chrome";v="${major}"`));
      assert.equal(seen["sec-ch-ua-mobile"], ua === "chrome-mobile" ? "?1" : "?0");
    }
  }
});

test("api mode adds nothing of a browser", async () => {
  await using server = await http1Server((request, response) =>
    response.end(JSON.stringify(request.headers)),
  );
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}`, mode: "api" });
  const seen = (await readJson(await http.send(lease, get("/", { headers: [["x-mine", "1"]] })))) as object;
  assert.deepEqual(Object.keys(seen).sort(), ["accept-encoding", "host", "x-mine"]);
});

test("a caller's header wins over the bundle's, in the bundle's place", async () => {
  await using server = await http1Server((request, response) =>
    response.end(JSON.stringify(request.rawHeaders)),
  );
  await using http = testHttp(["app.bank.test"]);
  const lease = testLease({ base: `http://app.bank.test:${server.port}` });
  const headers: HeaderPair[] = [
    ["accept-language", "de"],
    ["X-Mine", "1"],
    ["user-agent", "mine/1"],
  ];
  const seen = (await readJson(await http.send(lease, get("/", { headers })))) as string[];
  const names = seen.filter((_, index) => index % 2 === 0);
  assert.equal(seen[names.indexOf("accept-language") * 2 + 1], "de");
  assert.equal(seen[names.indexOf("user-agent") * 2 + 1], "mine/1");
  assert.equal(names.filter((name) => name.toLowerCase() === "user-agent").length, 1);
  assert.ok(names.indexOf("user-agent") === names.indexOf("Accept") - 1);
});

/** A page whose scripts ask for data and post some, while it loads. */
const PAGE = `<script>
for (const method of ["GET", "POST"]) {
  const request = new XMLHttpRequest();
  request.open(method, "/" + method, false);
  if (method === "POST") request.setRequestHeader("content-type", "application/json");
  request.send(method === "POST" ? "{}" : null);
}
</script>`;

test("headers come in the order, the case and with the values of a real Chromium", {
  skip: noChromium,
}, async () => {
  const certificate = selfSignedCertificate(["app.bank.test"]);
  const seen: Record<string, string[]> = {};
  const record = (request: IncomingMessage) => {
    seen[`${request.method} ${request.url}`] = request.rawHeaders;
  };
  await using h2 = await tlsServer(certificate, (request, response) => {
    record(request);
    response.writeHead(200, { "content-type": "text/html", "set-cookie": "a=1" }).end(PAGE);
  });
  await using h1 = await http1Server((request, response) => {
    record(request);
    response.writeHead(200, { "content-type": "text/html", "set-cookie": "a=1" }).end(PAGE);
  });
  using folder = temporaryFolder("headers");
  const browser = await startChromium({ userData: folder.path });
  await using http = testHttp(["app.bank.test", "localhost"], { cert: certificate.cert });
  try {
    for (const base of [`https://app.bank.test:${h2.port}`, `http://localhost:${h1.port}`]) {
      await browser.visit(`${base}/GET-page`);
      const theirs = { ...seen };
      const domain = base.startsWith("https") ? "bank.test" : "localhost";
      const lease = (mode: "browser" | "fetch", ...cookies: string[]) =>
        testLease({ base, mode, jar: jarWith(base, ...cookies), egress: { domain, hosts: [] } });
      await readBody(http.send(lease("browser"), get("/GET-page")));
      await readBody(http.send(lease("fetch", "a=1"), get("/GET")));
      const headers: HeaderPair[] = [["content-type", "application/json"]];
      const post = { ...get("/POST", { headers }), method: "POST", body: Buffer.from("{}") };
      await readBody(http.send(lease("fetch", "a=1"), post));
      for (const key of ["GET /GET-page", "GET /GET", "POST /POST"]) {
        assert.deepEqual(shape(seen[key] ?? []), shape(theirs[key] ?? []), `${base} ${key}`);
      }
    }
  } finally {
    await browser.close();
  }
});

async function readBody(sent: Promise<{ body: AsyncIterable<Uint8Array> }>): Promise<void> {
  for await (const _ of (await sent).body);
}

/** Names in order, and the values that do not depend on the version or on which page it was. */
function shape(raw: readonly string[]): string[] {
  const varying = /^(:authority|host|user-agent|sec-ch-ua.*|accept|referer|priority)$/i;
  const shaped: string[] = [];
  for (let i = 0; i < raw.length; i += 2)
    shaped.push(varying.test(raw[i]!) ? raw[i]! : `${raw[i]}: ${raw[i + 1]}`);
  return shaped;
}
