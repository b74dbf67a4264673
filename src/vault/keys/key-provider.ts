import type { Secret } from "../../kernel/index.ts";
import type { Header, ProviderKind } from "../header.ts";

export interface NewKey {
  readonly kek: Secret;
  /** Goes into the vault's header, in clear. */
  readonly params: Header["params"];
  /** Removes what `create` made, and only that: the vault could not be written. */
  undo(): Promise<void>;
}

/** Where the key-encrypting key comes from. It is 32 bytes, and never in the vault's own file. */
export interface KeyProvider {
  readonly kind: ProviderKind;
  /** Makes and keeps a key for a vault. */
  create(vaultId: Buffer): Promise<NewKey>;
  /** Throws VAULT_LOCKED when the key cannot be had now. */
  open(header: Header): Promise<Secret>;
  /** The vault has another key now. Gives what the owner must know of the old one that was left in place. */
  retire(header: Header): Promise<string | undefined>;
}
