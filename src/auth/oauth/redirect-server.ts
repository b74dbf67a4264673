import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { DeputyError } from "../../kernel/index.ts";

export interface RedirectServer extends AsyncDisposable {
  readonly port: number;
}

export interface RedirectServerOptions {
  readonly host: "127.0.0.1" | "localhost";
  readonly path: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Whether these parameters are the answer waited for. Nothing is told to a stranger who guesses. */
  readonly accept: (params: URLSearchParams) => boolean;
}

const HEADERS = {
  "Content-Type": "text/plain; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'",
  "Referrer-Policy": "no-referrer", // the address has the code in it
  "X-Content-Type-Options": "nosniff",
  Connection: "close",
};

/** Listens on loopback for a browser's return (RFC 8252 7.3) and answers nothing else. Disposing it frees the port. */
export async function listenForRedirect(options: RedirectServerOptions): Promise<RedirectServer> {
  const { host, path, accept } = options;
  let port = options.port;
  const server = createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 10_000 }, (request, response) => {
    const [status, text] = answerTo(request);
    reply(response, status, text);
  });
  server.maxConnections = 16;

  function answerTo(request: IncomingMessage): readonly [number, string] {
    // A page elsewhere whose name was made to lead here (DNS rebinding) still sends its own name.
    if (request.headers.host !== `${host}:${port}`) return [403, "This is not for you."];
    const url = new URL(request.url ?? "/", `http://${host}:${port}`);
    if (url.pathname !== path) return [404, "There is nothing here."];
    if (request.method !== "GET") return [405, "There is nothing here."];
    return accept(url.searchParams)
      ? [200, "You can close this window."]
      : [400, "This is not the answer to the login that was begun."];
  }

  await new Promise<void>((done, fail) => {
    server.once("error", (cause: NodeJS.ErrnoException) => fail(cannotListen(port, cause)));
    server.listen(port, "127.0.0.1", done);
  });
  const address = server.address();
  if (address !== null && typeof address === "object") port = address.port;
  return {
    port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done));
      server.closeIdleConnections();
      // The page is on its way: those who do not take it are not waited for.
      const late = setTimeout(() => server.closeAllConnections(), 500);
      await closed;
      clearTimeout(late);
    },
  };
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, HEADERS).end(`${text}\n`);
}

function cannotListen(port: number, cause: NodeJS.ErrnoException): DeputyError {
  if (cause.code === "EADDRINUSE") {
    return new DeputyError("CONFLICT", `Cannot wait for the browser: another program uses port ${port}`, {
      hint: "End it, or register another port with the service and name that.",
      cause,
    });
  }
  return new DeputyError("UNSUPPORTED", "Cannot wait for the browser: nothing can listen on 127.0.0.1 here", {
    hint: "Paste the address the browser ended at instead.",
    cause,
  });
}
