/**
 * Chromium's times are microseconds since 1601-01-01 UTC (base/time/time.h, kTimeTToMicrosecondsOffset). They are
 * beyond 2^53, hence BigInt.
 */
const MICROSECONDS_BEFORE_1970 = 11_644_473_600_000_000n;

/** Milliseconds since 1970, to the nearest. */
export function fromWebKitTime(microseconds: bigint): number {
  return Math.round(Number(microseconds - MICROSECONDS_BEFORE_1970) / 1000);
}

export function toWebKitTime(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds * 1000)) + MICROSECONDS_BEFORE_1970;
}
