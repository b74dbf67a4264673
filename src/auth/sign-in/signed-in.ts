import type { Identity } from "../../kernel/index.ts";

/** What a login by a person came to. */
export interface SignedIn {
  readonly identity: Identity;
  /** What the service calls the account, where it says. */
  readonly display: string | null;
  /** Whether the service was asked and took it. */
  readonly checked: boolean;
  /** Where it came from: `login`, `chromium/Default`. */
  readonly source: string;
  /** Nothing was taken from `source`: the login in the vault is newer, and nobody could be asked which one works. */
  readonly kept?: boolean;
}

/** An account nobody has named. */
export const UNNAMED = "default";
