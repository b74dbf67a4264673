import type { Action, ActResult } from "../../sessions/index.ts";

export type SessionAction = Action;
export type SessionActed = ActResult;

export interface SessionActInput {
  readonly session: string;
  readonly act: SessionAction;
  /** Default: one that was opened since the last action, or else the one that was in. */
  readonly tab?: string;
  /** Whether the page as it is afterwards is told. */
  readonly snapshot?: boolean;
  readonly timeout_ms?: number;
  /** Dialogs of the page are accepted, not cancelled. */
  readonly accept_dialogs?: boolean;
}
