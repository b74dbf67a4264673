import { DeputyError } from "../kernel/index.ts";
import type { Transport } from "./transport.ts";

/** To a browser that listens: `ws://127.0.0.1:9222/devtools/browser/…`. */
export async function openWebSocketTransport(url: string, timeoutMs: number): Promise<Transport> {
  const socket = new WebSocket(url);
  const opened = Promise.withResolvers<void>();
  const timer = setTimeout(() => opened.reject(unreachable(url, "TIMEOUT")), timeoutMs);
  socket.addEventListener("open", () => opened.resolve());
  socket.addEventListener("error", () => opened.reject(unreachable(url, "PROTOCOL")));
  try {
    await opened.promise;
  } catch (error) {
    socket.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return {
    send: (message) => socket.send(message),
    listen({ onMessage, onClose }) {
      socket.addEventListener("message", ({ data }) => {
        if (typeof data === "string") onMessage(data);
      });
      socket.addEventListener("close", () => onClose("the browser closed the connection"));
    },
    close: () => socket.close(),
  };
}

function unreachable(url: string, code: "TIMEOUT" | "PROTOCOL"): DeputyError {
  // Not the whole URL: its path is a secret that gives control of the browser.
  const { host } = new URL(url);
  return new DeputyError(code, `No browser answers at ${host}`, {
    hint: "Start the browser with --remote-debugging-port and give that address.",
  });
}
