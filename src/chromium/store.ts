import { DeputyError, type Secret } from "../kernel/index.ts";
import {
  asSecret,
  createDecrypt,
  type Decrypt,
  deriveSealingKey,
  HOST_HASH_BYTES,
  hostHash,
  PREFIX_BYTES,
} from "./sealing.ts";
import { createOpenAll, createSealAll } from "./seal-blocks.ts";

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
  seal(value: Secret | string, hostKey: string): Buffer;
  /** The same for many at once, several times as fast. */
  sealAll(values: readonly { readonly hostKey: string; readonly value: Secret | string }[]): Buffer[];
  /** Whether each was sealed as `seal` would now, and opens to its value. */
  allOpenTo(rows: readonly { sealed: Uint8Array; hostKey: string; cookie: { value: string } }[]): boolean;
  open(sealed: Uint8Array, hostKey: string): Opened;
}

/**
 * From this version on a value is sealed together with SHA-256(host_key), so that it cannot be moved to another
 * host (net/extras/sqlite/sqlite_persistent_cookie_store.cc, "Version 24").
 */
const FIRST_VERSION_WITH_HOST_HASH = 24;

const NOTHING = Buffer.alloc(0);

export function createChromiumStore(options: { version: number; keys: SealingKeys }): ChromiumStore {
  const { version, keys } = options;
  const bindsHost = version >= FIRST_VERSION_WITH_HOST_HASH;
  const hashOf = remembered(hostHash);
  const decryptOf = remembered((prefix: "v10" | "v11" | "empty"): Decrypt | undefined => {
    // Chromium once sealed with the key of an empty password by mistake, and still opens such values
    // (components/os_crypt/sync/os_crypt_linux.cc, crbug.com/1195256).
    const key = prefix === "empty" ? deriveSealingKey("", 1) : keys[prefix];
    return key === undefined ? undefined : createDecrypt(key);
  });

  const sealWith = remembered(createSealAll);
  const openWith = remembered(createOpenAll);
  const [prefix, key] = keys.v11 === undefined ? ["v10", keys.v10] : ["v11", keys.v11];

  function sealAll(
    values: readonly { readonly value: Secret | string; readonly hostKey: string }[],
  ): Buffer[] {
    if (key === undefined)
      throw new DeputyError("KEYRING_UNAVAILABLE", "There is no key to seal cookies with", {
        hint: "Unlock the system's keyring (log in to your desktop), then try again.",
      });
    const plains = values.map(({ value, hostKey }) => ({
      head: bindsHost ? hashOf(hostKey) : NOTHING,
      text: typeof value === "string" ? value : value.bytes(),
    }));
    return sealWith(key)(Buffer.from(prefix), plains);
  }

  return {
    version,
    sealAll,
    seal: (value, hostKey) => sealAll([{ value, hostKey }])[0] ?? NOTHING,
    allOpenTo(rows) {
      if (key === undefined) return false;
      const { bytes, spans } = openWith(key)(
        PREFIX_BYTES,
        rows.map(({ sealed }) => sealed),
      );
      const bound = bindsHost ? HOST_HASH_BYTES : 0;
      const right = rows.every(({ sealed, hostKey, cookie }, i) => {
        const span = spans[i];
        if (span === undefined || prefixOf(sealed) !== prefix) return false;
        const text = span.begin + bound;
        const isBound = !bindsHost || bytes.compare(hashOf(hostKey), 0, bound, span.begin, text) === 0;
        return isBound && text <= span.end && bytes.toString("utf8", text, span.end) === cookie.value;
      });
      bytes.fill(0);
      return right;
    },
    open(sealed, hostKey) {
      const prefix = prefixOf(sealed);
      if (prefix === "v20") return { kind: "closed", problem: "APP_BOUND" };
      if (prefix !== "v10" && prefix !== "v11") return { kind: "closed", problem: "UNKNOWN_SEAL" };
      if (keys[prefix] === undefined) return { kind: "closed", problem: "NO_KEY" };
      const body = sealed.subarray(PREFIX_BYTES);
      let problem: SealProblem = "WRONG_KEY";
      for (const candidate of [prefix, "empty"] as const) {
        const plain = decryptOf(candidate)?.(body);
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
  return String.fromCharCode(sealed[0] ?? 0, sealed[1] ?? 0, sealed[2] ?? 0);
}

function remembered<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}
