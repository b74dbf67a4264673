import type { CallName } from "./plain-expression.ts";
import { ASK_JQ, indexOf, isAscii, isTrue, LONGEST_TEXT, recordOf, textOf } from "./plain-values.ts";

export function bareCall(name: CallName, input: unknown): unknown {
  const value = input ?? null;
  switch (name) {
    case "not":
      return !isTrue(value);
    case "type":
      return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    case "length":
      return lengthOf(value);
    case "tostring":
      if (typeof value === "string") return value;
      if (value === null || typeof value === "boolean" || Number.isSafeInteger(value))
        return JSON.stringify(value);
      throw ASK_JQ;
    case "tonumber":
      if (typeof value === "number") return value;
      if (typeof value === "string" && /^(?:0|-?[1-9]\d{0,14})$/.test(value)) return Number(value);
      throw ASK_JQ;
    case "@uri":
      return escaped(typeof value === "number" ? bareCall("tostring", value) : value);
    case "ascii_downcase":
      return textOf(value).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
    case "ascii_upcase":
      return textOf(value).replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
    case "first":
      return indexOf(value, 0);
    case "last":
      return indexOf(value, -1);
    default:
      throw ASK_JQ;
  }
}

export function textCall(name: CallName, input: unknown, given: unknown): unknown {
  const by = textOf(given);
  switch (name) {
    case "join":
      if (!Array.isArray(input)) throw ASK_JQ;
      return joined(input.map(textOf), by);
    case "split": {
      const text = textOf(input);
      if (text === "" || by === "") throw ASK_JQ;
      return text.split(by);
    }
    case "startswith":
      return textOf(input).startsWith(by);
    case "endswith":
      return textOf(input).endsWith(by);
    default:
      throw ASK_JQ;
  }
}

function lengthOf(value: unknown): number {
  if (value === null) return 0;
  if (typeof value === "string")
    return isAscii(textOf(value)) ? value.length : Array.from(value.toWellFormed()).length;
  if (Array.isArray(value)) return value.length;
  return Object.values(recordOf(value)).filter((one) => one !== undefined).length;
}

/** Everything but the unreserved characters of RFC 3986. */
function escaped(value: unknown): string {
  const text = encodeURIComponent(textOf(value).toWellFormed());
  return text.replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function joined(texts: readonly string[], by: string): string {
  if (texts.reduce((sum, { length }) => sum + length + by.length, 0) > LONGEST_TEXT) throw ASK_JQ;
  return texts.join(by);
}
