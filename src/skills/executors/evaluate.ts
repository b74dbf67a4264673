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

/** Several at once, in far less time than one after the other. */
export async function evaluateAll(
  { expressions, scope, signal }: Execution,
  programs: readonly (Program | null)[],
  auth: Readonly<Record<string, unknown>>,
): Promise<unknown[]> {
  const given = programs.filter((program) => program !== null);
  const values = (await expressions.runAll(given, { ...scope, auth }, { signal })).values();
  return programs.map((program) => (program === null ? null : values.next().value));
}

export async function evaluateText(execution: Execution, program: Program): Promise<string> {
  return asText(execution, program, await evaluate(execution, program));
}

export function asText(execution: Execution, program: Program, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw wrongKind(execution, program, "text", value);
}

export async function evaluateObject(
  execution: Execution,
  program: Program | null,
): Promise<Record<string, unknown>> {
  return asObject(execution, program, await evaluate(execution, program));
}

/** Null is an empty one. */
export function asObject(
  execution: Execution,
  program: Program | null,
  value: unknown,
): Record<string, unknown> {
  if (value === null || program === null) return {};
  if (isObject(value)) return value;
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
  return new DeputyError("BAD_INPUT", `${nameOf(execution)}: ${field} is ${kind}, and has to be ${wanted}`, {
    hint: `Look at what it was given: deputy skills show ${execution.skill.id}. Else its expression is wrong.`,
  });
}
