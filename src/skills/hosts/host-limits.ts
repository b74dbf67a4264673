export interface HostLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** What it returns, prints, logs and reports, together. */
  readonly outputBytes: number;
  /** Requests under way at once. The code's own queue waits; a process that does not is ended. */
  readonly openRequests: number;
  /** Requests of the whole run. */
  readonly requests: number;
}

export const hostLimits: HostLimits = {
  timeoutMs: 30_000,
  memoryBytes: 512 * 1024 * 1024,
  outputBytes: 16 * 1024 * 1024,
  openRequests: 16,
  requests: 10_000,
};

/** Request bodies and what sibling operations are called with may be this large, in a message of their own. */
export const LARGEST_FRAME = 32 * 1024 * 1024;
/** Deeper values are refused: what walks them afterwards is recursive. */
export const DEEPEST = 200;
