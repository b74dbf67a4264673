/**
 * A web site on loopback that sets every kind of cookie, over https and http, for browsers whose resolver sends all
 * names to 127.0.0.1. `/echo` answers with the Cookie header it was sent.
 */
import { createHash, X509Certificate } from "node:crypto";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { selfSignedCertificate } from "./certificate.ts";

export interface CookieSite extends AsyncDisposable {
  /** `https://www.site.test:PORT` and so on: any name will do. */
  https(host: string): string;
  http(host: string): string;
  /** For `--ignore-certificate-errors-spki-list`, where a browser must trust the site, not just look away. */
  readonly certificateHash: string;
  /** The Cookie header of the last request to `/echo`, byte for byte, by host. */
  readonly sent: Map<string, string>;
  /** Of every request, in order. */
  readonly paths: string[];
}

export const SET_COOKIES = [
  "plain=1; Max-Age=86400",
  "session=ends-with-the-browser",
  "session-full=1; Secure; HttpOnly; SameSite=Strict; Path=/",
  "guarded=2; Secure; HttpOnly; SameSite=Lax; Path=/; Max-Age=86400",
  "strict=3; SameSite=Strict; Max-Age=86400",
  "anywhere=4; SameSite=None; Secure; Max-Age=86400",
  "domain=5; Domain=site.test; Max-Age=86400",
  "both=host; Max-Age=86400",
  "both=domain; Domain=site.test; Max-Age=86400",
  "nameless-one; Max-Age=86400",
  "empty=; Max-Age=86400",
  "deep=6; Path=/deep/er; Max-Age=86400",
  "low=7; Priority=Low; Max-Age=86400",
  "high=8; Priority=High; Max-Age=86400",
  "text=h\u00e9llo \u4e16\u754c \u{1f36a}; Max-Age=86400",
  'quoted="a=b c"; Max-Age=86400',
  `long=${"x".repeat(3900)}; Max-Age=86400`,
  "far=9; Expires=Fri, 31 Dec 9999 23:59:59 GMT",
  "__Host-own=10; Secure; Path=/; Max-Age=86400",
  "__Secure-own=11; Secure; Domain=site.test; Max-Age=86400",
  "__Host-part=12; Secure; Path=/; SameSite=None; Partitioned; Max-Age=86400",
];

const FRAME_COOKIES = [
  "__Host-framed=13; Secure; Path=/; SameSite=None; Partitioned; Max-Age=86400",
  "framed-session=14; Secure; SameSite=None; Partitioned; Path=/",
];

const BOUND_COOKIE = "bound=16; Domain=site.test; Secure; HttpOnly; Path=/; Max-Age=86400";

/** The answer to a registration: https://w3c.github.io/webappsec-dbsc/#format-session-instructions */
function boundSession(origin: string): string {
  return JSON.stringify({
    session_identifier: "session",
    refresh_url: "/refresh",
    scope: { origin, include_site: false, scope_specification: [] },
    credentials: [
      { type: "cookie", name: "bound", attributes: "Domain=site.test; Path=/; Secure; HttpOnly" },
    ],
  });
}

export async function startCookieSite(): Promise<CookieSite> {
  const { key, cert } = selfSignedCertificate(["site.test", "*.test"]);
  const { publicKey } = new X509Certificate(cert);
  const spki = publicKey.export({ type: "spki", format: "der" });
  const sent = new Map<string, string>();
  const paths: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const host = (request.headers.host ?? "").replace(/:\d+$/, "");
    const url = new URL(request.url ?? "/", "https://x");
    paths.push(url.pathname);
    response.setHeader("content-type", "text/html; charset=utf-8");
    // Node writes header text as Latin-1: the bytes of UTF-8 one by one are what a server means.
    const set = (cookies: string[]) =>
      response.setHeader(
        "set-cookie",
        cookies.map((cookie) => Buffer.from(cookie).toString("latin1")),
      );
    if (url.pathname === "/set") set(SET_COOKIES);
    if (url.pathname === "/set-plain") set(["over-http=15; Max-Age=86400"]);
    if (url.pathname === "/set-framed") set(FRAME_COOKIES);
    if (url.pathname === "/echo")
      sent.set(host, Buffer.from(request.headers.cookie ?? "", "latin1").toString("utf8"));
    if (url.pathname === "/bind") {
      set([BOUND_COOKIE]);
      response.setHeader("secure-session-registration", '(ES256);path="/register";challenge="a challenge"');
    }
    if (url.pathname === "/register") {
      set([BOUND_COOKIE]);
      response.setHeader("content-type", "application/json");
      response.end(boundSession(`https://${request.headers.host}`));
      return;
    }
    const frame = url.searchParams.get("frame");
    response.end(frame === null ? "ok" : `<iframe src="${frame}"></iframe>`);
  };
  const secure = createHttps({ key, cert, maxHeaderSize: 262_144 }, answer);
  const plain = createHttp({ maxHeaderSize: 262_144 }, answer);
  const [httpsPort, httpPort] = [await listen(secure), await listen(plain)];
  return {
    https: (host) => `https://${host}:${httpsPort}`,
    http: (host) => `http://${host}:${httpPort}`,
    certificateHash: createHash("sha256").update(spki).digest("base64"),
    sent,
    paths,
    async [Symbol.asyncDispose]() {
      for (const server of [secure, plain]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
