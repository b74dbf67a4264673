import { randomBytes } from "node:crypto";
import { DeputyError, Secret } from "../../kernel/index.ts";
import type { Keyring } from "../../platform/index.ts";
import type { KeyProvider } from "./key-provider.ts";

/** The key lives in the system's keyring under the vault's id. */
export function keyringKey(keyring: Keyring): KeyProvider {
  const account = (vaultId: Buffer) => `vault-${vaultId.toString("hex")}`;
  return {
    kind: "keyring",
    async create(vaultId) {
      // A key is never overwritten: a copy of this vault made earlier has the same id and needs it.
      const kept = await keyring.find(account(vaultId));
      if (kept !== undefined) return { kek: kept, params: {}, undo: async () => {} };
      const kek = Secret.fromBytes(randomBytes(32));
      await keyring.store(account(vaultId), kek);
      return { kek, params: {}, undo: () => keyring.remove(account(vaultId)) };
    },
    async open(header) {
      const kek = await keyring.find(account(header.vaultId));
      if (kek !== undefined) return kek;
      throw new DeputyError("VAULT_LOCKED", "The system's keyring has no key for this vault", {
        hint: "Was the vault copied from another machine? Move it with deputy vault export and import.",
      });
    },
    async retire() {
      return "The old key is still in the keyring, where copies of this vault made before need it.";
    },
  };
}
