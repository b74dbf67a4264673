import type { Environment, Jail } from "../../platform/index.ts";

/** What executors share that belongs to no run. */
export interface ExecutorParts {
  readonly jail: Jail;
  /** Node, by its absolute path. */
  readonly node: string;
  /** Where PATH says programs are, and what a keychain is asked with. */
  readonly env: Environment;
  /** The owner's home folder: what `~` is. */
  readonly home: string;
  /** Deputy's own, which no skill reads. */
  readonly deputyHome: string;
}
