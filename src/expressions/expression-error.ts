import { DeputyError, type ErrorCode } from "../kernel/index.ts";
import type { SourceRef } from "./program.ts";

/** Longer expressions are cut in messages; `expression` has the whole. */
const SHOWN = 120;

/** A DeputyError that also says which field of which skill it is about, for tools that know the field's line. */
export class ExpressionError extends DeputyError {
  readonly where: SourceRef;
  readonly field: string | undefined;
  readonly expression: string | undefined;

  constructor(
    code: ErrorCode,
    problem: string,
    at: { where: SourceRef; field?: string | undefined; expression?: string | undefined },
    options: { hint?: string | undefined; cause?: unknown } = {},
  ) {
    super(code, describe(problem, at), options);
    this.where = at.where;
    this.field = at.field;
    this.expression = at.expression;
  }
}

function describe(
  problem: string,
  at: { where: SourceRef; field?: string | undefined; expression?: string | undefined },
): string {
  const place = [at.where.skill, at.where.operation, at.field].filter(
    (part) => part !== undefined && part !== "",
  );
  const shown = at.expression?.replaceAll(/\s+/g, " ").trim();
  const cut = shown !== undefined && shown.length > SHOWN ? `${shown.slice(0, SHOWN)}…` : shown;
  return `${place.join(" ")}: ${problem}${cut === undefined ? "" : ` in the expression: ${cut}`}`;
}
