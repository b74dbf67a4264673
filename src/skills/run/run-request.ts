import type { ResultWarning } from "../../graph/index.ts";
import type { Caller } from "../../kernel/index.ts";
import type { Returns } from "../skill.ts";

export interface RunRequest {
  readonly skill: string;
  readonly operation: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly account?: string | undefined;
  readonly provider?: string | undefined;
  /** Which connection, where the operation lets the caller choose. */
  readonly connection?: string | undefined;
  /** Set by whoever accepted the call, never by the call. */
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly progress?: ((step: RunProgress) => void) | undefined;
}

export interface RunProgress {
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
}

export interface RunMeta {
  readonly skill: string;
  readonly operation: string;
  readonly connection: string | null;
  readonly account: string | null;
  readonly provider: string | null;
  /** How far apart from everything else its code ran; `none` where there was no code. */
  readonly isolation: "full" | "reduced" | "none";
  readonly duration_ms: number;
  readonly warnings: readonly string[];
  readonly hosts: readonly string[];
  /** What was put into the vault, masked. */
  readonly stored: readonly {
    readonly domain: string;
    readonly account: string;
    readonly item_type: string;
  }[];
}

/** What a run came to, its engine's part taken out and its form checked. */
export interface RunDone {
  readonly data: unknown;
  readonly returns: Returns;
  readonly meta: RunMeta;
  /** Of the entities returned: in how many a field was, and in how many it was of its type. */
  readonly fields: readonly { readonly field: string; readonly present: number; readonly valid: number }[];
  /** Where the result is not as declared; the words are among meta.warnings too. */
  readonly findings: readonly ResultWarning[];
}
