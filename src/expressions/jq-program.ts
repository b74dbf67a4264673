import type { JqField } from "./program.ts";

/** What a program made here prints: one JSON document, whatever its expressions do. */
export type ProgramOutput =
  | { readonly ok: readonly unknown[] }
  | { readonly failed: { readonly field: number; readonly message: string | null } }
  | { readonly large: true };

/**
 * One jq program for all fields. Each gives its first result, or null where it has none; an error leaves with the
 * number of its field. The result is measured before it is printed: printing costs a JavaScript call a byte.
 */
export function jqProgram(fields: readonly JqField[], additions: string, outputBytes: number): string {
  const parts = fields.map(({ expression }, index) => {
    // The line break ends a comment the expression may end with.
    return `(try ([(${expression}\n)] | first) catch error({field: ${index}, message: (strings // null | .[0:2000])}))`;
  });
  return (
    `${additions}try {ok: [${parts.join(",\n")}]} catch {failed: .}\n` +
    `| tojson | if utf8bytelength > ${outputBytes} then "{\\"large\\":true}" else . end`
  );
}

/** A program that compiles iff all the expressions do, and evaluates none of them. */
export function jqCheck(expressions: readonly string[], additions: string): string {
  // Alone it needs no brackets, and jq's message speaks of nothing the author did not write.
  if (expressions.length === 1) return `${additions}empty | ${expressions[0] ?? ""}`;
  return `${additions}empty | [${expressions.map((expression) => `(${expression}\n)`).join(",\n")}]`;
}

/** `foo/0 is not defined` out of jq's report of a program that does not compile. */
export function compileProblem(stderr: string): string {
  const line = stderr.split("\n", 1)[0] ?? "";
  return line
    .replace(/^jq: error: /, "")
    .replace(/ (?:\(Unix shell quoting issues\?\) )?at <top-level>.*$/, "");
}
