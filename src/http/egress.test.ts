/**
 * Where credentials go, case by case: servers keep every byte they receive, and the canaries are looked for in all of
 * it. Every name leads to these servers as an owner's config would say, so that only the rules under test keep a
 * request away, never a missing address.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { selfSignedCertificate } from "../../test/support/certificate.ts";
import { type RecordingServer, recordingServer } from "../../test/support/http-servers.ts";
import {
  get,
  jarWith,
  type TestHttp,
  testHttp,
  type TestLease,
  testLease,
} from "../../test/support/test-lease.ts";
import { Secret } from "../kernel/index.ts";
import type { Hop } from "./index.ts";

const KEY = "canary-egress-key-0123456789";
const DOMAIN_COOKIE = "canary-egress-domain-0123456789";
const HOST_COOKIE = "canary-egress-hostonly-0123456789";
const SECRETS = { key: KEY, domainCookie: DOMAIN_COOKIE, hostCookie: HOST_COOKIE };

const NAMES = [
  ..."app.bank.test api.bank.test auth.bank.test deep.app.bank.test bank.test partner.test".split(" "),
  ..."evil.test bank.test.evil.test app.bank.test.evil.test evilbank.test bank-test.evil.test".split(" "),
  ..."app-bank.test xn--pp-6kc.bank.test.evil.test xn--bnk-5cd.test bank.tes banktest test".split(" "),
  ..."alice.github.io bob.github.io github.io localhost".split(" "),
];

/** Which hosts may see which canary. Everything else may see none. */
type Rights = Partial<Record<keyof typeof SECRETS, (host: string, port: number) => boolean>>;

interface Kind {
  readonly name: string;
  lease(): TestLease;
  readonly rights: Rights;
  /** The origins that may be contacted at all. */
  reaches(url: URL): boolean;
}

let own: RecordingServer;
let stranger: RecordingServer;
let plain: RecordingServer;
let http: TestHttp;
let kinds: Kind[] = [];
let targets: string[] = [];
let cases = 0;

/** `/go?status&to` redirects there; everything else is an answer. */
function reply(request: string): string {
  const [, path = "/"] = request.split(" ");
  const { searchParams } = new URL(path, "http://x/");
  const to = searchParams.get("to");
  if (to === null) return "HTTP/1.1 200 OK\r\nSet-Cookie: planted=1\r\nContent-Length: 2\r\n\r\nok";
  return `HTTP/1.1 ${searchParams.get("status")} Moved\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`;
}

before(async () => {
  const certificate = selfSignedCertificate(NAMES);
  own = await recordingServer(reply, certificate);
  stranger = await recordingServer(reply, certificate);
  plain = await recordingServer(reply);
  http = testHttp(NAMES, { cert: certificate.cert, poolOptions: { limits: { connectMs: 2000 } } });
  const [A, B, P] = [own.port, stranger.port, plain.port];
  const apply = (hop: Hop): Hop => {
    const url = new URL(hop.url);
    url.searchParams.set("key", KEY);
    return {
      ...hop,
      url,
      headers: [...hop.headers, ["Authorization", `Basic ${btoa(`user:${KEY}`)}`], ["x-api-key", KEY]],
    };
  };
  const session = () =>
    jarWith(
      "https://app.bank.test/",
      `domain=${DOMAIN_COOKIE}; Domain=bank.test; Path=/`,
      `host=${HOST_COOKIE}; Path=/; HttpOnly`,
    );
  const inBank = (host: string) => host === "bank.test" || host.endsWith(".bank.test");
  kinds = [
    {
      name: "a key",
      lease: () =>
        testLease({
          base: `https://api.bank.test:${A}`,
          mode: "api",
          jar: null,
          credential: { apply },
          egress: { domain: null, hosts: [] },
        }),
      rights: { key: (host, port) => host === "api.bank.test" && port === A },
      reaches: (url) => url.origin === `https://api.bank.test:${A}`,
    },
    {
      name: "a key and a listed host",
      lease: () =>
        testLease({
          base: `https://api.bank.test:${A}`,
          mode: "api",
          jar: null,
          credential: { apply },
          egress: { domain: null, hosts: [`partner.test:${A}`] },
        }),
      rights: { key: (host, port) => (host === "api.bank.test" || host === "partner.test") && port === A },
      reaches: (url) => [`https://api.bank.test:${A}`, `https://partner.test:${A}`].includes(url.origin),
    },
    {
      name: "cookies",
      lease: () =>
        testLease({
          base: `https://app.bank.test:${A}`,
          jar: session(),
          egress: { domain: "bank.test", hosts: [] },
        }),
      rights: {
        domainCookie: (host, port) => inBank(host) && port === A,
        hostCookie: (host, port) => host === "app.bank.test" && port === A,
      },
      reaches: (url) =>
        url.protocol === "https:" && inBank(url.hostname) && (url.port === String(A) || url.port === ""),
    },
    {
      name: "cookies and a key",
      lease: () =>
        testLease({
          base: `https://app.bank.test:${A}`,
          mode: "fetch",
          jar: session(),
          credential: { apply },
          egress: { domain: "bank.test", hosts: [] },
        }),
      rights: {
        key: (host, port) => host === "app.bank.test" && port === A,
        domainCookie: (host, port) => inBank(host) && port === A,
        hostCookie: (host, port) => host === "app.bank.test" && port === A,
      },
      reaches: (url) =>
        url.protocol === "https:" && inBank(url.hostname) && (url.port === String(A) || url.port === ""),
    },
  ];
  targets = [
    // its own hosts and siblings
    ...["app", "api", "auth", "deep.app", "APP", "Api"].map((host) => `https://${host}.bank.test:${A}/x`),
    `https://bank.test:${A}/x`,
    `https://partner.test:${A}/x`,
    // look-alikes
    ...NAMES.slice(6, 17).map((host) => `https://${host}:${A}/x`),
    `https://аpp.bank.test.evil.test:${A}/x`,
    `https://bаnk.test:${A}/x`,
    `https://app.bank.test.:${A}/x`,
    `https://app.bank.test%2eevil.test:${A}/x`,
    `https://evil.test:${A}/app.bank.test/x`,
    `https://evil.test:${A}/?https://app.bank.test/`,
    `https://evil.test:${A}#@app.bank.test/`,
    `https://app.bank.test@evil.test:${A}/x`,
    `https://app.bank.test:443@evil.test:${A}/x`,
    `https://user:pass@app.bank.test:${A}/x`,
    `//evil.test:${A}/x`,
    `https:evil.test:${A}/x`,
    `https:///evil.test:${A}/x`,
    `https://evil.test:${A}\\@app.bank.test/x`,
    // public suffixes and neighbours
    ...["alice.github.io", "bob.github.io", "github.io"].map((host) => `https://${host}:${A}/x`),
    // ports
    `https://app.bank.test:${B}/x`,
    `https://api.bank.test:${B}/x`,
    `https://evil.test:${B}/x`,
    `https://app.bank.test:0/x`,
    `https://app.bank.test:22/x`,
    // schemes
    ...["app.bank.test", "api.bank.test", "evil.test", "partner.test"].map((host) => `http://${host}:${P}/x`),
    `http://app.bank.test:${A}/x`,
    `ws://app.bank.test:${A}/x`,
    `wss://evil.test:${A}/x`,
    `ftp://app.bank.test/x`,
    "file:///etc/passwd",
    "data:text/plain,x",
    "javascript:alert(1)",
    "blob:https://app.bank.test/x",
    "view-source:https://app.bank.test/",
    // addresses, in all their spellings
    ...["127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "0x7f.0.0.1", "127.0.0.1."].map(
      (host) => `http://${host}:${P}/x`,
    ),
    ...["[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[64:ff9b::7f00:1]"].map(
      (host) => `http://${host}:${P}/x`,
    ),
    `http://localhost:${P}/x`,
    `http://①②⑦.0.0.1:${P}/x`,
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/",
    "http://10.0.0.1/",
  ];
});

after(async () => {
  await http[Symbol.asyncDispose]();
  for (const server of [own, stranger, plain]) await server[Symbol.asyncDispose]();
  assert.ok(cases >= 300, `${cases} cases`);
});

/** A canary as it is, escaped, and in base64 at every alignment, cut to what its neighbours cannot change. */
function formsOf(canary: string): string[] {
  const escaped = [...Buffer.from(canary)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const aligned = [0, 1, 2].map((shift) =>
    Buffer.from("\0".repeat(shift) + canary)
      .toString("base64")
      .slice(shift === 0 ? 0 : 4, -6),
  );
  return [canary, escaped, encodeURIComponent(canary), Buffer.from(canary).toString("hex"), ...aligned];
}

/** Checks every request every server ever got, and forgets them. */
function checkReceived(kind: Kind, what: string): void {
  for (const server of [own, stranger, plain]) {
    for (const bytes of server.take()) {
      for (const request of bytes.toString("latin1").split(/(?=(?:GET|POST) \S+ HTTP\/1\.1\r\n)/)) {
        if (request === "") continue;
        const host = /^host: *([^:\r]+)/im.exec(request)?.[1]?.toLowerCase() ?? "";
        for (const [name, canary] of Object.entries(SECRETS)) {
          if (kind.rights[name as keyof typeof SECRETS]?.(host, server.port) === true) continue;
          for (const form of formsOf(canary))
            assert.ok(!request.includes(form), `${what}: ${name} reached ${host}`);
        }
        const scheme = server === plain ? "http" : "https";
        assert.ok(
          kind.reaches(new URL(`${scheme}://${host}:${server.port}/`)),
          `${what}: ${host} was contacted`,
        );
      }
    }
  }
}

describe("credentials reach only who has a right to them", () => {
  const ways = {
    directly: (target: string) => get(target),
    "by a 302": (target: string) => get(`/go?status=302&to=${encodeURIComponent(target)}`),
    "by a 307 with a body": (target: string) => ({
      ...get(`/go?status=307&to=${encodeURIComponent(target)}`),
      method: "POST",
      body: Buffer.from("data"),
    }),
  };
  for (const [way, request] of Object.entries(ways)) {
    test(way, async () => {
      for (const kind of kinds) {
        for (const target of targets) {
          cases += 1;
          const what = `${kind.name} ${way} to ${target}`;
          const lease = kind.lease();
          const base = lease.baseUrl?.href ?? "";
          const url = URL.canParse(target, base) ? new URL(target, base) : undefined;
          const outcome = await http.send(lease, request(target)).then(
            (response) => response.status,
            (error: { code?: string }) => error.code ?? "uncoded",
          );
          const odd = /[\\@]|\.:|\.\/|%2e/.test(target) || url === undefined || url.port === "0";
          const reached = !odd && kind.reaches(url);
          if (reached) assert.equal(outcome, 200, what);
          else assert.match(String(outcome), /^(DENIED|BAD_INPUT|PROTOCOL)$/, what);
          checkReceived(kind, what);
          for (const change of lease.told)
            assert.ok(change.kind === "set" && change.cookie.domain.endsWith("bank.test"), what);
        }
      }
    });
  }
});

test("a credential echoed into Location does not travel to a host that has no right to it", async () => {
  const kind = kinds.find(({ name }) => name === "cookies and a key")!;
  const lease = { ...kind.lease(), secrets: [Secret.fromText(KEY)] };
  for (const form of [KEY, btoa(KEY), btoa(`x${KEY}`), encodeURIComponent(KEY)]) {
    const to = `https://auth.bank.test:${own.port}/?k=${form}`;
    await assert.rejects(http.send(lease, get(`/go?status=302&to=${encodeURIComponent(to)}`)), {
      code: "DENIED",
    });
    for (const bytes of own.take())
      assert.doesNotMatch(bytes.toString(), /^host: auth/im, "it was contacted");
  }
});

test("a lease that holds anything cannot be made for the open web", async () => {
  for (const holding of [
    {},
    { identity: null },
    { identity: null, jar: null, credential: { apply: (hop: Hop) => hop } },
  ]) {
    const lease = testLease({ ...holding, egress: { domain: null, hosts: "any" } });
    await assert.rejects(http.send(lease, get(`https://evil.test:${own.port}/`)), TypeError);
  }
});
