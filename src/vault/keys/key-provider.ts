import type { Secret } from "../../kernel/index.ts";
import type { Header, ProviderKind } from "../header.ts";

/** Where the key-encrypting key comes from. It is 32 bytes, and never in the vault's own file. */
export interface KeyProvider {
  readonly kind: ProviderKind;
  /** Makes and keeps a key for a new vault. The params go into the vault's header, in clear. */
  create(vaultId: Buffer): Promise<{ kek: Secret; params: Header["params"] }>;
  /** Throws VAULT_LOCKED when the key cannot be had now. */
  open(header: Header): Promise<Secret>;
  /** Removes the key of a vault that has another now, or was never made. */
  forget(header: Header): Promise<void>;
}
