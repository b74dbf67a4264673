import type { Caller, ErrorCode } from "../../kernel/index.ts";

export interface LogLine {
  readonly id: number;
  readonly at: string;
  readonly agent: string;
  readonly instance: string;
  readonly via: Caller["via"];
  /** A skill's id, a built-in such as `@curl`, or the part of Deputy that was asked: `@vault`, `@grants`. */
  readonly skill: string;
  readonly operation: string;
  /** `DOMAIN/ACCOUNT`, or `DOMAIN` where the account was not known. */
  readonly identity: string | null;
  readonly hosts: readonly string[];
  readonly methods: readonly string[];
  readonly status: number | null;
  readonly bytes: number;
  readonly outcome: "ok" | "denied" | "failed";
  readonly code: ErrorCode | null;
  readonly duration_ms: number;
  readonly hash: string;
}

export interface AgentRow {
  readonly name: string;
  readonly kind: Caller["kind"];
  readonly version: string | null;
  readonly via: Caller["via"];
  readonly first_seen: string;
  readonly last_seen: string;
  /** Connections so far. */
  readonly instances: number;
}

export interface Asked {
  readonly agent?: string;
  readonly skill?: string;
  /** The newest so many. */
  readonly limit: number;
}

export interface LogMethods {
  /** To the owner all of it, to an agent what it did itself. */
  "log.read": { in: Asked; out: readonly LogLine[] };
  /** What there is and then each line as it is committed, as progress; until it is cancelled. */
  "log.follow": { in: Asked; out: { readonly followed: number } };
  /** Puts a log that was tampered with aside and begins a new one. */
  "log.restart": { in: Record<string, never>; out: { readonly aside: string } };
  "agents.list": { in: Record<string, never>; out: readonly AgentRow[] };
}
