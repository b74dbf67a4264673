/**
 * The encrypted store of logins: rows keyed (domain, identifier, item type), each sealed on its own, all counted
 * so that a removed or rolled-back row is noticed. It never writes a value in clear, never guesses at a file that
 * does not prove itself, and knows nothing of what the values mean.
 */
export { connectionDomain, foldDomain } from "./domain.ts";
export { createEpochMark, type EpochMark } from "./epoch-mark.ts";
export { findHeader, type Header, type ProviderKind } from "./header.ts";
export { fileKey } from "./keys/file-key.ts";
export type { KeyProvider } from "./keys/key-provider.ts";
export { keyringKey } from "./keys/keyring-key.ts";
export { passphraseKey } from "./keys/passphrase-key.ts";
export type { VaultLease } from "./leases.ts";
export { maskValue } from "./mask.ts";
export { openExport, sealExport } from "./portable.ts";
export { LARGEST_VALUE, type NewRow, type Put } from "./put-rows.ts";
export { rowKey } from "./row-key.ts";
export type { RowSummary } from "./row-summaries.ts";
export type { Row, RowMeta } from "./sealed-row.ts";
export { Vault } from "./vault.ts";
