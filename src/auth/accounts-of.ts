import type { Vault } from "../vault/index.ts";

/** The accounts the vault has a row of this type for. */
export function accountsOf(vault: Pick<Vault, "keysOf">, domain: string, itemType: string): string[] {
  return vault
    .keysOf(domain)
    .filter((key) => key.itemType === itemType)
    .map(({ identifier }) => identifier);
}
