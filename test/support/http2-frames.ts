/** What an HTTP/2 client shows of itself first: its settings in order, its window and the order of its pseudo-headers. */
import { createServer, type TLSSocket } from "node:tls";
import type { AddressInfo } from "node:net";

export interface Http2Opening {
  /** Identifier and value, as sent. */
  readonly settings: [number, number][];
  readonly windowUpdate: number;
  /** The HPACK indices (RFC 7541, Appendix A) of the pseudo-headers, in order. */
  readonly pseudoHeaders: string[];
  /** Whether the first HEADERS frame carries a priority, and which. */
  readonly priority: string | null;
}

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** A TLS server that agrees on h2, reads the opening of each connection and hangs up. */
export async function http2OpeningServer(certificate: {
  key: string;
  cert: string;
}): Promise<{ port: number; openings: Http2Opening[] } & AsyncDisposable> {
  const openings: Http2Opening[] = [];
  const server = createServer({ ...certificate, ALPNProtocols: ["h2"] }, (socket: TLSSocket) => {
    let seen = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    socket.on("data", (data: Buffer) => {
      seen = Buffer.concat([seen, data]);
      const opening = readOpening(seen.subarray(PREFACE.length));
      if (opening === undefined) return;
      openings.push(opening);
      socket.destroy();
    });
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: (server.address() as AddressInfo).port,
    openings,
    [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())),
  };
}

/** RFC 9113 4.1 and 6; undefined until the first HEADERS frame is complete. */
function readOpening(bytes: Buffer): Http2Opening | undefined {
  const settings: [number, number][] = [];
  let windowUpdate = 0;
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    const [type, flags] = [bytes.readUInt8(at + 3), bytes.readUInt8(at + 4)];
    const body = bytes.subarray(at + 9, at + 9 + bytes.readUIntBE(at, 3));
    if (at + 9 + bytes.readUIntBE(at, 3) > bytes.length) return undefined;
    if (type === 4 && (flags & 1) === 0)
      for (let i = 0; i < body.length; i += 6)
        settings.push([body.readUInt16BE(i), body.readUInt32BE(i + 2)]);
    if (type === 8) windowUpdate = body.readUInt32BE(0);
    if (type === 1) {
      const priority = (flags & 0x20) === 0 ? null : body.subarray(0, 5).toString("hex");
      return {
        settings,
        windowUpdate,
        priority,
        pseudoHeaders: pseudoHeaders(body.subarray(priority === null ? 0 : 5)),
      };
    }
  }
  return undefined;
}

/** RFC 7541 Appendix A: 1 :authority, 2–3 :method, 4–5 :path, 6–7 :scheme. Reads only as far as those go. */
function pseudoHeaders(block: Buffer): string[] {
  const names = ["", ":authority", ":method", ":method", ":path", ":path", ":scheme", ":scheme"];
  const found: string[] = [];
  let at = 0;
  while (at < block.length) {
    const first = block.readUInt8(at);
    const indexed = (first & 0x80) !== 0;
    const index = indexed ? first & 0x7f : first & ((first & 0x40) === 0 ? 0x0f : 0x3f);
    const name = names[index];
    if (name === undefined || name === "") break;
    found.push(name);
    at += indexed ? 1 : 2 + (block.readUInt8(at + 1) & 0x7f);
  }
  return found;
}
