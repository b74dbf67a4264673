import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DeputyError, type RowKey, Secret } from "../../src/kernel/index.ts";
import { type OpenVault, Vault } from "../../src/vault/vault.ts";

/** The key-encrypting key of every test vault. Children in other processes use it too. */
export function testKek(): Secret {
  return Secret.fromBytes(Buffer.alloc(32, 0x4b));
}

export const META = { source: "test", masked: "…" };

export function key(identifier = "me@example.org", itemType = "password", domain = "exa.ai"): RowKey {
  return { domain, identifier, itemType };
}

/** Rows that a writer puts all at once, and what it calls them. */
export const TOGETHER = "together";
export function togetherKeys(): RowKey[] {
  return Array.from({ length: 12 }, (_, i) => key(`${TOGETHER}-${i}`));
}

/** A vault in a folder of its own, which goes when it is disposed. */
export class TestVault implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "deputy-vault-"));
  readonly path = join(this.folder, "vault.db");
  readonly #open: Disposable[] = [];

  constructor(kek = testKek()) {
    Vault.create(this.path, { provider: "file", params: { path: "/nowhere/vault.key" } }, kek);
  }

  open(options: Partial<OpenVault> = {}): Vault {
    const vault = Vault.open({
      path: this.path,
      kek: testKek(),
      clock: { now: () => Date.now() },
      ...options,
    });
    this.#open.push(vault);
    return vault;
  }

  /** The file as somebody with an editor sees it: no key, no care. */
  raw<T>(work: (db: DatabaseSync) => T): T {
    using db = new DatabaseSync(this.path);
    return work(db);
  }

  /** Closes every vault opened here, so that the file is all there is. */
  close(): void {
    for (const vault of this.#open.splice(0)) {
      try {
        vault[Symbol.dispose]();
      } catch {} // closed by the test itself
    }
  }

  [Symbol.dispose](): void {
    this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function put(vault: Vault, at: RowKey, value: string, expect?: number) {
  using secret = Secret.fromText(value);
  return vault.put(at, secret, META, expect);
}

/** The value in clear, or undefined when there is no row. */
export function read(vault: Vault, at: RowKey): string | undefined {
  const row = vault.find(at);
  const value = row?.value.reveal();
  row?.value[Symbol.dispose]();
  return value;
}

/** The code of the DeputyError that `work` throws; any other error passes, and none gives undefined. */
export function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof DeputyError) return error.code;
    throw error;
  }
}

/** For assert.throws and assert.rejects. */
export function coded(code: string) {
  return (error: unknown) => error instanceof DeputyError && error.code === code;
}
