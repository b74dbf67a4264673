import type { Allowance } from "./allowance.ts";

/** What the engine itself lends logins to, besides skills. */
export const BUILT_INS = ["@session", "@curl", "@cookies"] as const;

/** Skill ids never begin with @, so a skill cannot take a built-in's name. */
export function isBuiltIn(subject: string): boolean {
  return BUILT_INS.some((name) => name === subject);
}

/** Which code: its content hash, the folder of a skill under development, or null for a built-in. */
export type Pin = string | { readonly path: string } | null;

export interface GrantIdentity {
  readonly domain: string;
  readonly account: string | null;
  /**
   * Where no account is named. True: the owner allowed it before an account was known, and the first one it is used
   * with is the one it holds for from then on. False: the owner said every account of the domain.
   */
  readonly pending: boolean;
}

/** One permission. Everything it does not say is refused. */
export interface Grant {
  readonly id: string;
  /** `owner`, an agent's name, or `*` for whoever asks. */
  readonly agent: string;
  /** A skill's id or a built-in. */
  readonly subject: string;
  readonly pin: Pin;
  /** Null: only for runs that hold no identity. */
  readonly identity: GrantIdentity | null;
  /** Null: all of them. */
  readonly operations: readonly string[] | null;
  readonly readOnly: boolean;
  /** Milliseconds since 1970. */
  readonly expires: number | null;
  /** Whether code may see the credential itself instead of a handle. */
  readonly expose: boolean;
  readonly allow: readonly Allowance[];
  readonly createdAt: number;
}

export type NewGrant = Omit<Grant, "id" | "createdAt">;

/** Where grants are kept: out of reach of whoever can only edit files. */
export interface GrantStore {
  read(): { readonly version: number; readonly grants: readonly Grant[] };
  /** False when somebody else wrote since `expectedVersion` was read: nothing is changed then. */
  write(grants: readonly Grant[], expectedVersion: number): boolean;
}
