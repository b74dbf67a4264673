import type { Program } from "../../expressions/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Execution } from "../run/execution.ts";

/** What a template came to in this run; null where the manifest has none. `.auth` is only there where it is given. */
export async function evaluate(
  { expressions, scope, signal }: Execution,
  program: Program | null,
  auth?: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (program === null) return null;
  const { auth: _, ...given } = scope;
  return expressions.run(program, auth === undefined ? given : { ...given, auth }, { signal });
}

export async function evaluateText(
  execution: Execution,
  program: Program,
  auth?: Readonly<Record<string, unknown>>,
): Promise<string> {
  const value = await evaluate(execution, program, auth);
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw wrongKind(execution, program, "text", value);
}

/** Null is an empty one. */
export async function evaluateObject(
  execution: Execution,
  program: Program | null,
  auth?: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const value = (await evaluate(execution, program, auth)) ?? {};
  if (program === null || isObject(value)) return value as Record<string, unknown>;
  throw wrongKind(execution, program, "an object", value);
}

export async function evaluateList(execution: Execution, program: Program): Promise<unknown[]> {
  const value = (await evaluate(execution, program)) ?? [];
  if (Array.isArray(value)) return value;
  throw wrongKind(execution, program, "a list", value);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How messages name a run's operation. */
export function nameOf({ skill, operation }: Execution): string {
  return `${skill.id} ${operation.name}`;
}

function wrongKind(execution: Execution, program: Program, wanted: string, value: unknown): DeputyError {
  const kind = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  const field = program.where.field ?? "a field";
  return new DeputyError("BAD_INPUT", `${nameOf(execution)}: ${field} is ${kind}, and has to be ${wanted}`);
}
