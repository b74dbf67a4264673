import { readFileSync } from "node:fs";
import { DeputyError } from "../../kernel/index.ts";
import { type Address, type Certificate, SyncServer } from "../../sync/index.ts";

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

interface Shared {
  readonly server: Promise<SyncServer>;
  users: number;
}

/** One server an address, however many use it: a machine is paired while its sink runs. */
export class SyncServers implements AsyncDisposable {
  readonly #tls: () => CertificateFiles | undefined;
  readonly #open = new Map<string, Shared>();

  /** Read anew: a certificate is renewed every few weeks. */
  constructor(tls: () => CertificateFiles | undefined) {
    this.#tls = tls;
  }

  async use(address: Address): Promise<{ server: SyncServer } & AsyncDisposable> {
    const name = `${address.host} ${address.port}`;
    const shared = this.#open.get(name) ?? { server: this.#listen(address), users: 0 };
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

  /** Where sinks listen now. */
  async sinks(): Promise<string[]> {
    const servers = await Promise.all(
      Array.from(this.#open.values(), ({ server }) => server.catch(() => undefined)),
    );
    return servers.flatMap((server) => (server?.sink === undefined ? [] : [server.url]));
  }

  async #listen(address: Address): Promise<SyncServer> {
    const files = this.#tls();
    return SyncServer.listen(address, files && readCertificate(files));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { server } of this.#open.values()) await (await server)[Symbol.asyncDispose]();
  }
}

function readCertificate({ cert, key }: CertificateFiles): Certificate {
  try {
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } catch (cause) {
    throw new DeputyError("BAD_CONFIG", "Cannot read the certificate or its key", {
      hint: "sync: {tls: {cert: FILE, key: FILE}} in config.yaml names two PEM files.",
      cause,
    });
  }
}
