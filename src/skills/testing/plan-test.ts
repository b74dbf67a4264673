import type { Operation } from "../skill.ts";

export interface TestOptions {
  /** Only this one. */
  readonly operation?: string | undefined;
  /** Also what changes things. */
  readonly write?: boolean | undefined;
}

/** Why an operation is left out of a test; undefined where it may run. */
export function whySkipped(
  operation: Operation,
  { write = false, operation: named }: TestOptions,
): string | undefined {
  const { test, effect, params } = operation;
  if (operation.resolverOnly) return "it only supplies logins";
  if (test.skip !== false) return test.skip === true ? "its test says so" : test.skip;
  const changes = effect !== "read" || test.mode === "write";
  if (changes && !write)
    return `it ${effect === "destructive" ? "destroys" : "changes"} something: add --write`;
  if (effect === "destructive" && named === undefined)
    return `it destroys something: name it, --write --op ${operation.name}`;
  const missing = [...params.values()]
    .filter(
      ({ name, required, default: fallback }) => required && fallback === undefined && !(name in test.params),
    )
    .map(({ name }) => name);
  return missing.length === 0 ? undefined : `test.params has no ${missing.join(", ")}`;
}
