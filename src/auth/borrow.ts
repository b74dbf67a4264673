import type { Considered } from "./candidate.ts";
import type { Connection } from "./connection.ts";
import type { Loan } from "./loan.ts";
import type { Identify } from "./resolver.ts";

/** What a call asks to borrow. */
export interface Borrow {
  readonly connection: Connection;
  readonly account?: string | undefined;
  readonly provider?: string | undefined;
  /** Providers that have just failed. */
  readonly exclude?: readonly string[] | undefined;
  /** Only a login with every cookie the connection names. */
  readonly complete?: boolean | undefined;
  /** Only to explain: nothing is stored, named or renamed. */
  readonly dry?: boolean | undefined;
  /** Where the connection has no check of its own: the skill's `check_session`. */
  readonly identify?: Identify | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A loan, or why there is none. */
export type Found =
  | { readonly kind: "lent"; readonly loan: Loan }
  | { readonly kind: "needs-login"; readonly considered: readonly Considered[]; readonly reason?: string }
  | {
      readonly kind: "ambiguous";
      readonly accounts: readonly string[];
      readonly considered: readonly Considered[];
    };
