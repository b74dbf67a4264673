import type { z } from "zod";
import { nearest } from "../nearest.ts";
import type { KnownKeys } from "./known-keys.ts";
import type { Path } from "./yaml-source.ts";

type Issue = z.core.$ZodIssue;

export interface Explained {
  readonly path: Path;
  /** For an unknown key, which one: the position is its own. */
  readonly unknown?: string;
  /** What it is about was taken out, and the rest can be used. */
  readonly leftOut?: true;
  /** The key it was most likely meant as. */
  readonly meant?: string;
  readonly message: string;
  readonly hint?: string;
}

/** One schema issue as words for the person who wrote the file. It names keys and types, never values. */
export function explainIssue(issue: Issue, data: unknown, knownKeys: KnownKeys): Explained[] {
  const path = issue.path as Path;
  const where = path.join(".") || "the manifest";
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(path, key, knownKeys));
    case "invalid_union": {
      const meant = issue.errors.length > 0 ? inUnion(issue.errors, path, data, knownKeys) : undefined;
      if (meant !== undefined) return meant;
      const kinds = "options" in issue ? issue.options?.map(String).join(", ") : undefined;
      return [{ path, message: `${where} ${kinds ? `must be one of ${kinds}` : "is not right"}` }];
    }
    case "invalid_type": {
      const value = valueAt(data, path);
      if (value === undefined) return [{ path, message: `${where} is missing` }];
      return [{ path, message: `${where} is ${kindOf(value)}, and must be ${wanted(issue.expected)}` }];
    }
    case "invalid_value": {
      const values = issue.values.map(String);
      const value = valueAt(data, path);
      const near = typeof value === "string" ? nearest(value, values) : undefined;
      const hint = near === undefined ? undefined : `Did you mean ${near}?`;
      const message = `${where} must be ${values.length > 1 ? "one of " : ""}${values.join(", ")}`;
      return [{ path, message, ...(hint === undefined ? {} : { hint }) }];
    }
    case "invalid_key":
      return issue.issues.map((inner) => ({ path, message: `${where}: ${inner.message}` }));
    case "too_big":
      return [
        { path, message: `${where} is too ${sizeWord(issue.origin, "big")}: at most ${issue.maximum}` },
      ];
    case "too_small":
      return issue.minimum === 1 && issue.origin === "string"
        ? [{ path, message: `${where} is empty` }]
        : [
            {
              path,
              message: `${where} is too ${sizeWord(issue.origin, "small")}: at least ${issue.minimum}`,
            },
          ];
    case "invalid_format":
      if (issue.format === "url") return [{ path, message: `${where} is not an http or https URL` }];
      return [{ path, message: `${where} cannot be used: ${issue.message}` }];
    default:
      return [{ path, message: `${where} ${issue.message}` }];
  }
}

function unknownKey(path: Path, key: string, knownKeys: KnownKeys): Explained {
  const known = knownKeys(path);
  const near = key.length > 64 ? undefined : nearest(key, known);
  const within = path.length === 0 ? "a manifest" : path.join(".");
  const hint = key.includes(" ")
    ? "Text with a comma in it is written in quotes inside braces."
    : near !== undefined
      ? `Did you mean ${near}?`
      : known.length > 0
        ? `There are: ${known.join(", ")}.`
        : undefined;
  return {
    path,
    unknown: key,
    message: `${within} has no key "${key.slice(0, 64)}"`,
    ...(near === undefined ? {} : { meant: near }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Of the things a value may be, the one it was most likely meant as: whose problems lie deepest, and are fewest. */
function inUnion(
  branches: readonly (readonly Issue[])[],
  path: Path,
  data: unknown,
  knownKeys: KnownKeys,
): Explained[] | undefined {
  const meant = branches
    .map((issues) => ({ issues, depth: depthOf(issues) }))
    .toSorted((a, b) => b.depth - a.depth || a.issues.length - b.issues.length)[0];
  if (meant === undefined || meant.depth <= 0) {
    const whole = branches.flat().filter(({ code }) => code === "invalid_type" || code === "invalid_value");
    const wishes = whole.map((issue) =>
      issue.code === "invalid_type" ? wanted(issue.expected) : "one of the known words",
    );
    const value = kindOf(valueAt(data, path));
    const where = path.join(".") || "the manifest";
    return wishes.length === 0
      ? undefined
      : [{ path, message: `${where} is ${value}, and must be ${[...new Set(wishes)].join(" or ")}` }];
  }
  return meant.issues.flatMap((issue) =>
    explainIssue({ ...issue, path: [...path, ...issue.path] }, data, knownKeys),
  );
}

function depthOf(issues: readonly Issue[]): number {
  const depths = issues.map((issue) => {
    if (issue.code === "unrecognized_keys") return issue.path.length + 1;
    if (issue.code === "invalid_union" && issue.path.length === 0) {
      return Math.max(0, ...issue.errors.map(depthOf));
    }
    return issue.path.length;
  });
  return Math.min(...depths);
}

function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "boolean") return "true or false";
  return typeof value === "string" ? "text" : "a number";
}

function wanted(expected: string): string {
  const words: Record<string, string> = {
    string: "text",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    array: "a list",
    object: "a map",
    record: "a map",
    null: "empty",
  };
  return words[expected] ?? expected;
}

function sizeWord(origin: string, way: "big" | "small"): string {
  if (origin === "number" || origin === "int") return way;
  return way === "big" ? "long" : "short";
}
