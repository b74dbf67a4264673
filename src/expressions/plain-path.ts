/** The steps of an expression such as `.params.tags[0]["x y"]`. */
export type Path = readonly (string | number)[];

const STEP = /\s*(?:\.([A-Za-z_][A-Za-z0-9_]*)|\.?\[\s*(?:(-?\d{1,9})|"([^"\\\u0000-\u001f]*)")\s*\])/y;

/** The path an expression is, if it is nothing more: `.`, or names and constant indices. */
export function findPlainPath(expression: string): Path | undefined {
  const text = expression.trim();
  if (text === ".") return [];
  // jq takes an index after nothing but a path: a leading "[0]" makes an array.
  if (!text.startsWith(".")) return undefined;
  const path: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const step = STEP.exec(text);
    if (step === null) return undefined;
    const [, name, index, key] = step;
    path.push(index === undefined ? (name ?? key ?? "") : Number(index));
  }
  return path;
}

/** A failure in jq's words, which quote data. */
type PathResult = { readonly value: unknown } | { readonly failure: string };

/** Evaluates a path as jq does: null has everything as null, an object no numbers, an array no names. */
export function evaluatePath(path: Path, input: unknown): PathResult {
  let value = input;
  for (const step of path) {
    if (value === null) continue;
    if (typeof step === "number" && Array.isArray(value)) {
      value = (value.at(step) as unknown) ?? null;
    } else if (typeof step === "string" && jqType(value) === "object") {
      const object = value as Record<string, unknown>;
      value = Object.hasOwn(object, step) ? (object[step] ?? null) : null;
    } else {
      return { failure: `Cannot index ${jqType(value)} with ${jqType(step)} (${JSON.stringify(step)})` };
    }
  }
  return { value };
}

function jqType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}
