import type { Execution } from "../run/execution.ts";

/** A jail of its own accord ends what the run's signal did not: a moment later, so that the run's own words are heard. */
export function wallTime({ operation }: Execution): number {
  return Math.ceil(Math.min(operation.timeoutMs, 600_000)) + 2000;
}
