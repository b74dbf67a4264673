export interface Limits {
  readonly connectMs: number;
  /** The longest silence of the other side, before the response or within it. */
  readonly idleMs: number;
  /** Where a request says nothing; the most it may ask for is `longestMs`. */
  readonly totalMs: number;
  readonly longestMs: number;
  readonly uploadBytes: number;
  readonly responseBytes: number;
  readonly redirects: number;
}

export const defaultLimits: Limits = {
  connectMs: 10_000,
  idleMs: 60_000,
  totalMs: 120_000,
  longestMs: 600_000,
  // The transport holds a request's body in memory.
  uploadBytes: 16 * 1024 * 1024,
  responseBytes: 64 * 1024 * 1024,
  // Fetch standard, HTTP-redirect fetch: "If request's redirect count is 20, then return a network error".
  redirects: 20,
};
