import type { Level } from "./allowed-methods.ts";
import type { TargetInfo } from "./own-targets.ts";

/** A DevTools session that one client has: on the browser, or on a target of the agent's session. */
export interface ClientSession {
  readonly id: string;
  readonly level: Level;
  /** Of the browser's own sessions it is the one clients are told. */
  readonly targetId: string;
  /** Its events carry this session's name; null for the sessions Deputy attached for the client. */
  readonly parent: string | null;
}

/** What rules may know of the client whose command they judge. */
export interface Scope {
  readonly contextId: string;
  /** The only folder files may come from and go to. */
  readonly folder: string;
  /** The session that commands of the browser are sent on, whichever session they came on. */
  readonly browserSession: string;
  /** What clients see of the browser as a target: nothing of it is real. */
  readonly browserTarget: TargetInfo;
  isOwn(targetId: string): boolean;
  /** Of the sessions the client was told of. */
  find(sessionId: string): ClientSession | undefined;
  /** Windows that were said to be of own targets. */
  readonly windows: Set<number>;
  isMasked(text: string): boolean;
}

export type Params = Readonly<Record<string, unknown>>;

export interface Command {
  readonly method: string;
  readonly params: Params;
  readonly from: ClientSession;
}

export type Verdict =
  /** To the session it came on, unless another is named. */
  | {
      readonly kind: "forward";
      readonly params: Params;
      readonly method?: string;
      readonly session?: string;
      readonly shape?: (result: Params) => Params;
    }
  | { readonly kind: "answer"; readonly result: Params }
  | { readonly kind: "refuse"; readonly message: string }
  | { readonly kind: "leave" }
  | { readonly kind: "attach-browser" }
  | { readonly kind: "detach-browser"; readonly session: ClientSession }
  | { readonly kind: "discover"; readonly on: boolean; readonly filter: readonly TargetFilter[] | null };

export interface TargetFilter {
  readonly type?: string;
  readonly exclude?: boolean;
}

export type Rule = (command: Command, scope: Scope) => Verdict;

export function refuse(message: string): Verdict {
  return { kind: "refuse", message };
}
