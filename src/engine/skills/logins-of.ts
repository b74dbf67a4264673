import { DeputyError } from "../../kernel/index.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

export interface Logins {
  /** False: the vault is there and cannot be looked into. */
  readonly known: boolean;
  has(domain: string, itemType: string): boolean;
}

/** Whose logins there are. Without a vault, or with one that is locked, none can be seen. */
export async function loginsOf(door: VaultDoor): Promise<Logins> {
  try {
    const rows = (await door.get()).list();
    return {
      known: true,
      has: (domain, type) => rows.some(({ key }) => key.domain === domain && key.itemType === type),
    };
  } catch (error) {
    if (error instanceof DeputyError) return { known: error.code === "NOT_SET_UP", has: () => false };
    throw error;
  }
}
