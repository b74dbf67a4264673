import type { Readable, Writable } from "node:stream";
import type { Transport } from "./transport.ts";

/** Chromium sends none larger (content/browser/devtools/devtools_pipe_handler.cc, kSendBufferSizeForDevTools). */
const LARGEST_MESSAGE = 256 * 1024 * 1024;

/** `--remote-debugging-pipe`: JSON messages, each ended by a NUL. */
export function createPipeTransport(pipes: { toBrowser: Writable; fromBrowser: Readable }): Transport {
  const { toBrowser, fromBrowser } = pipes;
  return {
    send(message) {
      toBrowser.write(`${message}\0`);
    },
    listen({ onMessage, onClose }) {
      let parts: Buffer[] = [];
      let size = 0;
      fromBrowser.on("data", (chunk: Buffer) => {
        let from = 0;
        for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
          const message = Buffer.concat([...parts, chunk.subarray(from, end)]).toString("utf8");
          [parts, size, from] = [[], 0, end + 1];
          onMessage(message);
        }
        parts.push(chunk.subarray(from));
        size += chunk.length - from;
        if (size > LARGEST_MESSAGE) fromBrowser.destroy();
      });
      const closed = () => onClose("the browser closed the pipe");
      fromBrowser.on("close", closed).on("error", closed);
      toBrowser.on("error", closed);
    },
    close() {
      toBrowser.end();
      fromBrowser.destroy();
    },
  };
}
