/** A site on loopback for sessions: says which cookies it was sent, and keeps whatever a page asks it to. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface SessionSite extends AsyncDisposable {
  readonly port: number;
  url(host: string, path?: string): string;
  /** Every request, as it came. */
  readonly requests: { host: string; path: string; headers: IncomingMessage["headers"] }[];
}

/**
 * `/` is a page that shows the cookies it came with; `/set?name=value` sets one; `/rotate` gives `sid` another value;
 * `/slow` never answers; `/sw.js` is a service worker.
 */
export async function startSessionSite(): Promise<SessionSite> {
  const requests: SessionSite["requests"] = [];
  let turn = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://x");
    const host = (request.headers.host ?? "").replace(/:\d+$/, "");
    requests.push({ host, path: url.pathname, headers: request.headers });
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.setHeader("accept-ch", "Sec-CH-UA-Full-Version-List");
    if (url.pathname === "/slow") return;
    if (url.pathname === "/sw.js") response.setHeader("content-type", "text/javascript");
    if (url.pathname === "/rotate")
      response.setHeader("set-cookie", `sid=rotated-${++turn}; Path=/; HttpOnly; Max-Age=3600`);
    if (url.pathname === "/set")
      response.setHeader(
        "set-cookie",
        [...url.searchParams].map(([name, value]) => `${name}=${value}; Path=/; Max-Age=3600`),
      );
    response.end(
      url.pathname === "/sw.js" ? "" : `<title>${url.pathname}</title><p>${request.headers.cookie ?? ""}</p>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (host, path = "/") => `http://${host}:${port}${path}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
