import type { Caller } from "../kernel/index.ts";
import type { GrantRequest } from "./grant-request.ts";

export interface Denial {
  readonly at: number;
  readonly caller: Caller;
  readonly subject: string;
  readonly operation: string;
  readonly identity: GrantRequest["identity"];
  readonly reason: string;
}

/** Told of every denial before the caller is. */
export interface DenialLog {
  recordDenial(denial: Denial): void;
}

const KEPT = 256;

/** The latest denials, as long as the process lives. */
export function createDenialRing(size = KEPT): DenialLog & { recent(): readonly Denial[] } {
  const kept: Denial[] = [];
  return {
    recordDenial(denial) {
      kept.push(denial);
      if (kept.length > size) kept.shift();
    },
    recent: () => [...kept],
  };
}
