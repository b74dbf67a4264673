/** A site on loopback whose page talks to it in every way: fetch, XHR, WebSocket, a redirect, a worker, navigations. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

export const SECRETS = {
  cookie: "canary-cookie-0123456789",
  bearer: "canary-bearer-0123456789",
  password: "canary-password",
  token: "canary-token-0123456789",
};

const APP = `<title>App</title><button id="go">Go</button><form method="post" action="/leave">
  <input name="password" value="${SECRETS.password}"><input name="plain" value="seen"></form>
  <script>
    fetch("/api/me?token=${SECRETS.token}", { headers: { authorization: "Bearer ${SECRETS.bearer}" } });
    const xhr = new XMLHttpRequest();
    xhr.open("POST", "/api/items");
    xhr.setRequestHeader("content-type", "application/json");
    xhr.send(JSON.stringify({ item: "tea", password: "${SECRETS.password}" }));
    const socket = new WebSocket(location.origin.replace("http", "ws") + "/live");
    socket.onopen = () => socket.send("hello");
    new Worker(URL.createObjectURL(new Blob(["fetch('" + location.origin + "/api/worker')"])));
    go.onclick = () => { location.href = "/done?code=${SECRETS.token}"; };
  </script>`;

export async function startCapturedSite(): Promise<
  AsyncDisposable & { url(host: string, path: string): string }
> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://x");
    response.setHeader("access-control-allow-origin", "*");
    if (pathname === "/start") {
      response.setHeader("set-cookie", [`sid=${SECRETS.cookie}; HttpOnly; Path=/`, "theme=dark; Path=/"]);
      response.writeHead(302, { location: "/app" }).end();
    } else if (pathname === "/app") response.setHeader("content-type", "text/html").end(APP);
    else if (pathname === "/api/me")
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ name: "Joe", cookie: request.headers.cookie, access_token: SECRETS.token }));
    else response.setHeader("content-type", "text/plain").end(`this is ${pathname}`);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => {
    socket.on("message", () => socket.send(`you said hello; ${SECRETS.cookie}`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    url: (host, path) => `http://${host}:${port}${path}`,
    async [Symbol.asyncDispose]() {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
