import type { Caller } from "../kernel/index.ts";
import type { Pin } from "./grant.ts";

/** What a run needs besides its login; a skill declares it before any of its code runs. */
export interface Needs {
  readonly expose?: boolean;
  /** Names of programs. */
  readonly binaries?: readonly string[];
  /** A network for the programs it starts. */
  readonly network?: boolean;
  /** Requests to hosts no manifest lists. Never together with an identity. */
  readonly anyHost?: boolean;
  /** Absolute, without `..` and links already followed: what is compared is what will be opened. */
  readonly paths?: readonly string[];
}

/** Made by the engine from what it knows of the run, never from a message of the skill or the agent. */
export interface GrantRequest {
  readonly caller: Caller;
  readonly subject: string;
  readonly pin: Pin;
  /** An account of null: not known yet, as before a first login. Null: the run holds no identity. */
  readonly identity: { readonly domain: string; readonly account: string | null } | null;
  readonly operation: string;
  readonly effect: "read" | "write" | "destructive";
  readonly needs: Needs;
}

/** What a new grant would have to say, for whoever asks the owner. */
export interface Missing {
  readonly agent: string;
  readonly subject: string;
  readonly pin: Pin;
  readonly identity: GrantRequest["identity"];
  /** All the run needs, not only what no grant has: one grant must cover a run. */
  readonly needs: Needs;
  /** The owner allowed other code of this name: changed since, or another skill that took its id. */
  readonly changedCode: boolean;
}

export interface Denied {
  readonly kind: "denied";
  /** One sentence for a person. */
  readonly reason: string;
  /** Null when no grant could allow it: there is nothing to ask the owner. */
  readonly missing: Missing | null;
}

/** The grant's id; null where none was needed. */
export type Decision = { readonly kind: "granted"; readonly id: string | null } | Denied;
