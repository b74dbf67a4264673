/** How benchmarks report: a line at once, and the same to bench/run.ts, which makes one table of all. */
import { appendFileSync } from "node:fs";
import { basename } from "node:path";
import { type Absent, type Figure, figureOf, type Measured } from "./figure.ts";
import { figureCells } from "./figure-cells.ts";

/** Names the file that run.ts reads figures from. */
export const FIGURES = "DEPUTY_BENCH_FIGURES";

export function report(measured: Measured): void {
  tell(figureOf(benchName(), measured));
}

export function absent(what: string, reason: string): void {
  tell({ bench: benchName(), what, reason });
}

function benchName(): string {
  return basename(process.argv[1] ?? "", ".ts");
}

function tell(one: Figure | Absent): void {
  console.log(`  ${figureCells(one).filter(Boolean).join(" | ")}`);
  const file = process.env[FIGURES];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(one)}\n`);
}
