import type { Caller } from "../kernel/index.ts";
import type { GrantRequest } from "./grant-request.ts";

export interface Denial {
  readonly at: number;
  readonly caller: Caller;
  readonly subject: string;
  readonly operation: string;
  readonly identity: GrantRequest["identity"];
  readonly reason: string;
  /** Where something was to be sent, and was not. */
  readonly host?: string | undefined;
}

/** Told of every denial before the caller is. */
export interface DenialLog {
  recordDenial(denial: Denial): void;
}
