import { evaluatePath, findPlainPath, type Path } from "./plain-path.ts";

/** Texts and paths put together: `"Bearer " + .auth.key`, `"/users/\(.params.id)/mails"`. */
export type JoinedText = readonly (string | { readonly path: Path })[];

const SPACE = /[ \t\r\n]*/y;
const PATH = /(?:\.[A-Za-z_][A-Za-z0-9_]*|\.?\[(?:-?\d{1,9}|"[^"\\\u0000-\u001f]*")\])+/y;
const TEXT = /[^"\\\u0000-\u001f]*/y;
/** Beyond this jq is asked, which knows how large a result may be. */
const LONGEST = 64 * 1024;

/** The parts of an expression that is nothing more than that. */
export function findJoinedText(expression: string): JoinedText | undefined {
  const parts: (string | { path: Path })[] = [];
  let at = 0;
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(expression)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const skip = (word: string): boolean => {
    if (!expression.startsWith(word, at)) return false;
    at += word.length;
    return true;
  };
  const readPath = (): boolean => {
    match(SPACE);
    const written = match(PATH);
    const path = written.startsWith(".") ? findPlainPath(written) : undefined;
    if (path !== undefined) parts.push({ path });
    match(SPACE);
    return path !== undefined;
  };
  const readString = (): boolean => {
    for (;;) {
      parts.push(match(TEXT).toWellFormed());
      if (skip('"')) return true;
      if (!skip("\\(") || !readPath() || !skip(")")) return false;
    }
  };
  do {
    match(SPACE);
    if (!(skip('"') ? readString() : readPath())) return undefined;
    match(SPACE);
  } while (skip("+"));
  return at === expression.length ? parts : undefined;
}

/** Undefined where a part is no text: what jq makes of numbers, nulls and mistakes is for jq to say. */
export function evaluateJoined(parts: JoinedText, input: unknown): string | undefined {
  let text = "";
  for (const part of parts) {
    const result = typeof part === "string" ? { value: part } : evaluatePath(part.path, input);
    if (!("value" in result) || typeof result.value !== "string") return undefined;
    text += result.value.toWellFormed();
    if (text.length > LONGEST) return undefined;
  }
  return text;
}
