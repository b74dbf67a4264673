import type { RowKey } from "../../kernel/index.ts";
import type { RowSummary, Vault } from "../../vault/index.ts";

/** No host name has an @: what a command, a skill or an import names is folded to a domain first, and is never this. */
const DOMAIN = "@deputy";

/** The row of something Deputy keeps for itself in the vault. */
export function internalKey(itemType: string): RowKey {
  return { domain: DOMAIN, identifier: "owner", itemType };
}

export function isInternal(key: RowKey): boolean {
  return key.domain === DOMAIN;
}

/** The rows that are the owner's logins. */
export function listLogins(vault: Vault): RowSummary[] {
  return vault.list().filter(({ key }) => !isInternal(key));
}

/** The same for who asks again and again: see `Vault.glance`. */
export function glanceLogins(vault: Vault): RowSummary[] {
  return vault.glance().filter(({ key }) => !isInternal(key));
}
