import type { IncomingMessage, ServerResponse } from "node:http";

/** A Node request without its body as the web's; it is aborted when the client goes. */
export function toWebRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  // The path may hold the token, which handlers have no use for.
  return new Request(new URL("/mcp", "http://localhost"), {
    method: incoming.method ?? "GET",
    headers,
    signal: gone.signal,
  });
}

const HEARD_MS = 50;

/** Sends a web response as Node's, part by part as it comes. */
export async function sendWebResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  // An answer that is ready goes out in one piece with its headers; a client of a slow one sees that it is heard.
  const heard = setTimeout(() => outgoing.flushHeaders(), HEARD_MS);
  outgoing.once("close", () => clearTimeout(heard));
  const reader = response.body.getReader();
  outgoing.once("close", () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    clearTimeout(heard);
    if (done || outgoing.destroyed) break;
    if (!outgoing.write(value)) await drained(outgoing);
  }
  outgoing.end();
}

async function drained(outgoing: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = () => {
      outgoing.off("drain", go);
      outgoing.off("close", go);
      resolve();
    };
    outgoing.once("drain", go);
    outgoing.once("close", go);
  });
}
