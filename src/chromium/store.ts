import { DeputyError, type Secret } from "../kernel/index.ts";
import {
  asSecret,
  decrypt,
  deriveSealingKey,
  encrypt,
  HOST_HASH_BYTES,
  hostHash,
  PREFIX_BYTES,
} from "./sealing.ts";

/** Keys by the prefix of what they seal. On Linux `v10` is the fixed one and `v11` the keyring's. */
export interface SealingKeys {
  readonly v10?: Buffer;
  readonly v11?: Buffer;
}

/** Why a sealed value stays closed. */
export type SealProblem = "APP_BOUND" | "NO_KEY" | "WRONG_KEY" | "WRONG_HOST" | "UNKNOWN_SEAL";

export type Opened =
  | { readonly kind: "opened"; readonly value: Secret }
  | { readonly kind: "closed"; readonly problem: SealProblem };

/** The values of one cookie database: how it seals them depends on its `meta.version`. */
export interface ChromiumStore {
  readonly version: number;
  /** Sealed as the profile's other rows are: with the keyring's key where there is one. */
  seal(value: Secret, hostKey: string): Buffer;
  open(sealed: Uint8Array, hostKey: string): Opened;
}

/**
 * From this version on a value is sealed together with SHA-256(host_key), so that it cannot be moved to another
 * host (net/extras/sqlite/sqlite_persistent_cookie_store.cc, "Version 24").
 */
export const FIRST_VERSION_WITH_HOST_HASH = 24;

export function createChromiumStore(options: { version: number; keys: SealingKeys }): ChromiumStore {
  const { version, keys } = options;
  const bindsHost = version >= FIRST_VERSION_WITH_HOST_HASH;
  // Chromium once sealed with the key of an empty password by mistake, and still opens such values
  // (os_crypt_linux.cc, "kEmptyKey", crbug.com/1195256).
  let emptyKey: Buffer | undefined;
  const empty = () => (emptyKey ??= deriveSealingKey("", 1));
  const hashes = new Map<string, Buffer>();

  function hashOf(hostKey: string): Buffer {
    const hash = hashes.get(hostKey) ?? hostHash(hostKey);
    hashes.set(hostKey, hash);
    return hash;
  }

  return {
    version,
    seal(value, hostKey) {
      const [prefix, key] = keys.v11 === undefined ? ["v10", keys.v10] : ["v11", keys.v11];
      if (key === undefined)
        throw new DeputyError("KEYRING_UNAVAILABLE", "There is no key to seal cookies with");
      const plain = bindsHost ? Buffer.concat([hashOf(hostKey), value.bytes()]) : value.bytes();
      const sealed = Buffer.concat([Buffer.from(prefix), encrypt(plain, key)]);
      if (bindsHost) plain.fill(0);
      return sealed;
    },
    open(sealed, hostKey) {
      const prefix = prefixOf(sealed);
      if (prefix === "v20") return { kind: "closed", problem: "APP_BOUND" };
      if (prefix !== "v10" && prefix !== "v11") return { kind: "closed", problem: "UNKNOWN_SEAL" };
      const key = keys[prefix];
      if (key === undefined) return { kind: "closed", problem: "NO_KEY" };
      const body = sealed.subarray(PREFIX_BYTES);
      let problem: SealProblem = "WRONG_KEY";
      for (const candidate of [() => key, empty]) {
        const plain = decrypt(body, candidate());
        if (plain === undefined) continue;
        if (!bindsHost) return { kind: "opened", value: asSecret(plain) };
        if (plain.subarray(0, HOST_HASH_BYTES).equals(hashOf(hostKey)))
          return { kind: "opened", value: asSecret(plain.subarray(HOST_HASH_BYTES)) };
        problem = "WRONG_HOST";
      }
      return { kind: "closed", problem };
    },
  };
}

/** The first three bytes say who sealed a value. */
export function prefixOf(sealed: Uint8Array): string {
  return String.fromCharCode(...sealed.subarray(0, PREFIX_BYTES));
}
