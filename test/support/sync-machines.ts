/** Two machines in one process, each with a vault of its own, paired over loopback by the real thing. */
import { join } from "node:path";
import { createLoginStore, type LoginStore } from "../../src/auth/index.ts";
import { createCookieOf } from "./sync-cookie.ts";
import {
  addressUrl,
  type AllowsPeer,
  createPeerStore,
  createSink,
  type LoginChanges,
  PairingDesk,
  pairWith,
  type Peer,
  type PeerStore,
  push,
  type Pushed,
  type PushOptions,
  SentStore,
  type SinkParts,
  type SourceLogin,
  SyncServer,
} from "../../src/sync/index.ts";
import type { Cookie } from "../../src/cookies/index.ts";
import type { Vault } from "../../src/vault/index.ts";
import { TestVault } from "./test-vault.ts";

const clock = { now: () => Date.now() };
const keyOf = (itemType: string) => ({ domain: "@deputy", identifier: "owner", itemType });
export const allowAll: AllowsPeer = () => ({ ok: true });

export class SyncMachines implements AsyncDisposable {
  readonly #files: [TestVault, TestVault];
  readonly server: SyncServer;
  readonly sinkVault: Vault;
  readonly sinkPeers: PeerStore;
  readonly sinkLogins: LoginStore;
  readonly sent: SentStore;
  /** As each knows the other. */
  readonly sink: Peer;
  readonly source: Peer;
  /** By `domain/account`: what the source has. */
  readonly logins = new Map<string, readonly Cookie[]>();
  readonly received: LoginChanges[] = [];
  allows: AllowsPeer = allowAll;

  private constructor(parts: {
    files: [TestVault, TestVault];
    server: SyncServer;
    vault: Vault;
    sink: Peer;
    source: Peer;
  }) {
    this.#files = parts.files;
    this.server = parts.server;
    this.sink = parts.sink;
    this.source = parts.source;
    this.sinkVault = parts.vault;
    this.sinkPeers = createPeerStore({ vault: parts.vault, keyOf });
    this.sinkLogins = createLoginStore({ vault: parts.vault, clock });
    this.sent = new SentStore(join(parts.files[0].folder, "sync.db"), clock);
    this.server.sink = createSink(this.sinkParts());
  }

  /** Where the sink keeps its files. */
  get folder(): string {
    return this.#files[1].folder;
  }

  static async open(): Promise<SyncMachines> {
    const files: [TestVault, TestVault] = [new TestVault(), new TestVault()];
    const server = await SyncServer.listen({ host: "127.0.0.1", port: 0 });
    const vault = files[1].open();
    const keep = async (peer: Peer) => createPeerStore({ vault, keyOf }).add(peer);
    server.desk = new PairingDesk({ self: { name: "server", role: "sink", url: null }, clock, keep });
    const sink = await pairWith({
      url: addressUrl(server.address),
      code: server.desk.code,
      self: { name: "laptop", role: "source", url: null },
      clock,
    });
    const source = await server.desk.paired;
    server.desk = undefined;
    return new SyncMachines({ files, server, vault, sink, source });
  }

  sinkParts(): SinkParts {
    return {
      peers: async () => this.sinkPeers,
      clock,
      allows: async () => this.allows,
      receive: async (logins) => {
        this.received.push(...logins);
        this.sinkLogins.mergeAll(logins, "peer:laptop", { durable: false });
      },
      receiveRow: async () => ({ ok: false, reason: "no rows in this test" }),
      deliver: async () => [],
    };
  }

  set(domain: string, account: string, cookies: Record<string, string>, updated = Date.now()): void {
    const made = Object.entries(cookies).map(([name, value]) =>
      createCookieOf({ domain, name, value, updated }),
    );
    this.logins.set(`${domain}/${account}`, made);
  }

  sourceLogins(): SourceLogin[] {
    return Array.from(this.logins, ([name, cookies]) => {
      const [domain = "", identifier = ""] = name.split("/");
      const stamp = JSON.stringify(cookies);
      return { domain, identifier, stamp, read: async () => ({ cookies, rows: new Map() }) };
    });
  }

  async push(options: Partial<PushOptions> = {}): Promise<Pushed> {
    return push({
      peer: this.sink,
      sent: this.sent,
      logins: this.sourceLogins(),
      allows: allowAll,
      clock,
      ...options,
    });
  }

  /** What the sink has, by name. */
  held(domain: string, identifier: string): Record<string, string> {
    const cookies = this.sinkLogins.find({ domain, identifier })?.cookies ?? [];
    return Object.fromEntries(cookies.map(({ name, value }) => [name, value]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    this.sent[Symbol.dispose]();
    for (const file of this.#files) file[Symbol.dispose]();
  }
}
