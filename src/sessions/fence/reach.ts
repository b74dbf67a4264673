import { lookup } from "node:dns/promises";
import { BlockList, connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { hostMatches } from "../../cookies/index.ts";
import { DeputyError } from "../../kernel/index.ts";

interface Options {
  readonly allow: readonly string[];
  readonly overrides: ReadonlyMap<string, readonly string[]>;
  readonly upstream: string | undefined;
}

const PATIENCE_MS = 30_000;
const LARGEST_ANSWER = 16 * 1024;
const LOOK_AT_PROXY = "Look at `proxy:` in config.yaml.";

/** This machine and its neighbours on the wire (RFC 6890): no name of the open Internet leads there honestly. */
const here = new BlockList();
here.addSubnet("0.0.0.0", 8, "ipv4");
here.addSubnet("127.0.0.0", 8, "ipv4");
here.addSubnet("169.254.0.0", 16, "ipv4");
here.addAddress("::", "ipv6");
here.addAddress("::1", "ipv6");
here.addSubnet("fe80::", 10, "ipv6");

/** The way to a host that may be reached: by itself, or through the owner's own proxy. */
export class Reach {
  readonly #allow: readonly string[];
  readonly #overrides: ReadonlyMap<string, readonly string[]>;
  readonly upstream: URL | undefined;

  constructor({ allow, overrides, upstream }: Options) {
    this.#allow = allow;
    this.#overrides = overrides;
    this.upstream = upstream === undefined ? undefined : new URL(upstream);
    if (this.upstream !== undefined && !/^https?:$/.test(this.upstream.protocol))
      throw new DeputyError("UNSUPPORTED", "A fenced session cannot go through this kind of proxy", {
        hint: "Name an http or https proxy in config.yaml",
      });
  }

  /** Bytes in both directions. */
  async tunnel(host: string, port: number): Promise<Socket> {
    if (this.upstream === undefined) return await this.#dial(host, port);
    const socket = await dialProxy(this.upstream);
    const target = `${host}:${port}`;
    const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`];
    const credential = proxyCredential(this.upstream);
    if (credential !== undefined) lines.push(`Proxy-Authorization: ${credential}`);
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    await accepted(socket);
    return socket;
  }

  /** To send one plain request on. */
  async open(host: string, port: number): Promise<Socket> {
    return this.upstream === undefined ? await this.#dial(host, port) : await dialProxy(this.upstream);
  }

  async #dial(host: string, port: number): Promise<Socket> {
    let failure: unknown;
    for (const address of await this.#addressesOf(host)) {
      try {
        return await connected(connect({ host: address, port }), "connect");
      } catch (error) {
        failure = error;
      }
    }
    throw new DeputyError("NETWORK_FAILED", `Cannot reach ${host}`, { cause: failure });
  }

  async #addressesOf(host: string): Promise<readonly string[]> {
    const name = host.replace(/\.$/, "").replace(/^\[(.*)\]$/, "$1");
    const override = this.#overrides.get(name);
    if (override !== undefined) return override;
    // RFC 6761 6.3: names below localhost are what localhost is, and no DNS server is asked about them.
    const asked = name.endsWith(".localhost") ? "localhost" : name;
    const found = isIP(name) === 0 ? await lookup(asked, { all: true }).catch(() => []) : [{ address: name }];
    if (found.length === 0) throw new DeputyError("NETWORK_FAILED", `Cannot find ${name}`);
    const addresses = found.map(({ address }) => address);
    // One such answer among others is a name that was pointed at this machine (DNS rebinding).
    if (!this.#isNamedHere(host) && addresses.some(isHere))
      throw new DeputyError("DENIED", `Cannot contact ${name}: its address is this machine's`, {
        hint: "Give the host an address under `resolve:` in config.yaml",
      });
    return addresses;
  }

  /** The owner named this machine itself: by an address, or as RFC 6761 6.3 reserves names for it. */
  #isNamedHere(host: string): boolean {
    const local = isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0 || /(^|\.)localhost$/.test(host);
    return local && this.#allow.some((pattern) => pattern !== "*" && hostMatches(pattern, host));
  }
}

async function dialProxy(proxy: URL): Promise<Socket> {
  const host = proxy.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = Number(proxy.port === "" ? (proxy.protocol === "https:" ? 443 : 80) : proxy.port);
  if (proxy.protocol === "http:") return await connected(connect({ host, port }), "connect");
  const name = isIP(host) === 0 ? { servername: host } : {};
  return await connected(connectTls({ host, port, ...name }), "secureConnect");
}

function isHere(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  return here.check(mapped, isIP(mapped) === 6 ? "ipv6" : "ipv4");
}

export function proxyCredential({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

function connected(socket: Socket, event: "connect" | "secureConnect"): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error("no answer in time")), PATIENCE_MS);
    socket.once("error", reject);
    socket.once("close", () => clearTimeout(timer));
    socket.once(event, () => {
      clearTimeout(timer);
      socket.off("error", reject);
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
  });
}

/** The proxy's answer to CONNECT; what follows it is the tunnel's. */
function accepted(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    const failed = () => {
      clearTimeout(timer);
      reject(
        new DeputyError("NETWORK_FAILED", "The proxy broke off, or does not answer", { hint: LOOK_AT_PROXY }),
      );
    };
    const onData = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0 && head.length < LARGEST_ANSWER) return;
      clearTimeout(timer);
      socket.off("data", onData).off("close", failed);
      socket.pause();
      if (end < 0 || !/^HTTP\/1\.[01] 2\d\d/.test(head.toString("latin1"))) {
        socket.destroy();
        return reject(new DeputyError("NETWORK_FAILED", "The proxy refused", { hint: LOOK_AT_PROXY }));
      }
      const rest = head.subarray(end + 4);
      if (rest.length > 0) socket.unshift(rest);
      resolve();
    };
    socket.on("data", onData).once("close", failed);
  });
}
