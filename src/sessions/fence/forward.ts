import { type IncomingMessage, request as send, type ServerResponse } from "node:http";
import { proxyCredential, type Reach } from "./reach.ts";

/** RFC 9110 7.6.1: what concerns one connection is not passed on. */
const HOP_BY_HOP = new Set(
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly reach: Reach;
}

/** One plain http request, to the host its address names whatever its Host header says. */
export async function forward({ request, response, url, reach }: Exchange): Promise<void> {
  const socket = await reach.open(url.hostname, Number(url.port === "" ? 80 : url.port));
  const { upstream } = reach;
  const credential = upstream === undefined ? undefined : proxyCredential(upstream);
  const headers = [
    "Host",
    url.host,
    ...passedOn(request.rawHeaders).filter((_, i, all) => all[i - (i % 2)]?.toLowerCase() !== "host"),
    ...(credential === undefined ? [] : ["Proxy-Authorization", credential]),
    "Connection",
    "close",
  ];
  await new Promise<void>((resolve, reject) => {
    const onward = send({
      createConnection: () => socket,
      method: request.method ?? "GET",
      path: upstream === undefined ? `${url.pathname}${url.search}` : url.href,
      headers,
      setHost: false,
    });
    onward.once("error", reject);
    onward.once("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedOn(answer.rawHeaders));
      answer.pipe(response);
      answer.once("error", reject).once("end", resolve);
    });
    response.once("close", () => {
      onward.destroy();
      socket.destroy();
      resolve();
    });
    request.pipe(onward);
  });
}

/** Names and values in turn, as Node keeps raw headers. */
function passedOn(raw: readonly string[]): string[] {
  const named = new Set(HOP_BY_HOP);
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.toLowerCase() === "connection")
      for (const name of raw[i + 1]?.toLowerCase().split(/\s*,\s*/) ?? []) named.add(name);
  return raw.filter((_, i) => !named.has(raw[i - (i % 2)]?.toLowerCase() ?? ""));
}
