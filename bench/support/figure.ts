import { least, median, quantile } from "./statistics.ts";

export interface Target {
  /** `added` is ours less what was measured beside, `ratio` ours divided by it. */
  readonly kind: "at most" | "ratio at most" | "added at most";
  readonly value: number;
  /** What is judged; the median unless it is said. */
  readonly by?: "least" | "p99";
}

export interface Measured {
  readonly what: string;
  readonly unit: string;
  /** Samples, or the one value there is. */
  readonly ours: readonly number[] | number;
  /** The peer or the floor, measured in turns with ours. */
  readonly beside?: { readonly what: string; readonly samples: readonly number[] };
  readonly target?: Target;
}

export interface Summary {
  readonly median: number;
  readonly least: number;
  readonly p99: number;
  readonly samples: number;
}

export interface Figure {
  readonly bench: string;
  readonly what: string;
  readonly unit: string;
  readonly ours: Summary;
  readonly beside?: Summary & { readonly what: string };
  /** Ours divided by what was measured beside, and ours less that: of the medians, unless the target says otherwise. */
  readonly ratio?: number;
  readonly added?: number;
  readonly target?: Target;
  readonly met?: boolean;
}

/** What could not be measured here. */
export interface Absent {
  readonly bench: string;
  readonly what: string;
  readonly reason: string;
}

export function figureOf(bench: string, { what, unit, ours, beside, target }: Measured): Figure {
  const own = summary(typeof ours === "number" ? [ours] : ours);
  const by = target?.by ?? "median";
  const found = { bench, what, unit, ours: own };
  if (beside === undefined) return { ...found, ...(target && { target, met: own[by] <= target.value }) };
  const other = summary(beside.samples);
  const compared = target?.kind === "at most" ? "median" : by;
  const ratio = own[compared] / other[compared];
  const added = own[compared] - other[compared];
  const judged = { "at most": own[by], "ratio at most": ratio, "added at most": added };
  const verdict = target && { target, met: judged[target.kind] <= target.value };
  return { ...found, beside: { what: beside.what, ...other }, ratio, added, ...verdict };
}

function summary(samples: readonly number[]): Summary {
  return {
    median: median(samples),
    least: least(samples),
    p99: quantile(samples, 0.99),
    samples: samples.length,
  };
}
