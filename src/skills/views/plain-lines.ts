import { isRecord } from "../../kernel/index.ts";
import { cleanLine, cut, escapeStart, fenced } from "./clean-text.ts";
import { text } from "./entity-line.ts";

interface PlainLimits {
  /** Characters of one text. */
  readonly text: number;
  /** Lines in all. */
  readonly lines: number;
}

const DEEPEST = 4;
const LONGEST_INLINE = 200;

/** JSON without a shape as `key: value`, indented where it is nested. */
export function plainLines(value: unknown, limits: PlainLimits): string[] {
  const lines: string[] = [];
  let left = 0;
  const add = (line: string) => {
    if (lines.length < limits.lines) lines.push(line);
    else left += 1;
  };

  const walk = (key: string, value: unknown, depth: number): void => {
    const start = `${"  ".repeat(depth)}${key}`;
    const inside = key === "" ? depth : depth + 1;
    // Alone, a record has a line for every key.
    const flat = key === "" && isRecord(value) && Object.keys(value).length > 0 ? undefined : inline(value);
    if (flat !== undefined) add(`${start}${flat}`);
    else if (typeof value === "string")
      add(`${key === "" ? "" : `${start.trimEnd()}\n`}${block(value, limits.text)}`);
    else if (depth >= DEEPEST) add(`${start}${cleanLine(cut(safeJson(value), LONGEST_INLINE))}`);
    else if (Array.isArray(value)) {
      if (key !== "") add(`${start.trimEnd()} (${value.length})`);
      for (const one of value.slice(0, limits.lines)) walk("- ", one, inside);
      left += Math.max(0, value.length - limits.lines);
    } else if (isRecord(value)) {
      const first = lines.length;
      if (key !== "" && key !== "- ") add(start.trimEnd());
      for (const [name, inner] of Object.entries(value))
        walk(`${escapeStart(cleanLine(cut(name, 80)))}: `, inner, inside);
      const line = lines[first];
      if (key === "- " && line !== undefined) lines[first] = `${start}${line.trimStart()}`;
    }
  };
  walk("", value, 0);
  if (left > 0) lines.push(`(${left} more lines are not shown)`);
  return lines;
}

/** A value that fits on its line, or undefined. */
function inline(value: unknown): string | undefined {
  if (value === null || value === undefined) return "(none)";
  if (typeof value === "string")
    return value.length <= LONGEST_INLINE && !/\n.*\S/.test(value)
      ? escapeStart(cleanLine(value)) || '""'
      : undefined;
  if (typeof value !== "object") return text(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return "(empty)";
    const plain = value.every((one) => typeof one !== "object" && text(one).length < 80);
    return plain && value.length <= 20 ? value.map((one) => cleanLine(text(one))).join(", ") : undefined;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return "(empty)";
  if (entries.length > 8 || entries.some(([, one]) => typeof one === "object" && one !== null))
    return undefined;
  const line = entries
    .map(([key, one]) => `${cleanLine(key)}: ${cleanLine(text(one)) || "(none)"}`)
    .join(", ");
  return line.length <= LONGEST_INLINE ? escapeStart(line) : undefined;
}

/** A text of its own, and how much of it is missing. */
export function block(value: string, limit: number): string {
  if (value.length <= limit) return fenced(value);
  const head = value.slice(0, limit);
  return `${fenced(head)}\n(cut: ${value.length - limit} more characters, format json has them)`;
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "(too deep to show)"; // JSON.stringify has a stack, and the value more levels than that
  }
}
