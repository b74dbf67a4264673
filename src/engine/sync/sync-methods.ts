import type { ErrorCode } from "../../kernel/index.ts";

export interface PeerRow {
  readonly name: string;
  /** What the other machine is. */
  readonly role: "source" | "sink";
  readonly url: string | null;
  readonly fingerprint: string;
  readonly paired_at: string;
  /** When something last came from it, or was last taken by it. */
  readonly last_sync: string | null;
  /** Null: the last contact went well. */
  readonly last_error: string | null;
  /** Of the other machine's Deputy, where it told. */
  readonly version: string | null;
  readonly clock_ahead_ms: number | null;
}

interface Refused {
  readonly name: string;
  readonly domain: string;
  readonly reason: string;
}

export interface PushRow {
  readonly peer: string;
  /** Everything was sent, not only what changed. */
  readonly full: boolean;
  readonly stored: number;
  readonly deleted: number;
  readonly bytes: number;
  /** What stayed here. */
  readonly skipped: readonly Refused[];
  /** What the sink would not take. */
  readonly refused: readonly Refused[];
  readonly surfaces: readonly {
    readonly surface: string;
    readonly delivered: number;
    readonly unchanged: number;
    readonly deleted: number;
    readonly refused: number;
    readonly error?: string | undefined;
  }[];
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly hint?: string };
}

export interface SyncMethods {
  /** With a code, the other side showed it; without, it is shown as progress and waited for. */
  "sync.pair": {
    in: {
      readonly as: "source" | "sink";
      readonly name?: string;
      readonly listen?: string;
      readonly peer?: string;
      readonly code?: string;
    };
    out: PeerRow;
  };
  /** With `watch` it goes on until it is cancelled, and tells what it did as progress. */
  "sync.push": {
    in: {
      readonly peers?: readonly string[];
      readonly watch: boolean;
      /** `DOMAIN/ACCOUNT`: also their keys and tokens. */
      readonly rows?: readonly string[];
      readonly device_bound?: boolean;
    };
    out: readonly PushRow[];
  };
  /** Until it is cancelled. */
  "sync.sink": {
    in: { readonly listen?: string; readonly rows?: readonly string[] };
    out: { readonly taken: number };
  };
  "peers.list": { in: Record<string, never>; out: readonly PeerRow[] };
  "peers.remove": { in: { readonly name: string }; out: { readonly removed: readonly PeerRow[] } };
}
