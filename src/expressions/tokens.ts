/**
 * A word of jq. `key` is a name in the place of an object's key, which is data and not a call. `text` is a string
 * without interpolation; one with interpolation gives `open` and `close` for what stands in `\( … )`.
 */
export interface Token {
  readonly kind:
    | "field"
    | "name"
    | "key"
    | "variable"
    | "text"
    | "number"
    | "format"
    | "open"
    | "close"
    | "sign";
  readonly value: string;
}

const SPACE = /(?:[ \t\r\n]+|#[^\n]*)+/y;
const WORDS = [
  ["field", /\.[A-Za-z_][A-Za-z0-9_]*/y],
  ["number", /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ["name", /(?:[A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*/y],
  ["variable", /\$(?:[A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*/y],
  ["format", /@[A-Za-z0-9_]+/y],
  ["sign", /\?\/\/|\/\/=|[|+\-*/%=!<>]=|\/\/|\.\.|[.?=;,:|+\-*/%<>]/y],
] as const;
const STRING_PART = /(?:[^"\\]|\\[^(])*/y;
const CLOSES: Record<string, string> = { "(": ")", "[": "]", "{": "}", if: "end" };

/**
 * Splits an expression as jq's lexer does. Undefined where brackets, strings or `if … end` do not match, so that what
 * is read is complete in itself: put in parentheses it cannot reach out of them.
 */
export function readTokens(expression: string): Token[] | undefined {
  // jq gets the program as a C string, which would end there.
  if (expression.includes("\0")) return undefined;
  const tokens: Token[] = [];
  /** Brackets open at this point; `"` stands for a string interrupted by an interpolation. */
  const open: string[] = [];
  let at = 0;

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(expression)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const readString = (interrupted: boolean): boolean => {
    const text = match(STRING_PART) ?? "";
    if (expression[at] === '"') {
      at += 1;
      tokens.push({ kind: "text", value: interrupted ? "" : text });
      return true;
    }
    if (!expression.startsWith("\\(", at)) return false;
    at += 2;
    open.push('"', "(");
    tokens.push({ kind: "open", value: "\\(" });
    return true;
  };

  while (at < expression.length) {
    const space = match(SPACE);
    if (space !== undefined) {
      // Versions of jq differ on whether a comment goes on after a backslash: neither reading is safe.
      if (space.split("\n").some((line) => line.trimEnd().endsWith("\\"))) return undefined;
      continue;
    }
    const next = expression.charAt(at);
    if (next === '"') {
      at += 1;
      if (!readString(false)) return undefined;
    } else if ("([{".includes(next)) {
      at += 1;
      open.push(next);
      tokens.push({ kind: "open", value: next });
    } else if (")]}".includes(next)) {
      at += 1;
      if (CLOSES[open.pop() ?? ""] !== next) return undefined;
      tokens.push({ kind: "close", value: next });
      if (open.at(-1) === '"') {
        open.pop();
        if (!readString(true)) return undefined;
      }
    } else {
      const word = readWord(match, tokens.at(-1), open.at(-1));
      if (word === undefined) return undefined;
      if (word.kind === "name" && word.value === "if") open.push("if");
      if (word.kind === "name" && word.value === "end" && CLOSES[open.pop() ?? ""] !== "end")
        return undefined;
      tokens.push(word);
    }
  }
  return open.length === 0 ? tokens : undefined;
}

function readWord(
  match: (pattern: RegExp) => string | undefined,
  before: Token | undefined,
  inside: string | undefined,
): Token | undefined {
  for (const [kind, pattern] of WORDS) {
    const value = match(pattern);
    if (value === undefined) continue;
    const isKey =
      inside === "{" && before?.kind !== "text" && (before?.value === "{" || before?.value === ",");
    return { kind: kind === "name" && isKey ? "key" : kind, value };
  }
  return undefined;
}
