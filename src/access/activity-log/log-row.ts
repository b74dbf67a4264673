import type { Caller, ErrorCode } from "../../kernel/index.ts";

export type Outcome = "ok" | "denied" | "failed";

/** One call, as it is remembered. It has no value, no body, no path and no query string: who, as whom, where to. */
export interface LogRow {
  /** From 1 on, without a gap. */
  readonly id: number;
  /** When it began; milliseconds since 1970. */
  readonly at: number;
  readonly agent: string;
  readonly kind: Caller["kind"];
  readonly instance: string;
  readonly via: Caller["via"];
  /** A skill's id, a built-in, or the part of Deputy that was asked. */
  readonly subject: string;
  readonly operation: string;
  readonly domain: string | null;
  readonly account: string | null;
  /** Every host that was contacted, in the order it was first. */
  readonly hosts: readonly string[];
  readonly methods: readonly string[];
  /** Of the last answer. */
  readonly status: number | null;
  /** Of the bodies that came back. */
  readonly bytes: number;
  readonly durationUs: number;
  readonly outcome: Outcome;
  readonly code: ErrorCode | null;
}

/** A row and the link that holds it to the one before. */
export interface LinkedRow extends LogRow {
  readonly hash: Buffer;
}

/** What the log shows of a row. */
export type LogFilter = {
  readonly agent?: string | undefined;
  readonly subject?: string | undefined;
};
