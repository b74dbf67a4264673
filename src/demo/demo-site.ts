import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface DemoSite extends AsyncDisposable {
  readonly url: string;
}

/** A site with a login, on loopback: `/login?user=ada` signs in, `/` says who is signed in. */
export async function startDemoSite(): Promise<DemoSite> {
  const sessions = new Map<string, string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/login") {
      const session = randomBytes(16).toString("hex");
      sessions.set(session, url.searchParams.get("user") ?? "nobody");
      response.setHeader("Set-Cookie", `session=${session}; HttpOnly; Path=/; Max-Age=3600`);
      response.end("welcome");
      return;
    }
    const session = /(?:^|; )session=([0-9a-f]+)/.exec(request.headers.cookie ?? "")?.[1];
    const user = sessions.get(session ?? "");
    response.statusCode = user === undefined ? 401 : 200;
    response.end(user === undefined ? "not signed in" : `signed in as ${user}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
