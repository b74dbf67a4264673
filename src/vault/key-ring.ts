import { randomBytes } from "node:crypto";
import { Secret } from "../kernel/index.ts";
import type { Database } from "../platform/index.ts";
import { open, seal } from "./aead.ts";
import { encodeFields, FORMAT } from "./binding.ts";
import { damaged } from "./header.ts";

/** The versioned data keys, in memory in clear and in the file wrapped under the ring key. */
export class KeyRing implements Disposable {
  readonly #db: Database;
  readonly #ringKey: Secret;
  readonly #vaultId: Uint8Array;
  #keys = new Map<number, Secret>();

  constructor(db: Database, ringKey: Secret, vaultId: Uint8Array) {
    this.#db = db;
    this.#ringKey = ringKey;
    this.#vaultId = vaultId;
  }

  /** Reads the ring again: another process may have rotated. Keys that are gone from it are zeroed here too. */
  load(): void {
    const keys = new Map<number, Secret>();
    for (const row of this.#db.all("SELECT key_version, wrapped FROM ring")) {
      const { key_version: version, wrapped } = row;
      if (typeof version !== "number" || !(wrapped instanceof Uint8Array))
        throw damaged("its key ring is malformed");
      const key = open(this.#ringKey.bytes(), wrapped, this.#binding(version));
      if (key === undefined) throw damaged("its key ring does not prove itself");
      keys.set(version, Secret.fromBytes(key));
    }
    if (keys.size === 0) throw damaged("its key ring is empty");
    for (const key of this.#keys.values()) key[Symbol.dispose]();
    this.#keys = keys;
  }

  /** Undefined when no key of that version exists, in memory or in the file. */
  find(version: number): Secret | undefined {
    if (!this.#keys.has(version)) this.load();
    return this.#keys.get(version);
  }

  versions(): number[] {
    this.load();
    return [...this.#keys.keys()].sort((a, b) => a - b);
  }

  /** Inside a transaction: a new random data key. Not kept in memory, since the transaction may yet fail. */
  create(version: number): void {
    using key = Secret.fromBytes(randomBytes(32));
    this.#write(version, key);
  }

  /** Inside a transaction: ends every key but `version`. */
  keepOnly(version: number): void {
    this.#db.run("DELETE FROM ring WHERE key_version <> ?", version);
  }

  /** Inside a transaction: the same data keys under another ring key. */
  rewrap(other: KeyRing): void {
    for (const [version, key] of other.#keys) {
      const copy = Secret.fromBytes(Buffer.from(key.bytes()));
      this.#write(version, copy);
      this.#keys.set(version, copy);
    }
  }

  [Symbol.dispose](): void {
    for (const key of this.#keys.values()) key[Symbol.dispose]();
    this.#keys.clear();
    this.#ringKey[Symbol.dispose]();
  }

  #write(version: number, key: Secret): void {
    const wrapped = seal(this.#ringKey.bytes(), key.bytes(), this.#binding(version));
    this.#db.run("INSERT OR REPLACE INTO ring (key_version, wrapped) VALUES (?, ?)", version, wrapped);
  }

  #binding(version: number): Buffer {
    return encodeFields("deputy-ring", FORMAT, this.#vaultId, version);
  }
}
