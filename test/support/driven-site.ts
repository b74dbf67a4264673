/** A site on loopback with a login form, things in the way, a frame, and pages that go on by themselves. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface DrivenSite extends AsyncDisposable {
  url(host: string, path?: string): string;
  readonly requests: { path: string; body: string; headers: IncomingMessage["headers"] }[];
}

const PAGES: Readonly<Record<string, string>> = {
  "/": `<title>Sign in</title><h1>Sign in</h1>
    <form method="post" action="/login">
      <label>Email <input id="email" name="email" type="email"></label>
      <label>Password <input name="password" type="password"></label>
      <label><input type="checkbox" name="stay"> Stay signed in</label>
      <select name="plan" aria-label="Plan"><option value="f">Free</option><option value="p">Paid</option></select>
      <button>Go</button>
    </form>
    <p id="keys"></p>
    <script>
      email.addEventListener("keydown", (e) => { keys.textContent += e.isTrusted ? e.code + " " : "fake "; });
    </script>`,
  "/covered": `<title>Covered</title><button id="pay" onclick="document.title = 'Paid'">Pay</button>
    <div id="consent" class="modal" style="position: fixed; inset: 0; background: #0008">
      <button id="accept" onclick="consent.remove()" style="margin: 300px">Accept</button></div>
    <button id="late" disabled>Late</button>
    <button id="ask" onclick="document.title = String(confirm('Delete all?'))">Ask</button>
    <div style="height: 3000px"></div><a id="far" href="/far" target="_blank">Far away</a>
    <script>setTimeout(() => { late.disabled = false; late.onclick = () => { late.remove(); }; }, 400);</script>`,
  "/framed": `<title>Framed</title><p>Around</p><iframe src="/inner" width="400" height="200"></iframe>`,
  "/inner": `<body style="padding-top: 60px"><button onclick="parent.document.title = 'From within'">Inside</button>`,
  "/far": "<title>Far</title><p>The other tab</p>",
};

export async function startDrivenSite(): Promise<DrivenSite> {
  const requests: DrivenSite["requests"] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://x");
    let body = "";
    for await (const chunk of request) body += String(chunk);
    requests.push({ path: pathname, body, headers: request.headers });
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (pathname === "/rotate")
      response.setHeader("set-cookie", "sid=canary-2-rotated-by-the-site; Path=/; HttpOnly; Max-Age=3600");
    const echo = `<title>Welcome</title><h1>Welcome</h1><p>sent ${request.headers.cookie ?? "nothing"}</p>`;
    response.end(PAGES[pathname] ?? echo);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    url: (host, path = "/") => `http://${host}:${port}${path}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
