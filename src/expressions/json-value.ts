import { DeputyError } from "../kernel/index.ts";

/** Deeper values overflow jq's stack when they are written: measured between 500 and 700. */
const DEEPEST = 256;

/**
 * A copy of a value that is JSON and nothing else. Anything else is a bug of the caller, above all a Secret, which
 * would silently become "[redacted]". Lone surrogates become U+FFFD, as jq makes them.
 */
export function copyJson(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case "string":
      return value.toWellFormed();
    case "boolean":
      return value;
    case "number":
      // JSON writes -0 as 0.
      if (Number.isFinite(value)) return value + 0;
      break;
    case "object":
      if (value === null) return null;
      if (depth >= DEEPEST) {
        throw new DeputyError(
          "TOO_LARGE",
          `A value for an expression is nested deeper than ${DEEPEST} levels`,
          { hint: "Pass on the part that is needed." },
        );
      }
      if (Array.isArray(value)) return value.map((item) => copyJson(item, depth + 1));
      if (isPlain(value)) {
        // fromEntries defines: an assignment to "__proto__" would set the prototype.
        const given = Object.entries(value).filter(([, item]) => item !== undefined);
        return Object.fromEntries(given.map(([key, item]) => [key, copyJson(item, depth + 1)]));
      }
      break;
    default:
  }
  throw new TypeError(`A value for an expression is not JSON: ${describe(value)}`);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function describe(value: unknown): string {
  if (typeof value === "object" && value !== null) return `an object of class ${value.constructor.name}`;
  return typeof value === "number" ? "a number that is not finite" : `a value of type ${typeof value}`;
}
