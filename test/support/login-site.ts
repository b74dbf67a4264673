/** A site on loopback under every name, with a login: `/login`, `/logout`, and `/` which says whether one is logged in. */
import { randomBytes } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { selfSignedCertificate } from "./certificate.ts";

export interface LoginSite extends AsyncDisposable {
  url(host: string, path?: string): string;
  /** The value of the cookie `/login` set at that host, by which it knows who comes. */
  readonly sessions: ReadonlyMap<string, string>;
  /** Whether the last request for `/` of that host was logged in. */
  readonly seen: ReadonlyMap<string, boolean>;
}

export async function startLoginSite(canary: string): Promise<LoginSite> {
  const sessions = new Map<string, string>();
  const seen = new Map<string, boolean>();
  const { key, cert } = selfSignedCertificate(["site.test", "*.test"]);
  const server = createServer({ key, cert }, (request, response) => {
    const host = (request.headers.host ?? "").replace(/:\d+$/, "");
    const cookies = (request.headers.cookie ?? "").split("; ");
    if (request.url === "/login") {
      const sid = `${canary}-${randomBytes(8).toString("hex")}`;
      sessions.set(host, sid);
      const lasting = "Path=/; Secure; Max-Age=86400";
      response.setHeader("set-cookie", [
        `sid=${sid}; HttpOnly; SameSite=Lax; ${lasting}`,
        `theme=dark; ${lasting}`,
      ]);
    }
    if (request.url === "/logout") response.setHeader("set-cookie", "sid=; Path=/; Secure; Max-Age=0");
    if (request.url === "/") seen.set(host, cookies.includes(`sid=${sessions.get(host) ?? "nobody"}`));
    response.setHeader("content-type", "text/html");
    response.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (host, path = "/") => `https://${host}:${port}${path}`,
    sessions,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
