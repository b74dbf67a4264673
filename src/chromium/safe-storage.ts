import { DeputyError } from "../kernel/index.ts";
import type { Environment, SecretLookup } from "../platform/index.ts";
import { deriveSealingKey, ITERATIONS } from "./sealing.ts";
import type { SealingKeys } from "./store.ts";

/** Where a browser keeps the password its cookies are sealed with. */
export interface KeyPlace {
  /** Linux: the attribute `application` of its item in the Secret Service. */
  readonly application: string;
  /** macOS: its item in the Keychain is `<keychain> Safe Storage` of the account `<keychain>`. */
  readonly keychain: string;
}

/** Why there is no key: the browser's password store does not answer, or not in a way Deputy speaks. */
type KeyProblem = "KEYRING_UNAVAILABLE" | "KEY_MISSING" | "KWALLET_UNSUPPORTED" | "DPAPI_UNSUPPORTED";

/** What there is, and why there is not more. */
export interface FoundKeys {
  readonly keys: SealingKeys;
  readonly problems: readonly { readonly code: KeyProblem; readonly reason: string }[];
}

export interface SafeStorageOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  readonly lookupSecret: (attributes: Record<string, string>, env: Environment) => Promise<SecretLookup>;
  readonly lookupKeychain: (service: string, account: string, env: Environment) => Promise<SecretLookup>;
  /** Whether this desktop keeps passwords in KWallet, so that the warning can say so. */
  readonly usesKWallet?: () => boolean;
}

/** Disposing zeroes the keys it keeps. */
export interface SafeStorage extends Disposable {
  /** The keys for values with these prefixes. Asks the system only for what is needed, and once. */
  keysFor(place: KeyPlace, prefixes: ReadonlySet<string>): Promise<FoundKeys>;
}

// components/os_crypt/sync/os_crypt_linux.cc, kV10Password: without a keyring the password is this constant.
const PUBLIC_PASSWORD = "peanuts";
// components/os_crypt/sync/key_storage_libsecret.cc, kKeystoreSchemaV2.
const SCHEMA = "chrome_libsecret_os_crypt_password_v2";

/** The sealing keys of the browsers on this machine, kept in memory once found. */
export function createSafeStorage(options: SafeStorageOptions): SafeStorage {
  const found = new Map<string, Buffer>();

  async function derived(
    name: string,
    iterations: number,
    ask: () => Promise<SecretLookup>,
  ): Promise<Buffer | Exclude<SecretLookup, { kind: "found" }>> {
    const known = found.get(name);
    if (known !== undefined) return known;
    const answer = await ask().catch((error: unknown): SecretLookup => {
      if (!(error instanceof DeputyError)) throw error;
      return { kind: "unavailable", reason: error.message };
    });
    if (answer.kind !== "found") return answer;
    using secret = answer.secret;
    const key = deriveSealingKey(secret.bytes(), iterations);
    found.set(name, key);
    return key;
  }

  async function onLinux(place: KeyPlace, prefixes: ReadonlySet<string>): Promise<FoundKeys> {
    const v10 = deriveSealingKey(PUBLIC_PASSWORD, ITERATIONS.linux);
    if (!prefixes.has("v11")) return { keys: { v10 }, problems: [] };
    const answer = await derived(place.application, ITERATIONS.linux, async () => {
      const exact = { "xdg:schema": SCHEMA, application: place.application };
      const first = await options.lookupSecret(exact, options.env);
      if (first.kind !== "missing") return first;
      return options.lookupSecret({ application: place.application }, options.env);
    });
    if (Buffer.isBuffer(answer)) return { keys: { v10, v11: answer }, problems: [] };
    const reason = answer.kind === "missing" ? `it has no item of ${place.application}` : answer.reason;
    if (options.usesKWallet?.())
      return { keys: { v10 }, problems: [{ code: "KWALLET_UNSUPPORTED", reason }] };
    const code = answer.kind === "missing" ? "KEY_MISSING" : "KEYRING_UNAVAILABLE";
    return { keys: { v10 }, problems: [{ code, reason }] };
  }

  async function onMac(place: KeyPlace, prefixes: ReadonlySet<string>): Promise<FoundKeys> {
    if (!prefixes.has("v10")) return { keys: {}, problems: [] };
    const answer = await derived(place.keychain, ITERATIONS.darwin, () =>
      options.lookupKeychain(`${place.keychain} Safe Storage`, place.keychain, options.env),
    );
    if (Buffer.isBuffer(answer)) return { keys: { v10: answer }, problems: [] };
    if (answer.kind === "missing")
      return {
        keys: {},
        problems: [{ code: "KEY_MISSING", reason: `no item ${place.keychain} Safe Storage` }],
      };
    return { keys: {}, problems: [{ code: "KEYRING_UNAVAILABLE", reason: answer.reason }] };
  }

  return {
    async keysFor(place, prefixes) {
      if (options.platform === "darwin") return onMac(place, prefixes);
      if (options.platform !== "win32") return onLinux(place, prefixes);
      if (!prefixes.has("v10")) return { keys: {}, problems: [] };
      const reason = "Deputy does not ask the Windows Data Protection API";
      return { keys: {}, problems: [{ code: "DPAPI_UNSUPPORTED", reason }] };
    },
    [Symbol.dispose]() {
      for (const key of found.values()) key.fill(0);
      found.clear();
    },
  };
}
