import type { ShapeBook } from "../../graph/index.ts";
import { DeputyError, isRecord, type WireError } from "../../kernel/index.ts";
import { nearest } from "../nearest.ts";
import type { RunDone } from "../run/run-request.ts";
import type { Operation, Skill } from "../skill.ts";
import { isFault } from "./faults.ts";
import { type TestOptions, whySkipped } from "./plan-test.ts";
import { type FieldReport, tallyFields } from "./tally-fields.ts";

export interface OperationReport extends Partial<FieldReport> {
  readonly operation: string;
  readonly outcome: "ok" | "failed" | "skipped";
  /** Why it was skipped. */
  readonly reason?: string;
  readonly error?: WireError;
  readonly duration_ms?: number;
  /** Null where what came back is neither a record nor a list. */
  readonly records?: number | null;
  /** Not as declared: it failed for these. */
  readonly problems?: readonly string[];
  readonly warnings?: readonly string[];
}

interface Parts {
  readonly run: (operation: Operation) => Promise<RunDone>;
  readonly shapes: ShapeBook;
  readonly progress?: ((operation: string) => void) | undefined;
}

/** Runs what may run, one after another, and looks at every field of what comes back. */
export async function testSkill(
  skill: Skill,
  options: TestOptions,
  parts: Parts,
): Promise<OperationReport[]> {
  const reports: OperationReport[] = [];
  for (const operation of chosen(skill, options)) {
    const reason = whySkipped(operation, options);
    if (reason !== undefined) {
      reports.push({ operation: operation.name, outcome: "skipped", reason });
      continue;
    }
    parts.progress?.(operation.name);
    reports.push(await testOperation(operation, parts));
  }
  return reports;
}

async function testOperation(operation: Operation, { run, shapes }: Parts): Promise<OperationReport> {
  const started = performance.now();
  try {
    return reportOn(operation, await run(operation), shapes);
  } catch (error) {
    if (!(error instanceof DeputyError) || error.code === "CANCELLED") throw error;
    return {
      operation: operation.name,
      outcome: "failed",
      error: error.toJSON(),
      duration_ms: Math.round(performance.now() - started),
    };
  }
}

function reportOn({ name }: Operation, done: RunDone, shapes: ShapeBook): OperationReport {
  const { data, returns, findings, meta } = done;
  const records = (Array.isArray(data) ? data : [data]).filter(isRecord);
  const problems = findings.filter(({ code }) => isFault(code));
  const lesser = findings.filter(({ code }) => !isFault(code) && code !== "UNKNOWN_KEYS");
  const ofResult = new Set(findings.map(({ message }) => message));
  const nothing = returns.kind === "shape" && records.length === 0;
  return {
    operation: name,
    outcome: problems.length === 0 ? "ok" : "failed",
    duration_ms: meta.duration_ms,
    records: Array.isArray(data) ? data.length : isRecord(data) ? 1 : data === null ? 0 : null,
    ...tallyFields(done, records, shapes),
    problems: problems.map(counted),
    warnings: [
      ...(nothing ? ["Nothing came back: no field could be checked"] : []),
      ...lesser.map(counted),
      ...meta.warnings.filter((message) => !ofResult.has(message)),
    ],
  };
}

function counted({ message, count }: { readonly message: string; readonly count: number }): string {
  return count === 1 ? message : `${message} (${count} times)`;
}

function chosen({ id, operations }: Skill, { operation: name }: TestOptions): Operation[] {
  if (name === undefined) return [...operations.values()];
  const operation = operations.get(name);
  if (operation !== undefined) return [operation];
  const near = nearest(name, operations.keys());
  throw new DeputyError("NOT_FOUND", `${id} has no operation ${name.slice(0, 64)}`, {
    hint: near === undefined ? `See what it has: deputy skills show ${id}` : `Did you mean ${near}?`,
  });
}
