import type { Socket } from "node:net";
import { DeputyError, type WireError } from "../kernel/index.ts";
import type { Progress } from "./methods.ts";

/** Counts up when a client could no longer be understood by an engine, or an engine by a client, of another version. */
export const WIRE = 1;

/** One JSON document a line, both ways. */
type ToEngine =
  | { readonly hello: Hello }
  | { readonly id: number; readonly method: string; readonly params: unknown }
  | { readonly id: number; readonly cancel: true };

export type FromEngine =
  | { readonly hello: { readonly version: string; readonly wire?: number; readonly pid: number } }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: WireError }
  | { readonly id: number; readonly progress: Progress }
  | { readonly error: WireError };

/** What a client says of itself when it connects; the acceptor makes the caller from it and from the kernel's word. */
export interface Hello {
  readonly version: string;
  readonly via: "cli" | "mcp";
  /** Which agent it is, or runs for. An MCP client always is one; a command line without is the owner's. */
  readonly agent?: { readonly name: string; readonly version?: string };
}

/** Enough for the largest value with room to spare; a longer line is somebody else's protocol. */
const LONGEST_LINE = 32 * 1024 * 1024;

export function send(socket: Socket, message: ToEngine | FromEngine): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
}

/** Calls `onMessage` for each whole line. A line that is no JSON or too long goes to `onBroken`, once. */
export function receive(
  socket: Socket,
  onMessage: (message: unknown) => void,
  onBroken: (error: DeputyError) => void,
): void {
  let parts: Buffer[] = [];
  let size = 0;
  const fail = (code: "PROTOCOL" | "TOO_LARGE", message: string, hint?: string) => {
    socket.off("data", take);
    onBroken(new DeputyError(code, message, { hint }));
  };
  const take = (chunk: Buffer) => {
    const lines = splitLines(chunk);
    const rest = lines.pop();
    for (const line of lines) {
      const whole = Buffer.concat([...parts, line]);
      parts = [];
      size = 0;
      const message = parseJson(whole);
      // The parser's own words would quote the message.
      if (message === undefined) return fail("PROTOCOL", "A message was not JSON");
      onMessage(message);
    }
    if (rest === undefined || rest.length === 0) return;
    parts.push(rest);
    size += rest.length;
    if (size > LONGEST_LINE)
      fail(
        "TOO_LARGE",
        "A message was too long",
        `Send less at once: at most ${LONGEST_LINE / 1024 ** 2} MB.`,
      );
  };
  socket.on("data", take);
}

/** The last one is the beginning of a line still to come. */
function splitLines(chunk: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
    lines.push(chunk.subarray(start, end));
    start = end + 1;
  }
  lines.push(chunk.subarray(start));
  return lines;
}

/** JSON has no undefined, so undefined says that it was none. */
function parseJson(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
}
