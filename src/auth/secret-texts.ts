import { Secret } from "../kernel/index.ts";
import { asJson } from "./as-json.ts";

/** Deeper values are nobody's row; what walks them is recursive. */
const DEEPEST = 32;

/** Every text in a row's value, however deep, and in JSON that is kept as text: all of it may be the secret. */
export function secretTexts(value: unknown, depth = 0): Secret[] {
  if (depth > DEEPEST) return [];
  if (typeof value === "string") return [Secret.fromText(value), ...secretTexts(parsed(value), depth + 1)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((one) => secretTexts(one, depth + 1));
}

function parsed(text: string): unknown {
  return /^\s*[[{]/.test(text) ? asJson(text) : undefined;
}
