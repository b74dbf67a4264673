import type { Link } from "./chain.ts";

/** What of the log is kept where who can only edit files cannot reach it. */
export interface SealedHead {
  readonly key: Uint8Array;
  /** The last row that was acknowledged. */
  readonly head: Link;
  /** The last row that was pruned: the chain begins after it. */
  readonly anchor: Link;
  /** Rows up to the anchor may still be there. */
  readonly pruning: boolean;
  /** Up to here rows outlive a power cut. */
  readonly durable: number;
  /** Which start of the machine it was written in. */
  readonly boot: string;
  /** Rows a power cut took: after `after`, up to `until`. */
  readonly lost: readonly Lost[];
}

interface Lost {
  readonly after: number;
  readonly until: Link;
}

/** One for each opening of the vault. */
export interface LogSeal {
  read(): SealedHead | undefined;
  /** Throws where somebody else wrote meanwhile. */
  write(head: SealedHead, options: { readonly durable: boolean }): void;
}
