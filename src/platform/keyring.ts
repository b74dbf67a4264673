import { randomBytes } from "node:crypto";
import { DeputyError, Secret } from "../kernel/index.ts";

/** Small secrets kept by the system for this user: Secret Service, Keychain or Credential Manager. */
export interface Keyring {
  find(account: string): Promise<Secret | undefined>;
  store(account: string, value: Secret): Promise<void>;
  remove(account: string): Promise<void>;
  /** Writes, reads and deletes a throw-away entry: a keyring that only seems to be there fails here. */
  probe(): Promise<{ kind: "works" } | { kind: "unavailable"; reason: string }>;
}

/** A keyring that asks for its own password may wait for a person, but not for ever. */
const PATIENCE_MS = 30_000;

/** What Deputy's own entries are filed under. */
const SERVICE = "deputy";

/** Whether an entry of that service can be one of Deputy's: the vault's key among them. */
export function isOwnService(service: string): boolean {
  const name = service.normalize("NFKC").trim().toLowerCase();
  return name === "" || name === SERVICE || /^deputy[^a-z0-9]/.test(name);
}

export function createKeyring(service = SERVICE): Keyring {
  // Without the pin the library falls back to the kernel keyring, which is memory: gone after a reboot.
  const entry = async (account: string) => {
    const { AsyncEntry } = await import("@napi-rs/keyring"); // native code, and most commands ask no keyring
    return new AsyncEntry(service, account, { linux: { store: "secret-service" } });
  };

  async function ask<T>(what: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await what(AbortSignal.timeout(PATIENCE_MS));
    } catch (cause) {
      throw new DeputyError("KEYRING_UNAVAILABLE", "The system's keyring does not answer", {
        hint: "Unlock it (log in to your desktop), or use another key: deputy setup --key passphrase",
        cause,
      });
    }
  }

  const keyring: Keyring = {
    async find(account) {
      const bytes = await ask(async (signal) => (await entry(account)).getSecret(signal));
      return bytes === null ? undefined : Secret.fromBytes(Buffer.from(bytes));
    },
    async store(account, value) {
      await ask(async (signal) => (await entry(account)).setSecret(value.bytes(), signal));
    },
    async remove(account) {
      await ask(async (signal) => (await entry(account)).deleteCredential(signal));
    },
    async probe() {
      const account = `probe-${randomBytes(8).toString("hex")}`;
      const value = randomBytes(16);
      try {
        await keyring.store(account, Secret.fromBytes(Buffer.from(value)));
        const back = await keyring.find(account).finally(() => keyring.remove(account));
        if (back?.bytes().equals(value)) return { kind: "works" };
        return { kind: "unavailable", reason: "it gave back something else than was stored" };
      } catch (error) {
        const cause =
          error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
        return { kind: "unavailable", reason: cause };
      }
    },
  };
  return keyring;
}
