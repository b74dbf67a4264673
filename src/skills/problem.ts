/** Something a skill's author should know, with the place it is about. Lines and columns count from 1. */
export interface Problem {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint?: string;
  /** Relative to the skill's folder. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** `skill.yaml:12:7: message`, as editors and terminals link it. */
export function describeProblem({ file, line, column, message }: Problem): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return `${place}: ${message}`;
}

/** In the order of the file. */
export function byPlace(problems: readonly Problem[]): Problem[] {
  const at = ({ line = 0, column = 0 }: Problem) => line * 100_000 + column;
  return problems.toSorted((a, b) => at(a) - at(b));
}
