import { createTransport, type Transport } from "wreq-js";
import type { Identity } from "../kernel/index.ts";
import { withNativeEnvironment } from "../platform/index.ts";
import { http1Tls } from "./http1-tls.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import type { Profile } from "./profile.ts";

export interface TransportKey {
  readonly identity: Identity | null;
  readonly profile: Profile;
  readonly alpn: "h1" | "h2";
  readonly host: string;
  /** Checked, and the only ones that will be connected to. */
  readonly addresses: readonly string[];
}

export interface PoolOptions {
  readonly size?: number;
  readonly limits?: Partial<Limits>;
  /** A PEM file of roots to trust beside Mozilla's, from config.yaml. */
  readonly roots?: string | undefined;
  /** From config.yaml. Whoever runs it resolves names instead of us. */
  readonly proxy?: string | undefined;
}

/** What the native transport would read by itself: whoever started the process could redirect credentials with it. */
const READ_BY_TRANSPORT = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]
  .flatMap((name) => [name, name.toLowerCase()])
  .concat("REQUEST_METHOD", "SSL_CERT_FILE", "SSL_CERT_DIR");

interface Lent {
  readonly owner: string;
  readonly transport: Promise<Transport>;
}

/**
 * Native transports, each with connections and TLS tickets of its own: one per identity, browser, protocol and host, so
 * that no service can tell that two identities are one person's. The least recently used go first.
 */
export class TransportPool implements AsyncDisposable {
  readonly #size: number;
  readonly #limits: Limits;
  readonly #roots: string | undefined;
  readonly #proxy: string | undefined;
  readonly #lent = new Map<string, Lent>();

  constructor({ size = 64, limits, roots, proxy }: PoolOptions = {}) {
    this.#size = size;
    this.#limits = { ...defaultLimits, ...limits };
    this.#roots = roots;
    this.#proxy = proxy;
  }

  get size(): number {
    return this.#lent.size;
  }

  lend(key: TransportKey): Promise<Transport> {
    const { profile, alpn, host, addresses } = key;
    const owner = ownerOf(key.identity);
    const id = JSON.stringify([owner, profile.browser, profile.os, alpn, host, addresses]);
    const known = this.#lent.get(id);
    if (known !== undefined) {
      this.#lent.delete(id);
      this.#lent.set(id, known);
      return known.transport;
    }
    const transport = this.#create(key);
    this.#lent.set(id, { owner, transport });
    transport.catch(() => this.#lent.delete(id));
    const oldest = this.#lent.keys().next();
    if (this.#lent.size > this.#size && oldest.done !== true) void this.#close(oldest.value);
    return transport;
  }

  /** What is on its way still arrives; nothing new uses the identity's connections. */
  async drop(identity: Identity): Promise<void> {
    const owner = ownerOf(identity);
    const theirs = [...this.#lent].filter(([, lent]) => lent.owner === owner);
    await Promise.all(theirs.map(([id]) => this.#close(id)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#lent.keys()].map((id) => this.#close(id)));
  }

  #create({ profile, alpn, host, addresses }: TransportKey): Promise<Transport> {
    const environment = Object.fromEntries(READ_BY_TRANSPORT.map((name) => [name, undefined]));
    const make = () =>
      createTransport({
        browser: profile.browser,
        os: profile.os,
        trustStore: this.#roots === undefined ? "mozilla" : "combined",
        resolve: { [host]: [...addresses] },
        connectTimeout: this.#limits.connectMs,
        readTimeout: this.#limits.idleMs,
        ...(this.#proxy === undefined ? {} : { proxy: this.#proxy }),
        emulation: {
          // Where the transport writes these itself, it would put them last; no browser does.
          origHeaders: ["Host", "Connection", "Content-Length"],
          ...(alpn === "h1" ? { tlsOptions: http1Tls[profile.family] } : {}),
        },
      });
    return withNativeEnvironment({ ...environment, SSL_CERT_FILE: this.#roots }, make);
  }

  async #close(id: string): Promise<void> {
    const lent = this.#lent.get(id);
    this.#lent.delete(id);
    const transport = await lent?.transport.catch(() => undefined);
    await transport?.close();
  }
}

function ownerOf(identity: Identity | null): string {
  return identity === null ? "" : JSON.stringify([identity.domain, identity.identifier]);
}
