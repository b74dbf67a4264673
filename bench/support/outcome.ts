/** One run of the benchmarks, as it is written to JSON, and its table for a terminal and for a page. */
import type { Absent, Figure } from "./figure.ts";
import { COLUMNS, figureCells } from "./figure-cells.ts";
import type { Machine } from "./machine.ts";

export interface Outcome {
  readonly date: string;
  readonly machine: Machine;
  /** Why the figures are not those of a quiet machine; empty where they are. */
  readonly busy: readonly string[];
  /** In the order they ran, with what each took. */
  readonly benches: readonly { readonly name: string; readonly seconds: number }[];
  readonly figures: readonly (Figure | Absent)[];
}

export function textTable(outcome: Outcome): string {
  const rows = [["bench", ...COLUMNS], ...cells(outcome)];
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  // What could not be measured is a sentence, and has the rest of the line.
  widths[widths.length - 1] = 0;
  const line = (row: string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  return [...headLines(outcome), "", ...rows.map(line), "", countLine(outcome)].join("\n");
}

export function markdownTable(outcome: Outcome): string {
  const columns = ["bench", ...COLUMNS];
  const line = (row: readonly string[]) =>
    `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...cells(outcome).map(line)].join("\n");
}

/** The machine and how busy it was. */
export function headLines({ date, machine, busy, benches }: Outcome): string[] {
  const { cpu, cores, memory_gb, system, node, chromium, firefox, isolation, load } = machine;
  const seconds = benches.reduce((sum, bench) => sum + bench.seconds, 0);
  return [
    `${date}, ${cpu}, ${cores} cores, ${memory_gb} GB, ${system}`,
    `Node ${node}, Chromium ${chromium ?? "none"}, Firefox ${firefox ?? "none"}, isolation ${isolation}`,
    `load ${load.toFixed(2)} before the run, which took ${Math.round(seconds)} s`,
    ...(busy.length === 0 ? [] : [`The machine was busy: ${busy.join("; ")}.`]),
  ];
}

export function countLine({ figures }: Outcome): string {
  const [met, missed] = [true, false].map(
    (verdict) => figures.filter((one) => "met" in one && one.met === verdict).length,
  );
  const absent = figures.filter((one) => "reason" in one).length;
  return `${met} targets met, ${missed} missed${absent === 0 ? "" : `, ${absent} not measured`}`;
}

function cells({ figures }: Outcome): string[][] {
  return figures.map((one, at) => [
    one.bench === figures[at - 1]?.bench ? "" : one.bench,
    ...figureCells(one),
  ]);
}
