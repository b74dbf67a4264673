/** What a TLS client shows of itself before anything is agreed: the ClientHello, and its JA4. */
import { createHash } from "node:crypto";
import { type AddressInfo, createServer } from "node:net";

export interface ClientHello {
  readonly ciphers: number[];
  readonly extensions: number[];
  readonly signatureAlgorithms: number[];
  readonly groups: number[];
  readonly alpn: string[];
  readonly ja4: string;
}

/** A server that reads one ClientHello of each connection and hangs up. */
export async function helloServer(): Promise<{ port: number; hellos: ClientHello[] } & AsyncDisposable> {
  const hellos: ClientHello[] = [];
  const server = createServer((socket) => {
    let seen = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("data", (data: Buffer) => {
      seen = Buffer.concat([seen, data]);
      if (seen.length < 5 || seen.length < 5 + seen.readUInt16BE(3)) return;
      hellos.push(readHello(seen.subarray(5, 5 + seen.readUInt16BE(3))));
      socket.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: (server.address() as AddressInfo).port,
    hellos,
    [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())),
  };
}

/** RFC 8446 4.1.2. GREASE values (RFC 8701) are random and left out. */
export function readHello(handshake: Buffer): ClientHello {
  let at = 4 + 2 + 32;
  at += 1 + handshake.readUInt8(at);
  const ciphers = numbers(handshake.subarray(at + 2, at + 2 + handshake.readUInt16BE(at)));
  at += 2 + handshake.readUInt16BE(at);
  at += 1 + handshake.readUInt8(at);
  const end = at + 2 + handshake.readUInt16BE(at);
  const bodies = new Map<number, Buffer>();
  for (at += 2; at < end; at += 4 + handshake.readUInt16BE(at + 2)) {
    bodies.set(
      handshake.readUInt16BE(at),
      handshake.subarray(at + 4, at + 4 + handshake.readUInt16BE(at + 2)),
    );
  }
  const extensions = [...bodies.keys()].filter((type) => !isGrease(type));
  const list = (type: number) => numbers(bodies.get(type)?.subarray(2) ?? Buffer.alloc(0));
  const signatureAlgorithms = list(13);
  const alpn = names(bodies.get(16)?.subarray(2) ?? Buffer.alloc(0));
  const hello = { ciphers, extensions, signatureAlgorithms, groups: list(10), alpn };
  return { ...hello, ja4: ja4(hello, bodies.has(0)) };
}

/** FoxIO's JA4 for TLS over TCP: version, SNI, counts and ALPN, then hashes of what is sorted. */
function ja4(hello: Omit<ClientHello, "ja4">, hasName: boolean): string {
  const { ciphers, extensions, signatureAlgorithms, alpn } = hello;
  const two = (count: number) => String(Math.min(count, 99)).padStart(2, "0");
  const [first = ""] = alpn;
  const ends = first === "" ? "00" : `${first.at(0)}${first.at(-1)}`;
  const hashed = extensions
    .filter((type) => type !== 0 && type !== 16)
    .map(hex)
    .sort()
    .join(",");
  const start = `t13${hasName ? "d" : "i"}${two(ciphers.length)}${two(extensions.length)}${ends}`;
  return [
    start,
    hash(ciphers.map(hex).sort().join(",")),
    hash(`${hashed}_${signatureAlgorithms.map(hex).join(",")}`),
  ].join("_");
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function hex(value: number): string {
  return value.toString(16).padStart(4, "0");
}

function numbers(bytes: Buffer): number[] {
  const found = Array.from({ length: bytes.length >> 1 }, (_, i) => bytes.readUInt16BE(i * 2));
  return found.filter((value) => !isGrease(value));
}

function names(bytes: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < bytes.length; at += 1 + bytes.readUInt8(at)) {
    found.push(bytes.toString("latin1", at + 1, at + 1 + bytes.readUInt8(at)));
  }
  return found;
}

function isGrease(value: number): boolean {
  return (value & 0x0f0f) === 0x0a0a && value >> 8 === (value & 0xff);
}
