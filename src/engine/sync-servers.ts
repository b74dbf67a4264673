import { type Address, SyncServer } from "../sync/index.ts";

interface Shared {
  readonly server: Promise<SyncServer>;
  users: number;
}

/** One server an address, however many use it: a machine is paired while its sink runs. */
export class SyncServers implements AsyncDisposable {
  readonly #open = new Map<string, Shared>();

  async use(address: Address): Promise<{ server: SyncServer } & AsyncDisposable> {
    const name = `${address.host} ${address.port}`;
    const shared = this.#open.get(name) ?? { server: SyncServer.listen(address), users: 0 };
    // Port 0 is a new port each time.
    if (address.port !== 0) this.#open.set(name, shared);
    shared.users++;
    const leave = async () => {
      if (--shared.users > 0) return;
      this.#open.delete(name);
      await (await shared.server)[Symbol.asyncDispose]();
    };
    try {
      return { server: await shared.server, [Symbol.asyncDispose]: leave };
    } catch (error) {
      this.#open.delete(name);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { server } of this.#open.values()) await (await server)[Symbol.asyncDispose]();
  }
}
