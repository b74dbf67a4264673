import { type InResponse, readBytes } from "../../http/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { isObject } from "./evaluate.ts";

/** Held in memory whole, and again by what maps it. */
export const LARGEST_ANSWER = 16 * 1024 * 1024;
/** Of a failure only a sentence is of use. */
const LARGEST_FAILURE = 64 * 1024;
const LONGEST_TEXT = 300;

/** JSON where the service says so or it can be seen, text otherwise, null where there is nothing. */
export async function readAnswer(response: InResponse, raw: boolean): Promise<unknown> {
  const text = await readDecoded(response, LARGEST_ANSWER);
  if (raw) return text;
  if (text.trim() === "") return null;
  if (isJson(response)) return parse(text);
  return /^\s*[[{]/.test(text) ? (tryParse(text) ?? text) : text;
}

/** What the service itself says went wrong, as one bounded line; undefined where it says nothing that can be found. */
export async function readFailure(response: InResponse): Promise<string | undefined> {
  const text = await readDecoded(response, LARGEST_FAILURE).catch(() => "");
  const found = failureIn(tryParse(text));
  return found === undefined ? undefined : oneLine(found);
}

export function oneLine(text: string): string {
  const plain = text.replaceAll(/[\p{C}\s]+/gu, " ").trim();
  return plain.length > LONGEST_TEXT ? `${plain.slice(0, LONGEST_TEXT)}…` : plain;
}

export function headerOf(response: InResponse, name: string): string | undefined {
  return response.headers.find(([given]) => given.toLowerCase() === name)?.[1];
}

/** In the encoding the service names: older sites do not speak UTF-8. */
async function readDecoded(response: InResponse, maxBytes: number): Promise<string> {
  const bytes = await readBytes(response, maxBytes);
  const named = /;\s*charset="?([\w.:-]+)/i.exec(headerOf(response, "content-type") ?? "")?.[1];
  return decoder(named).decode(bytes);
}

function decoder(name = "utf-8"): TextDecoder {
  try {
    return new TextDecoder(name);
  } catch {
    return new TextDecoder();
  }
}

function isJson(response: InResponse): boolean {
  return /^[^;]*[/+]json\b/i.test(headerOf(response, "content-type") ?? "");
}

function parse(text: string): unknown {
  const value = tryParse(text);
  if (value !== undefined) return value;
  throw new DeputyError("PROTOCOL", "Cannot read the answer: the service calls it JSON, and it is not", {
    hint: "Try again later. If it stays so, response: {raw: true} in the manifest gives it as text.",
  });
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The usual places: `{error}`, `{error: {message}}`, `{message}`, `{errors: [{message}]}`, RFC 9457, RFC 6749 5.2. */
function failureIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (depth > 3) return undefined;
  if (Array.isArray(value)) return failureIn(value[0], depth + 1);
  if (!isObject(value)) return undefined;
  const keys = ["error_description", "message", "error", "errors", "detail", "title", "reason"];
  for (const key of keys) {
    const found = failureIn(value[key], depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
