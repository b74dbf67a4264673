import type { Absent, Figure, Summary, Target } from "./figure.ts";

export const COLUMNS = ["what", "ours (least)", "beside it (least)", "ratio", "target", "verdict"];

/** A row of the table, one text a column. */
export function figureCells(one: Figure | Absent): string[] {
  if ("reason" in one) return [one.what, "", "", "", "", `not measured: ${one.reason}`];
  const { what, unit, ours, beside, ratio, added, target, met } = one;
  const by = target?.by;
  const besideText = beside && `${summaryText(beside, unit, by)} ${beside.what}`;
  const difference = added !== undefined && target?.kind === "added at most" && signed(added, unit);
  return [
    what,
    summaryText(ours, unit, by),
    besideText ?? "",
    [ratio !== undefined && `${number(ratio)}×`, difference].filter(Boolean).join(", "),
    target === undefined ? "" : targetText(target, unit),
    met === undefined ? "" : met ? "met" : "MISSED",
  ];
}

function summaryText(summary: Summary, unit: string, by: Target["by"]): string {
  if (summary.samples === 1) return `${number(summary.median)} ${unit}`;
  const shown = by === "p99" ? `p99 ${number(summary.p99)}` : number(summary.median);
  return `${shown} ${unit} (${number(summary.least)})`;
}

function targetText({ kind, value, by }: Target, unit: string): string {
  const bound = {
    "at most": `≤ ${number(value)} ${unit}`,
    "ratio at most": `≤ ${number(value)}×`,
    "added at most": `≤ +${number(value)} ${unit}`,
  }[kind];
  return by === undefined ? bound : `${by} ${bound}`;
}

function signed(value: number, unit: string): string {
  return `${value < 0 ? "−" : "+"}${number(Math.abs(value))} ${unit}`;
}

/** Three digits, or all that are before the point. */
function number(value: number): string {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  const rounded = Number(value.toFixed(Math.min(digits, 3)));
  return rounded.toLocaleString("en", { maximumFractionDigits: 3 });
}
