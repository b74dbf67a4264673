import type { Grant, GrantStore } from "../../access/index.ts";
import { DeputyError, Secret } from "../../kernel/index.ts";
import type { Vault } from "../../vault/index.ts";
import { internalKey } from "../vault/internal-rows.ts";

const KEY = internalKey("grants");
const FORMAT = 1;

/**
 * All grants in one sealed row: who can only edit files can neither make nor change one, and a row taken away or put
 * back is noticed as any other is. A version is the vault's epoch, so none is ever used twice.
 */
export function createGrantStore(vault: Vault): GrantStore {
  return {
    read() {
      const row = vault.find(KEY);
      if (row === undefined) return { version: 0, grants: [] };
      using value = row.value;
      const stored = JSON.parse(value.reveal()) as { format: number; grants: Grant[] };
      if (stored.format === FORMAT) return { version: row.version, grants: stored.grants };
      throw new DeputyError("VAULT_NEWER", "The grants were written by a newer Deputy", {
        hint: "Update this Deputy first.",
      });
    },
    write(grants, expectedVersion) {
      using value = Secret.fromText(JSON.stringify({ format: FORMAT, grants }));
      const masked = grants.length === 1 ? "1 grant" : `${grants.length} grants`;
      return vault.put(KEY, value, { source: "deputy", masked }, expectedVersion).kind === "stored";
    },
  };
}
