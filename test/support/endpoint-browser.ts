/** A real Chromium with sessions in it as the endpoint is given them, and a site for them on loopback. */
import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { HiddenCookie, LiveSession } from "../../src/sessions/index.ts";
import { type RealChromium, startChromium } from "./real-chromium.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface TestSession extends LiveSession {
  readonly page: string;
  readonly end: (reason: string) => void;
  readonly held: () => number;
}

export interface EndpointBrowser extends AsyncDisposable {
  readonly chromium: RealChromium;
  /** The Cookie header of every request, by path. */
  readonly cookiesSent: Map<string, string>;
  origin(host: string): string;
  session(options?: { hidden?: HiddenCookie[]; expose?: boolean; proxy?: string }): Promise<TestSession>;
}

const PAGE = `<!doctype html><title>shop</title><form id=f><input id=name name=name><button id=go type=button
  onclick="document.title = 'hello ' + document.getElementById('name').value">Go</button>
  <input id=file type=file></form><a id=get href="/download" download>get</a><a id=open href="/other" target=_blank>open</a>
  <script>var canary = document.cookie</script>`;

export async function startEndpointBrowser(): Promise<EndpointBrowser> {
  const folder = temporaryFolder("endpoint");
  const cookiesSent = new Map<string, string>();
  const site = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    cookiesSent.set(`${request.headers.host?.replace(/:\d+$/, "")}${path}`, request.headers.cookie ?? "");
    if (path === "/download") {
      response.writeHead(200, { "content-disposition": "attachment; filename=report.txt" });
      response.end("a report");
    } else if (path === "/echo") response.end(`you sent ${request.headers.cookie ?? "nothing"}`);
    else if (path === "/rotate") {
      response.writeHead(200, { "set-cookie": "sid=ROTATED-c4n4ry-0002-zz; HttpOnly; Path=/" });
      response.end("rotated");
    } else if (path === "/away") {
      response.writeHead(302, { location: "file:///etc/passwd" });
      response.end();
    } else {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(PAGE);
    }
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const { port } = site.address() as AddressInfo;
  const chromium = await startChromium({
    userData: join(folder.path, "browser"),
    args: ["--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup"],
  });
  let count = 0;
  return {
    chromium,
    cookiesSent,
    origin: (host) => `http://${host}:${port}`,
    async session({ hidden = [], expose = false, proxy } = {}) {
      const { connection } = chromium;
      const { browserContextId } = await connection.call(
        "Target.createBrowserContext",
        proxy === undefined ? {} : { proxyServer: proxy, proxyBypassList: "<-loopback>" },
      );
      const contextId = String(browserContextId);
      const cookies = hidden.map(({ name, value, domain, path }) => ({
        name,
        value,
        domain,
        path,
        httpOnly: true,
      }));
      await connection.call("Storage.setCookies", { cookies, browserContextId });
      const { targetId } = await connection.call("Target.createTarget", {
        url: "about:blank",
        browserContextId,
      });
      const own = join(folder.path, `session-${++count}`);
      mkdirSync(own);
      const ended = Promise.withResolvers<string>();
      let holds = 0;
      return {
        id: `s${count}`,
        connection,
        contextId,
        folder: own,
        allow: null,
        expose,
        hidden: () => hidden,
        isHelper: () => false,
        touch: () => {},
        hold() {
          holds++;
          return { [Symbol.dispose]: () => void holds-- };
        },
        held: () => holds,
        ended: ended.promise,
        end: ended.resolve,
        page: String(targetId),
      };
    },
    async [Symbol.asyncDispose]() {
      await chromium.close();
      await closed(site);
      folder[Symbol.dispose]();
    },
  };
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
