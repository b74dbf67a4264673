/** The value that the share `at` of the samples lies below: 0.5 is the median. */
export function quantile(samples: readonly number[], at: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);
export const least = (samples: readonly number[]): number => quantile(samples, 0);
