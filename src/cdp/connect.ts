import { DeputyError } from "../kernel/index.ts";
import { type CdpConnection, createCdpConnection } from "./connection.ts";
import { openWebSocketTransport } from "./web-socket-transport.ts";

interface ConnectOptions {
  /** For the connection and for each call on it. */
  readonly timeoutMs?: number;
}

/**
 * To a running browser by its address: `ws://…` as the browser printed it, or `http://127.0.0.1:9222`, where the
 * browser is asked for it.
 */
export async function connectCdp(
  endpoint: string,
  { timeoutMs = 30_000 }: ConnectOptions = {},
): Promise<CdpConnection> {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^(wss?|https?):$/.test(url.protocol))
    throw new DeputyError("BAD_INPUT", "Cannot connect to the browser: that is not an address", {
      hint: "Give http://127.0.0.1:9222 or the ws:// address the browser printed.",
    });
  const target = url.protocol.startsWith("ws") ? url.href : await askForSocket(url, timeoutMs);
  return createCdpConnection(await openWebSocketTransport(target, timeoutMs), { timeoutMs });
}

async function askForSocket(url: URL, timeoutMs: number): Promise<string> {
  let answer: unknown;
  try {
    const response = await fetch(new URL("/json/version", url), {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: "error",
    });
    answer = await response.json();
  } catch (cause) {
    throw new DeputyError("PROTOCOL", `No browser answers at ${url.host}`, {
      hint: "Start the browser with --remote-debugging-port=9222.",
      cause,
    });
  }
  const socket = (answer as { webSocketDebuggerUrl?: unknown } | null)?.webSocketDebuggerUrl;
  if (typeof socket !== "string" || !URL.canParse(socket))
    throw new DeputyError("PROTOCOL", `What answers at ${url.host} is not a browser`, {
      hint: "Give the address of a browser started with --remote-debugging-port.",
    });
  // Of the answer only the path counts: it must not send us to another host.
  return new URL(new URL(socket).pathname, `${url.protocol === "https:" ? "wss" : "ws"}://${url.host}`).href;
}
